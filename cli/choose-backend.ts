/** Opens the fastest backend there is: provisions the native one where that is possible, else goes on with WASM. */
import { Failure } from '../contracts/failures.ts';
import { isNativeLinked, provisionNative } from '../infra/native.ts';
import { openBackend, type Backend } from '../model/backend.ts';

const CHOICES = ['native', 'wasm', 'auto'];

export async function chooseBackend(say: (line: string) => void): Promise<Backend> {
  const wanted = process.env['TERMINAL_RSI_BACKEND'];
  if (wanted !== undefined && wanted !== '' && !CHOICES.includes(wanted)) {
    throw new Failure('config', `TERMINAL_RSI_BACKEND is '${wanted}'; allowed: ${CHOICES.join(', ')}`);
  }
  if (wanted !== 'wasm' && !isNativeLinked()) {
    say('Preparing the native tensor backend, once (npm run native does the same)');
    const result = await provisionNative({ log: (line) => say(`  ${line}`) });
    if (result.kind === 'unavailable') say(`No native backend: ${result.reason}. What to do: ${result.remedy}.`);
  }
  if (wanted === 'native' && !isNativeLinked()) {
    throw new Failure('model', 'TERMINAL_RSI_BACKEND=native, but there is no native backend; run: npm run native');
  }
  return openBackend();
}

/** "native: libtensorflow 2.18.0, cpu, 2 threads" */
export function backendText({ name, describe }: Backend): string {
  const threads = describe.threads === null ? '' : `, ${describe.threads} thread${describe.threads === 1 ? '' : 's'}`;
  const fallback = describe.fallback === null ? '' : ` (native did not load: ${describe.fallback})`;
  return `${name}: ${describe.library} ${describe.version}, ${describe.device}${threads}${fallback}`;
}
