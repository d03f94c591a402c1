/** Which of the supported platforms this is, and whether it has an NVIDIA GPU. Read by infra/native.ts. */
import { existsSync } from 'node:fs';
import { ProvisionFailure } from './failure.ts';

export type Platform = 'linux-x64' | 'linux-arm64' | 'darwin-arm64';

/** The wheels are built against glibc 2.27. */
const OLDEST_GLIBC: readonly [number, number] = [2, 27];

export interface Machine {
  readonly os: string;
  readonly arch: string;
  /** null where the C library is not glibc. */
  readonly glibc: string | null;
}

export function thisMachine(): Machine {
  return { os: process.platform, arch: process.arch, glibc: process.platform === 'linux' ? glibcVersion() : null };
}

export function platformOf(machine: Machine): Platform {
  const name = `${machine.os}-${machine.arch}`;
  if (name !== 'linux-x64' && name !== 'linux-arm64' && name !== 'darwin-arm64')
    throw new ProvisionFailure(
      `no libtensorflow build is known for ${name}`,
      machine.os === 'win32' ? 'use WSL 2, or go on with the wasm backend' : 'go on with the wasm backend',
    );
  if (machine.os === 'linux') requireGlibc(machine.glibc);
  return name;
}

export function hasNvidiaGpu(): boolean {
  return ['/proc/driver/nvidia/version', '/dev/nvidia0', '/usr/lib/wsl/lib/libcuda.so.1'].some((path) =>
    existsSync(path),
  );
}

function requireGlibc(version: string | null): void {
  const remedy = 'use a distribution with glibc 2.27 or newer (Debian 10, Ubuntu 18.04, ...), or the wasm backend';
  if (version === null)
    throw new ProvisionFailure('libtensorflow needs glibc; this system has another C library', remedy);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantMajor, wantMinor] = OLDEST_GLIBC;
  if (major < wantMajor || (major === wantMajor && minor < wantMinor))
    throw new ProvisionFailure(
      `libtensorflow needs glibc ${OLDEST_GLIBC.join('.')}; this system has ${version}`,
      remedy,
    );
}

function glibcVersion(): string | null {
  // Without this the report asks the name server about every open connection.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime ?? null;
}
