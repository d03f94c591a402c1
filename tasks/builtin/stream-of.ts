/**
 * A random stream for a place named by words and numbers. The seed is hashed with them: neighbouring seeds would
 * otherwise begin with nearly equal numbers, and two families with one seed would draw alike.
 */
import { digestOfText } from '../../contracts/digest.ts';
import { randomStream, type RandomStream } from '../../rl/random-stream.ts';

export function streamOf(...place: readonly (string | number)[]): RandomStream {
  return randomStream(Number.parseInt(digestOfText(place.join('|')).slice(0, 8), 16));
}
