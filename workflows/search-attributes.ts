/**
 * What runs are found by in the Web UI; the same names as infra/temporal/search-attributes.ts registers. Numbers are set
 * while the run goes on, never at its start: the form's "start like this one" trips over them.
 */
import { defineSearchAttributeKey, type SearchAttributeUpdatePair } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { RunProgress } from './run-progress.ts';

const KEYS = {
  preset: defineSearchAttributeKey('RsiPreset', 'KEYWORD'),
  status: defineSearchAttributeKey('RsiStatus', 'KEYWORD'),
  stage: defineSearchAttributeKey('RsiStage', 'KEYWORD'),
  run: defineSearchAttributeKey('RsiRun', 'INT'),
  generation: defineSearchAttributeKey('RsiGeneration', 'INT'),
  strictRate: defineSearchAttributeKey('RsiStrictRate', 'DOUBLE'),
  partialRate: defineSearchAttributeKey('RsiPartialRate', 'DOUBLE'),
};

/** Sets what differs from `before`. */
export function tellSearch(before: RunProgress | null, now: RunProgress): void {
  const was = before === null ? [] : pairsOf(before);
  const changed = pairsOf(now).filter(
    ({ key, value }) => !was.some((pair) => pair.key.name === key.name && pair.value === value),
  );
  if (changed.length > 0) upsertSearchAttributes(changed);
}

function pairsOf({ status, stage, preset, runId, generation, rows }: RunProgress): SearchAttributeUpdatePair[] {
  const evaluation = rows.findLast((row) => row.evaluation !== null)?.evaluation ?? null;
  return [
    { key: KEYS.status, value: status },
    { key: KEYS.stage, value: stage },
    { key: KEYS.generation, value: generation },
    ...(preset === null ? [] : [{ key: KEYS.preset, value: preset }]),
    ...(runId === null ? [] : [{ key: KEYS.run, value: runId }]),
    ...(evaluation === null || evaluation.n === 0
      ? []
      : [{ key: KEYS.strictRate, value: evaluation.strict / evaluation.n }]),
    ...(evaluation?.partial == null ? [] : [{ key: KEYS.partialRate, value: evaluation.partial }]),
  ];
}
