/** Two runs beside each other, from their records alone: what was asked of them, where they part, what they reached. */
import type { GroupRef } from '../../contracts/checkpoint.ts';
import type { RunConfig } from '../../contracts/config/run-config.ts';
import type { Digest } from '../../contracts/digest.ts';
import type { StoredRecord } from '../../contracts/run-store.ts';
import { contentHeadOf } from '../../lineage/content-head.ts';
import { differences, flatten } from '../report/changed-keys.ts';
import { compareHeldOut, type HeldOutRow } from './held-out.ts';
import { compareRecords, type RecordComparison } from './record-difference.ts';

export interface ComparedRun {
  readonly name: string;
  readonly config: RunConfig;
  /** In the order in which they were stored. */
  readonly records: readonly StoredRecord[];
}

export interface RunFacts {
  readonly name: string;
  readonly preset: string;
  readonly seed: number;
  readonly contentHead: Digest;
  readonly records: number;
  readonly episodes: number;
  /** Sampled by a policy, over all episodes. */
  readonly actionTokens: number;
  /** Active wall time, all sessions. */
  readonly seconds: number;
}

export interface RunComparison {
  readonly left: RunFacts;
  readonly right: RunFacts;
  /** Keys whose values differ, the seed among them. */
  readonly config: readonly { readonly key: string; readonly left: unknown; readonly right: unknown }[];
  readonly equal: boolean;
  readonly records: RecordComparison;
  readonly heldOut: readonly HeldOutRow[];
}

export function compareRuns(left: ComparedRun, right: ComparedRun): RunComparison {
  const [ours, theirs] = [factsOf(left), factsOf(right)];
  return {
    left: ours,
    right: theirs,
    config: differences(flatten(left.config), flatten(right.config)).map(({ key, value, fallback }) => ({
      ...{ key, left: value, right: fallback },
    })),
    equal: ours.contentHead === theirs.contentHead,
    records: compareRecords(left.records, right.records),
    heldOut: compareHeldOut(left.records, right.records),
  };
}

function factsOf({ name, config, records }: ComparedRun): RunFacts {
  const groups = records.flatMap(({ content }) => (content.kind === 'group' ? [(content as GroupRef).summary] : []));
  return {
    ...{ name, preset: config.preset, seed: config.seed, contentHead: contentHeadOf(records), records: records.length },
    episodes: groups.reduce((sum, { episodes }) => sum + episodes, 0),
    actionTokens: groups.reduce((sum, { actionTokens }) => sum + actionTokens, 0),
    seconds: records.reduce((most, { elapsed }) => Math.max(most, elapsed), 0),
  };
}
