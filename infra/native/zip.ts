/**
 * Reads the members of a zip file (a wheel is one) that are wanted, without unpacking the rest.
 * Format: PKWARE APPNOTE 4.3; no zip64, no encryption, which wheels below 4 GiB do not use.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, open, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Of the member's local header. */
  readonly offset: number;
  readonly mode: number;
}

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const END_SIZE = 22;
const LOCAL_HEADER_SIZE = 30;
const LONGEST_COMMENT = 0xffff;

export async function listZip(path: string): Promise<ZipEntry[]> {
  const file = await open(path);
  try {
    const end = await readEnd(file, path);
    const directory = await readAt(file, end.readUInt32LE(16), end.readUInt32LE(12));
    return parseDirectory(directory, end.readUInt16LE(10), path);
  } finally {
    await file.close();
  }
}

/** Writes one member below `root`, under its own name. */
export async function extractZipEntry(path: string, entry: ZipEntry, root: string): Promise<void> {
  const target = join(root, entry.name);
  await mkdir(dirname(target), { recursive: true });
  if (entry.compressedSize === 0) return writeFile(target, '');
  const start = await dataOffset(path, entry);
  const input = createReadStream(path, { start, end: start + entry.compressedSize - 1, highWaterMark: 2 ** 20 });
  const output = createWriteStream(target);
  if (entry.method === 0) await pipeline(input, output);
  else await pipeline(input, createInflateRaw({ chunkSize: 2 ** 20 }), output);
  if ((entry.mode & 0o111) !== 0) await chmod(target, 0o755);
}

async function readEnd(file: FileHandle, path: string): Promise<Buffer> {
  const { size } = await file.stat();
  const tail = await readAt(
    file,
    Math.max(0, size - END_SIZE - LONGEST_COMMENT),
    Math.min(size, END_SIZE + LONGEST_COMMENT),
  );
  for (let at = tail.length - END_SIZE; at >= 0; at--)
    if (tail.readUInt32LE(at) === END_OF_DIRECTORY) return tail.subarray(at);
  throw new Error(`${path} is not a zip file`);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function parseDirectory(directory: Buffer, count: number, path: string): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0, left = count; left > 0; left--) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== DIRECTORY_ENTRY)
      throw new Error(`${path} has a damaged directory`);
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
    const name = directory.toString('utf8', at + 46, nameEnd);
    if (name.startsWith('/') || name.split('/').includes('..')) throw new Error(`${path} names a file outside itself`);
    entries.push({
      name,
      method: directory.readUInt16LE(at + 10),
      compressedSize: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      mode: directory.readUInt32LE(at + 38) >>> 16,
      offset: directory.readUInt32LE(at + 42),
    });
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** The local header repeats the name and has an extra field of its own length. */
async function dataOffset(path: string, entry: ZipEntry): Promise<number> {
  const file = await open(path);
  try {
    const header = await readAt(file, entry.offset, LOCAL_HEADER_SIZE);
    return entry.offset + LOCAL_HEADER_SIZE + header.readUInt16LE(26) + header.readUInt16LE(28);
  } finally {
    await file.close();
  }
}
