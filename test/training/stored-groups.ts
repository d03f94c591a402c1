/** Reads the groups of a run straight from its folder, as an auditor would: no code of the loop in between. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { GroupRef } from '../../contracts/checkpoint.ts';
import type { Place, StoredRecord } from '../../contracts/run-store.ts';
import type { Task } from '../../contracts/task.ts';
import type { Trajectory } from '../../contracts/trajectory.ts';
import { blobPath } from '../lineage/blob-path.ts';

export interface StoredGroup {
  readonly place: Place;
  readonly ref: GroupRef;
  readonly trajectories: readonly Trajectory[];
  readonly tasks: readonly Task[];
}

export function recordsIn(folder: string): StoredRecord[] {
  const lines = readFileSync(join(folder, 'log.jsonl'), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as StoredRecord);
}

export function groupsIn(folder: string): StoredGroup[] {
  return recordsIn(folder).flatMap(({ place, content }) => {
    if (content.kind !== 'group') return [];
    const ref = content as GroupRef;
    const text = gunzipSync(readFileSync(blobPath(folder, ref.digest))).toString();
    const entries = text.split('\n').map((line) => JSON.parse(line) as Task | Trajectory);
    const trajectories = entries.filter((entry) => entry.kind === 'trajectory');
    const tasks = entries.filter((entry) => entry.kind === 'task');
    return [{ place, ref, trajectories, tasks }];
  });
}
