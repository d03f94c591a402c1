/** What an update may hold; a wrong one is refused before it enters the history, in one line. */
import { ApplicationFailure } from '@temporalio/workflow';

/** It is shown in one line, and stored with the run. */
const LONGEST_REASON = 1000;

const BUDGET_KEYS = ['generations', 'minutes', 'tokens', 'episodes'];

export function refuseUnless(holds: boolean, message: string): void {
  if (!holds) throw ApplicationFailure.nonRetryable(message, 'InvalidMessage');
}

/** Nothing, or an object with at most a reason. */
export function checkReason(what: string, request: unknown): void {
  if (request === undefined || request === null) return;
  checkObject(what, request, ['reason']);
  const { reason } = request as { reason?: unknown };
  const isText = reason === undefined || typeof reason === 'string';
  refuseUnless(isText, `${what}: 'reason' is ${JSON.stringify(reason)}; allowed: a text`);
  const length = (reason as string | undefined)?.length ?? 0;
  const tooLong = `${what}: 'reason' has ${length} characters; allowed: ${LONGEST_REASON}`;
  refuseUnless(length <= LONGEST_REASON, tooLong);
}

export function checkBudget(budget: unknown): void {
  refuseUnless(
    budget !== undefined && budget !== null,
    `setBudget needs an object with keys ${BUDGET_KEYS.join(', ')}`,
  );
  checkObject('setBudget', budget, BUDGET_KEYS);
  const entries = Object.entries(budget as object);
  refuseUnless(entries.length > 0, `setBudget names no limit; known: ${BUDGET_KEYS.join(', ')}`);
  for (const [key, value] of entries as [string, unknown][]) {
    const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 1;
    const isLimit = value === null || (typeof value === 'number' && Number.isFinite(value) && value > 0);
    const allowed = key === 'generations' ? 'a whole number >= 1' : 'a number > 0, or null for no limit';
    const holds = key === 'generations' ? isCount : isLimit;
    refuseUnless(holds, `setBudget: '${key}' is ${JSON.stringify(value)}; allowed: ${allowed}`);
  }
}

/** Names alone: which families there are is asked elsewhere (check-tasks.ts). */
export function checkNewTasks(request: unknown): void {
  refuseUnless(
    request !== undefined && request !== null,
    'addTasks needs an object with key families, as in {"families": ["survey"]}',
  );
  checkObject('addTasks', request, ['families']);
  const { families } = request as { families?: unknown };
  const isList = Array.isArray(families) && families.length > 0 && families.every((name) => typeof name === 'string');
  const given = JSON.stringify(families) ?? 'not given';
  refuseUnless(isList, `addTasks: 'families' is ${given}; allowed: a list of at least one name of a task family`);
}

function checkObject(what: string, given: unknown, keys: readonly string[]): void {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  refuseUnless(isObject, `${what}: ${JSON.stringify(given)} is not an object with keys among ${keys.join(', ')}`);
  const unknown = Object.keys(given as object).find((key) => !keys.includes(key));
  refuseUnless(unknown === undefined, `${what}: key '${unknown}' is unknown; known: ${keys.join(', ')}`);
}
