/**
 * A random stream for a place named by words and numbers, all of them hashed into its seed: two families, splits or
 * tasks with one seed would draw alike otherwise.
 */
import { digestOfText } from '../../contracts/digest.ts';
import { randomStream, type RandomStream } from '../../rl/random-stream.ts';

export function streamOf(...place: readonly (string | number)[]): RandomStream {
  return randomStream(Number.parseInt(digestOfText(place.join('|')).slice(0, 8), 16));
}
