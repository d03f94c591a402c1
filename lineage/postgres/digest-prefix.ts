/** The first characters of a digest as the range of bytes they stand for: what every question by name searches. */
import { Failure } from '../../contracts/failures.ts';
import { bytesOf } from './connection.ts';

/** Fewer characters would name things by chance. */
export function prefixRange(prefix: string): readonly [first: Buffer, last: Buffer] {
  if (!/^[0-9a-f]{8,64}$/.test(prefix)) {
    throw new Failure('config', `"${prefix}" is not a name: 8 to 64 hex characters are`, { subject: prefix });
  }
  return [bytesOf(prefix.padEnd(64, '0')), bytesOf(prefix.padEnd(64, 'f'))];
}
