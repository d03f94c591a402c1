/**
 * What `rsi lineage` can be asked: of one trajectory or checkpoint, or of a whole run. Names alone, so that `--help`
 * answers at once; answers.ts has what they do.
 */
import type { Thing } from '../../lineage/postgres/queries.ts';

interface Question<Name> {
  readonly name: Name;
  readonly about: string;
}

export type ThingQuestionName = 'tree' | 'show' | 'up' | 'down' | 'why' | 'data';
export type RunQuestionName = 'funnel' | 'leaks';

export interface ThingQuestion extends Question<ThingQuestionName> {
  readonly kinds: readonly Thing['kind'][];
}

const NODES = ['trajectory', 'checkpoint'] as const;

/** The first is asked where none is named. */
export const THING_QUESTIONS: readonly ThingQuestion[] = [
  { name: 'tree', about: 'ancestors and descendants of a trajectory or checkpoint (the default)', kinds: NODES },
  { name: 'show', about: 'what a digest is; an episode with commands and checks', kinds: [...NODES, 'group', 'task'] },
  { name: 'up', about: 'ancestors of a trajectory or checkpoint', kinds: NODES },
  { name: 'down', about: 'descendants of a trajectory or checkpoint, and what was trained on them', kinds: NODES },
  { name: 'why', about: 'why a rewrite was accepted or not', kinds: ['trajectory'] },
  { name: 'data', about: 'what a checkpoint was trained on', kinds: ['checkpoint'] },
];

export const RUN_QUESTIONS: readonly Question<RunQuestionName>[] = [
  { name: 'funnel', about: 'candidates and gates of every rewrite round of a run' },
  { name: 'leaks', about: 'anything a run learned from tasks that are only measured' },
];
