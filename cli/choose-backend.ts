/** Opens the fastest backend there is in this process, and says which in one line. */
import { openBackend, type Backend } from '../model/backend.ts';
import { prepareBackend } from '../infra/prepare-backend.ts';

export async function chooseBackend(say: (line: string) => void): Promise<Backend> {
  await prepareBackend(say);
  return openBackend();
}

/** "native: libtensorflow 2.18.0, cpu, 2 threads" */
export function backendText({ name, describe }: Backend): string {
  const threads = describe.threads === null ? '' : `, ${describe.threads} thread${describe.threads === 1 ? '' : 's'}`;
  const fallback = describe.fallback === null ? '' : ` (native did not load: ${describe.fallback})`;
  return `${name}: ${describe.library} ${describe.version}, ${describe.device}${threads}${fallback}`;
}
