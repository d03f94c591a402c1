/**
 * The terminal's file system, in memory. The shell writes two stub files per command into a new one, which costs more
 * than a simple command; here they are left out, and commands resolve by the shell's rule for systems without
 * /usr/bin. So a clean terminal holds the task's files, /dev, and nothing else.
 */
import { InMemoryFs } from 'just-bash';

const STUBS = /^\/(?:usr\/)?bin(?:\/|$)|^\/proc(?:\/|$)/;

export class TerminalFiles extends InMemoryFs {
  #leavesOutStubs = true;

  /** From here on every path is an ordinary one. */
  ready(): void {
    this.#leavesOutStubs = false;
  }

  override writeFileSync(...file: Parameters<InMemoryFs['writeFileSync']>): void {
    if (this.#leavesOutStubs && STUBS.test(file[0])) return;
    super.writeFileSync(...file);
  }

  override writeFileLazy(...file: Parameters<InMemoryFs['writeFileLazy']>): void {
    if (this.#leavesOutStubs && STUBS.test(file[0])) return;
    super.writeFileLazy(...file);
  }

  override mkdirSync(...directory: Parameters<InMemoryFs['mkdirSync']>): void {
    if (this.#leavesOutStubs && STUBS.test(directory[0])) return;
    super.mkdirSync(...directory);
  }

  /** Without this, `mkdir -p /usr/bin` would take every command away. */
  override async exists(path: string): Promise<boolean> {
    return path === '/usr/bin' ? false : super.exists(path);
  }
}
