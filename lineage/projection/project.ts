/**
 * From a record and its files to the rows that show it. Pure but for reading files; the store writes what comes out, the
 * audit makes it anew. Whatever does not have the shape it should is refused, by name of the record.
 */
import type * as v from 'valibot';
import { canonicalText } from '../../contracts/canonical-text.ts';
import type { Digest } from '../../contracts/digest.ts';
import type { StoredRecord } from '../../contracts/run-store.ts';
import { CONTENTS, DECISIONS } from './content-schemas.ts';
import { readGroupFile } from './group-file.ts';
import { parsed, parsedJson, refuse } from './parse.ts';
import { EMPTY, type Projection, type RewriteRow } from './projection.ts';

export type ReadBlob = (digest: Digest) => Promise<Uint8Array>;

/** A record of another kind is stored and chained like any, but shown as a record only. */
export function isKnownKind(kind: string): kind is keyof typeof CONTENTS {
  return Object.hasOwn(CONTENTS, kind);
}

export async function project(record: StoredRecord, readBlob: ReadBlob): Promise<Projection> {
  const base: Projection = { ...EMPTY, blobs: record.blobs };
  const { kind } = record.content;
  if (!isKnownKind(kind)) return base;
  return { ...base, uses: record.uses, ...(await rowsOf(record, kind, readBlob)) };
}

async function rowsOf(
  record: StoredRecord,
  kind: keyof typeof CONTENTS,
  readBlob: ReadBlob,
): Promise<Partial<Projection>> {
  const content = <K extends keyof typeof CONTENTS>(name: K): v.InferOutput<(typeof CONTENTS)[K]> =>
    parsed(CONTENTS[name], record.content, record, `content of kind ${name}`);
  switch (kind) {
    case 'checkpoint':
      return { checkpoints: [made(content(kind))] };
    case 'critic-update':
      return { checkpoints: [made(content(kind).critic)] };
    case 'rewrite-round':
      return { checkpoints: [made(content(kind).policy)] };
    case 'policy-update': {
      const { policy, critic } = content(kind);
      return { checkpoints: [made(policy), made(critic)] };
    }
    case 'handoff': {
      const { critic, parent, explainedVarianceBefore, explainedVarianceAfter, loss } = content(kind);
      const names = { critic: critic.digest, parent: parent?.digest ?? null };
      return {
        checkpoints: [made(critic)],
        handoff: { ...names, explainedVarianceBefore, explainedVarianceAfter, loss },
      };
    }
    case 'calibration': {
      const { digest, maps, episodes, errorOfRaw, errorOfFormerMaps } = content(kind);
      return { calibration: { digest, maps: canonicalText(maps), episodes, errorOfRaw, errorOfFormerMaps } };
    }
    case 'evaluation-outcomes': {
      const { set, outcomes } = content(kind);
      return {
        outcomes: outcomes.map(({ taskId, state, checks, progress, turns, actionTokens, failedCommands }) => ({
          ...{ set, taskId, state, checks, progress, turns, actionTokens, failedCommands },
        })),
      };
    }
    case 'rewrite-decisions': {
      const { decisions, acceptedIds } = content(kind);
      return { rewrites: readDecisions(await fileOf(record, decisions, readBlob), acceptedIds, record) };
    }
    case 'group': {
      const { digest, summary } = content(kind);
      return readGroupFile(await fileOf(record, digest, readBlob), { digest, summary }, record);
    }
    case 'added-tasks':
    case 'environment':
    case 'drift':
    case 'run-end':
    case 'stop-check':
    case 'promotion':
      content(kind);
      return {};
  }
}

/** A file that the content names is one of the record's. */
function fileOf(record: StoredRecord, digest: Digest, readBlob: ReadBlob): Promise<Uint8Array> {
  if (!record.blobs.includes(digest)) refuse(record, `its content names file ${digest.slice(0, 12)}, its blobs do not`);
  return readBlob(digest);
}

function made<T extends { role: 'policy' | 'critic'; digest: Digest; weightsDigest: Digest }>(checkpoint: T) {
  const { role, digest, weightsDigest } = checkpoint;
  return { role, digest, weightsDigest };
}

function readDecisions(bytes: Uint8Array, acceptedIds: readonly Digest[], record: StoredRecord): RewriteRow[] {
  const decisions = parsed(DECISIONS, parsedJson(new TextDecoder().decode(bytes), record), record, 'decisions');
  const accepted = decisions.flatMap((decision) => (decision.accepted ? [decision.childId] : []));
  if (canonicalText(accepted) !== canonicalText(acceptedIds)) {
    refuse(record, 'the accepted ids are not those of its decisions');
  }
  return decisions.map(({ childId, parentId, mode, accepted: isAccepted, gate, measures }) => {
    const { turnDelta, tokenDelta, failedDelta, similarity } = measures;
    return {
      ...{ childId, parentId, mode, accepted: isAccepted, gate, turnDelta, tokenDelta, failedDelta, similarity },
      measures: canonicalText(measures),
    };
  });
}
