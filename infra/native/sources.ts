/**
 * The pinned places that libtensorflow may come from, best first. Read by infra/native.ts.
 * The wheels on PyPI hold the C library and its headers; they are newer than the last official archives and the same
 * for everybody, so they come first, and an archive serves a machine without Python. To move a pin: change version and
 * digests together, then run `npm run native -- --force`.
 */
import type { Platform } from './platform.ts';

export interface Wheel {
  readonly project: string;
  readonly version: string;
  readonly sha256: string;
}

interface SourceBase {
  /** Names the cache entry; unique among all sources. */
  readonly id: string;
  readonly version: string;
  readonly variant: 'cpu' | 'cuda';
  /** Files to link against, relative to the unpacked root: the library, then its framework. */
  readonly libraries: readonly [string, string];
  readonly include: string;
  /** The mangled absl::SetMinLogLevel of this very build; null leaves the library's start-up chatter on. */
  readonly logSymbol: string | null;
  /** Free space needed while building, in bytes. */
  readonly diskBytes: number;
}

export interface WheelSource extends SourceBase {
  readonly kind: 'wheels';
  readonly wheels: readonly Wheel[];
  readonly pythonTag: { readonly version: string; readonly abi: string };
  readonly platformTags: readonly string[];
}

export interface ArchiveSource extends SourceBase {
  readonly kind: 'archive';
  readonly url: string;
  readonly sha256: string;
}

export type LibrarySource = WheelSource | ArchiveSource;

const GIB = 2 ** 30;
const VERSION = '2.21.0';
const LOG_SYMBOL = '_ZN4absl12lts_2025081414SetMinLogLevelENS0_18LogSeverityAtLeastE';

const wheelLayout = {
  kind: 'wheels',
  version: VERSION,
  // Any one interpreter's wheel does: the C library in it is the same.
  pythonTag: { version: '3.11', abi: 'cp311' },
  include: 'tensorflow/include',
  logSymbol: LOG_SYMBOL,
} as const;

const linuxLibraries = ['tensorflow/libtensorflow_cc.so.2', 'tensorflow/libtensorflow_framework.so.2'] as const;

const linuxX64: WheelSource = {
  ...wheelLayout,
  id: `tensorflow-cpu-${VERSION}-linux-x64`,
  variant: 'cpu',
  libraries: linuxLibraries,
  platformTags: ['manylinux_2_27_x86_64'],
  diskBytes: 1.5 * GIB,
  wheels: [
    {
      project: 'tensorflow-cpu',
      version: VERSION,
      sha256: '2b847d217b02ee7731ed91431daf3250daa0196c3c94614d23be27232e6e5b6c',
    },
  ],
};

const linuxArm64: WheelSource = {
  ...wheelLayout,
  id: `tensorflow-${VERSION}-linux-arm64`,
  variant: 'cpu',
  libraries: linuxLibraries,
  platformTags: ['manylinux_2_27_aarch64'],
  diskBytes: 1.5 * GIB,
  wheels: [
    {
      project: 'tensorflow',
      version: VERSION,
      sha256: '4b24aca16d527a3cf1c37f720c04c484c3d20f4d0fdfa98632ac8b9f3be6eb5c',
    },
  ],
};

const darwinArm64: WheelSource = {
  ...wheelLayout,
  id: `tensorflow-${VERSION}-darwin-arm64`,
  variant: 'cpu',
  libraries: ['tensorflow/libtensorflow_cc.2.dylib', 'tensorflow/libtensorflow_framework.2.dylib'],
  platformTags: ['macosx_12_0_arm64'],
  diskBytes: 1.5 * GIB,
  wheels: [
    {
      project: 'tensorflow',
      version: VERSION,
      sha256: '51f46f4806139d01fc7920cc72a4c75876f80649bf40ff083ab6212ceb43ca88',
    },
  ],
};

/** `tensorflow[and-cuda]` as pip resolves it: the library finds nvidia/ beside its own folder by its run path. */
const cudaX64: WheelSource = {
  ...wheelLayout,
  id: `tensorflow-${VERSION}-cuda12-linux-x64`,
  variant: 'cuda',
  libraries: linuxLibraries,
  platformTags: ['manylinux_2_27_x86_64', 'manylinux2014_x86_64', 'manylinux2010_x86_64'],
  diskBytes: 10 * GIB,
  wheels: (
    [
      ['tensorflow', VERSION, '9056fbc9ba04235810b71ae6cbd958a196e8804fb53bbcffbf3e23b56155f124'],
      ['nvidia-cublas-cu12', '12.9.3.13', 'd7d51055f161b317c7105ddaae90e71eda059026074ffef93cf7cde2886bfe72'],
      ['nvidia-cuda-cupti-cu12', '12.8.90', 'ea0cb07ebda26bb9b29ba82cda34849e73c166c18162d3913575b0c9db9a6182'],
      ['nvidia-cuda-nvcc-cu12', '12.9.86', '5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0'],
      ['nvidia-cuda-nvrtc-cu12', '12.9.86', '210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4'],
      ['nvidia-cuda-runtime-cu12', '12.9.79', '25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3'],
      ['nvidia-cudnn-cu12', '9.28.0.42', '9ff58b7f36dacd0a93e89f8f2957b52466889217963701daa15e577317cfa375'],
      ['nvidia-cufft-cu12', '11.4.1.4', 'c67884f2a7d276b4b80eb56a79322a95df592ae5e765cf1243693365ccab4e28'],
      ['nvidia-curand-cu12', '10.3.10.19', '49b274db4780d421bd2ccd362e1415c13887c53c214f0d4b761752b8f9f6aa1e'],
      ['nvidia-cusolver-cu12', '11.7.5.82', '15da72d1340d29b5b3cf3fd100e3cd53421dde36002eda6ed93811af63c40d88'],
      ['nvidia-cusparse-cu12', '12.5.10.65', '73060ce019ac064a057267c585bf1fd5a353734151f87472ff02b2c5c9984e78'],
      ['nvidia-nccl-cu12', '2.32.3', 'bb94b2348e4861d5e8aa00b36c3d12d9bdf9c6369b82cbb723de0b582280a21c'],
      ['nvidia-nvjitlink-cu12', '12.9.86', 'e3f1171dbdc83c5932a45f0f4c99180a70de9bd2718c1ab77d14104f6d7147f9'],
    ] as const
  ).map(([project, version, sha256]) => ({ project, version, sha256 })),
};

const archiveLayout = { kind: 'archive', variant: 'cpu', include: 'include', logSymbol: null } as const;

const linuxX64Archive: ArchiveSource = {
  ...archiveLayout,
  id: 'libtensorflow-2.15.0-linux-x64',
  version: '2.15.0',
  libraries: ['lib/libtensorflow.so.2', 'lib/libtensorflow_framework.so.2'],
  url: 'https://storage.googleapis.com/tensorflow/libtensorflow/libtensorflow-cpu-linux-x86_64-2.15.0.tar.gz',
  sha256: 'f0fd1eb5db9e4e0603f10aec289574d1decb54f73b675f0ce476fea1f05838c8',
  diskBytes: 1.5 * GIB,
};

const darwinArm64Archive: ArchiveSource = {
  ...archiveLayout,
  id: 'libtensorflow-2.18.0-darwin-arm64',
  version: '2.18.0',
  libraries: ['lib/libtensorflow.2.dylib', 'lib/libtensorflow_framework.2.dylib'],
  url: 'https://storage.googleapis.com/tensorflow/versions/2.18.0/libtensorflow-cpu-darwin-arm64.tar.gz',
  sha256: '462257d2792730dcb131fcf21bc826192ae5a2c418535f6347d051f10fc8be8a',
  diskBytes: 1.5 * GIB,
};

/** Sources for a platform, best first; empty when none exists. */
export function sourcesFor(platform: Platform, cuda: boolean): readonly LibrarySource[] {
  if (platform === 'linux-x64') return cuda ? [cudaX64] : [linuxX64, linuxX64Archive];
  if (cuda) return [];
  return platform === 'linux-arm64' ? [linuxArm64] : [darwinArm64, darwinArm64Archive];
}
