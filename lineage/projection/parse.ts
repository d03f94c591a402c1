/** Reads what a record and its files hold by its schema; refuses the rest, by name of the record. */
import * as v from 'valibot';
import { Failure } from '../../contracts/failures.ts';
import { placeName, type StoredRecord } from '../../contracts/run-store.ts';

export function parsedJson(text: string, record: StoredRecord): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse(record, `its file is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function parsed<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  record: StoredRecord,
  what: string,
): v.InferOutput<S> {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  return refuse(record, `${what}, ${v.getDotPath(issue) ?? 'as a whole'}: ${issue.message}`);
}

export function refuse(record: StoredRecord, why: string): never {
  const name = placeName(record.place);
  throw new Failure('lineage', `record ${name} is refused: ${why}`, { subject: name });
}
