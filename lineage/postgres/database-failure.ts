/**
 * What the database refuses, in the words of the failure vocabulary: a broken rule of the lineage is not retried, a lost
 * connection or a serialization failure is.
 */
import { Failure } from '../../contracts/failures.ts';

/** Constraints that say more than their name. */
const RULES: Readonly<Record<string, string>> = {
  record_use_learns_from_train: 'it learns from a group with episodes outside the train split',
  record_use_exists: 'it uses something that is not stored',
  record_use_before: 'it uses a group that was stored after it',
  trajectory_parent_is_train: 'a parent is not of the train split',
  trajectory_parent_before_child: 'a parent was stored after its child',
  trajectory_has_writer: 'a trajectory has no stored checkpoint as its writer',
  trajectory_verdict_or_failure: 'a trajectory has neither a verdict nor a failure',
  trajectory_rewrite_has_parent: 'a rewrite has no parent',
  rewrite_gate_or_accepted: 'a rewrite is accepted and stopped by a gate, or neither',
};

interface DatabaseError extends Error {
  readonly code?: string;
  readonly constraint?: string;
  readonly detail?: string;
}

/** The system's words for no connection, the server's for going away or coming up (57P, 08). */
const AWAY_CODE = /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE|57P0|08)/;
/** What the driver says without a code. */
const AWAY_MESSAGE = /^(Connection terminated|timeout expired|timeout exceeded when trying to connect)/;

/** `url`: of the database that was asked; one that is away is named by its address, never with the password. */
export function asDatabaseFailure(thrown: unknown, what: string, url?: string): Failure {
  if (thrown instanceof Failure) return thrown;
  const error = (thrown instanceof Error ? thrown : new Error(String(thrown))) as DatabaseError;
  const code = error.code ?? '';
  if (AWAY_CODE.test(code) || AWAY_MESSAGE.test(error.message)) {
    const reason = error.message === '' ? code : error.message;
    return new Failure('storage', `the database ${addressOf(url)}cannot be reached (${what}): ${reason}`, {
      ...{ subject: what, cause: error },
    });
  }
  if (code.startsWith('23')) {
    const rule = RULES[error.constraint ?? ''] ?? error.detail ?? error.message;
    return new Failure('lineage', `${what} is refused: ${rule}`, { subject: what, cause: error });
  }
  // 42: the program and the schema do not fit; 22: a value that no column of this type can hold.
  const isHopeless = code.startsWith('42') || code.startsWith('22');
  return new Failure('storage', `${what}: ${error.message === '' ? code : error.message}`, {
    ...{ subject: what, retryable: !isHopeless, cause: error },
  });
}

/** "127.0.0.1:5432 " */
function addressOf(url: string | undefined): string {
  const host = url !== undefined && URL.canParse(url) ? new URL(url).host : '';
  return host === '' ? '' : `${host} `;
}
