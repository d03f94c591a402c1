/** The answers to the questions of `rsi lineage` (questions.ts), each a plain object that `--json` prints. */
import type { Queryable } from '../../lineage/postgres/connection.ts';
import {
  ancestorsOfCheckpoint,
  checkpointData,
  checkpointsTrainedOn,
  descendantsOfCheckpoint,
  leaks,
} from '../../lineage/postgres/checkpoint-queries.ts';
import {
  ancestorsOfTrajectory,
  descendantsOfTrajectory,
  findThings,
  funnel,
  whyRewrite,
} from '../../lineage/postgres/queries.ts';
import { readShownEpisode } from '../../lineage/postgres/shown-episode.ts';
import type { RunQuestionName, ThingQuestionName } from './questions.ts';
import type { Subject } from './subject.ts';

type Answer = Promise<object>;
type Found = Pick<Subject, 'kind' | 'digest' | 'runId'>;

export const THING_ANSWERS: Readonly<Record<ThingQuestionName, (db: Queryable, subject: Found) => Answer>> = {
  tree: async (db, subject) => ({ ...(await up(db, subject)), ...(await down(db, subject)) }),
  show: async (db, { kind, runId, digest }) =>
    kind === 'trajectory'
      ? readShownEpisode(db, runId, digest)
      : { things: (await findThings(db, runId, digest)).map(({ id: _, ...thing }) => thing) },
  up,
  down,
  why: async (db, { runId, digest }) => ({ decisions: await whyRewrite(db, runId, digest) }),
  data: async (db, { runId, digest }) => ({ groups: await checkpointData(db, runId, digest) }),
};

export const RUN_ANSWERS: Readonly<Record<RunQuestionName, (db: Queryable, runId: number) => Answer>> = {
  funnel: async (db, runId) => ({ rounds: await funnel(db, runId) }),
  leaks: async (db, runId) => ({ leaks: await leaks(db, runId) }),
};

async function up(db: Queryable, { kind, runId, digest }: Found): Answer {
  const ask = kind === 'checkpoint' ? ancestorsOfCheckpoint : ancestorsOfTrajectory;
  return { ancestors: await ask(db, runId, digest) };
}

async function down(db: Queryable, { kind, runId, digest }: Found): Answer {
  if (kind === 'checkpoint') {
    const nodes = await descendantsOfCheckpoint(db, runId, digest);
    return { descendants: nodes.filter(({ depth }) => depth > 0) };
  }
  const { episodes: rewrites, truncated } = await descendantsOfTrajectory(db, runId, digest);
  return { rewrites, truncated, checkpoints: await checkpointsTrainedOn(db, runId, digest) };
}
