/**
 * Makes the fastest backend there is: provisions the native one where that is possible, else goes on with WASM. Opens
 * nothing, for it may be another process that computes.
 */
import { Failure } from '../contracts/failures.ts';
import { isNativeLinked, provisionNative } from './native.ts';

const CHOICES = ['native', 'wasm', 'auto'];

export async function prepareBackend(say: (line: string) => void, signal?: AbortSignal): Promise<'native' | 'wasm'> {
  const wanted = process.env['TERMINAL_RSI_BACKEND'];
  if (wanted !== undefined && wanted !== '' && !CHOICES.includes(wanted)) {
    throw new Failure('config', `TERMINAL_RSI_BACKEND is '${wanted}'; allowed: ${CHOICES.join(', ')}`);
  }
  if (wanted !== 'wasm' && !isNativeLinked()) {
    say('Preparing the native tensor backend, once (npm run native does the same)');
    const result = await provisionNative({ log: (line) => say(`  ${line}`), signal });
    signal?.throwIfAborted();
    if (result.kind === 'unavailable') say(`No native backend: ${result.reason}. What to do: ${result.remedy}.`);
  }
  if (wanted === 'native' && !isNativeLinked()) {
    throw new Failure('model', 'TERMINAL_RSI_BACKEND=native, but there is no native backend; run: npm run native');
  }
  return isNativeLinked() ? 'native' : 'wasm';
}
