/**
 * Two runs of one seed that ask the same of generation 0 have the same records there, so the second takes them from the
 * first instead of computing them again. Which keys the parts of generation 0 do not read is listed; any other key that
 * differs forbids it, so that a new key is held to matter until somebody says otherwise.
 */
import type { RunConfig } from '../contracts/config/run-config.ts';
import type { StoredRecord } from '../contracts/run-store.ts';
import { differences, flatten } from '../viewer/report/changed-keys.ts';

/** In the order in which a run comes to them; a run takes only what it would have come to without a gap. */
export const START_PARTS = ['warm-start', 'warm-up-critic', 'evaluate'] as const;
export type StartPart = (typeof START_PARTS)[number];

/** Keys, or sections, that no part reads. `preset` is a name, samplers and threads change nothing that is played. */
const LATER = [
  ...['preset', 'generations', 'handoff', 'selfRewrite', 'promotion', 'stop'],
  ...['rollout.samplers', 'rollout.sandboxWorkers'],
  ...['reward.calibrate', 'reward.pseudoCount', 'reward.allowPartialAboveSuccess'],
];

/** Of policyRefine, the critic's warm-up reads only how returns are made of rewards: lambda is 1 there. */
const BEYOND_RETURNS = ['estimator', 'gamma'];

const UNREAD: Readonly<Record<StartPart, (key: string) => boolean>> = {
  'warm-start': (key) =>
    ofAny(key, [...LATER, 'stages', 'warmUpCritic', 'policyRefine', 'reward', 'rollout.temperature']),
  'warm-up-critic': (key) =>
    ofAny(key, [...LATER, 'stages']) ||
    (ofAny(key, ['policyRefine']) && !BEYOND_RETURNS.includes(key.slice('policyRefine.'.length))),
  // Its place is behind the last stage of a generation, so their number counts.
  evaluate: (key) => ofAny(key, [...LATER, 'stages', 'warmUpCritic', 'policyRefine', 'reward', 'rollout.temperature']),
};

/** What a run with `config` may take from one with `from`. */
export function sharedParts(from: RunConfig, config: RunConfig): StartPart[] {
  const changed = differences(flatten(config), flatten(from)).map(({ key }) => key);
  const isShared = (part: StartPart): boolean =>
    changed.every(UNREAD[part]) && (part !== 'evaluate' || from.stages.length === config.stages.length);
  const firstOther = START_PARTS.findIndex((part) => !isShared(part));
  return START_PARTS.slice(0, firstOther === -1 ? START_PARTS.length : firstOther);
}

/** The records of these parts, in the order in which `from` wrote them. */
export function recordsOf(
  records: readonly StoredRecord[],
  { stages }: RunConfig,
  parts: readonly StartPart[],
): StoredRecord[] {
  return records.filter(({ place }) => {
    if (place.generation !== 0) return false;
    const part = place.stageIndex < 0 ? 'warm-start' : place.stageIndex < stages.length ? 'warm-up-critic' : 'evaluate';
    return parts.includes(part);
  });
}

function ofAny(key: string, names: readonly string[]): boolean {
  return names.some((name) => key === name || key.startsWith(`${name}.`));
}
