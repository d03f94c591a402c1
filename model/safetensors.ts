/**
 * The safetensors container: 8-byte little-endian header length, JSON header, raw little-endian float32 data. Tensors
 * are written in name order with a canonical header, so equal weights give equal bytes and equal digests.
 */
import { Failure } from '../contracts/failures.ts';

export interface NamedArray {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const MAX_HEADER_BYTES = 100_000_000;

export function encodeSafetensors(
  tensors: Readonly<Record<string, NamedArray>>,
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  const names = Object.keys(tensors).sort();
  const header: Record<string, unknown> = {};
  if (Object.keys(metadata).length > 0) {
    header['__metadata__'] = Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  let offset = 0;
  for (const name of names) {
    const { shape, values } = tensors[name] as NamedArray;
    header[name] = { dtype: 'F32', shape: [...shape], data_offsets: [offset, offset + values.byteLength] };
    offset += values.byteLength;
  }
  const json = JSON.stringify(header);
  const text = new TextEncoder().encode(json);
  // The data starts at a multiple of 8, as the format asks; blanks pad the header.
  const headerBytes = Math.ceil(text.length / 8) * 8;
  const file = new Uint8Array(8 + headerBytes + offset).fill(0x20, 8, 8 + headerBytes);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerBytes), true);
  file.set(text, 8);
  let at = 8 + headerBytes;
  for (const name of names) {
    const { values } = tensors[name] as NamedArray;
    file.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += values.byteLength;
  }
  return file;
}

export interface SafetensorsContents {
  readonly tensors: Readonly<Record<string, NamedArray>>;
  readonly metadata: Readonly<Record<string, string>>;
}

type Refuse = (what: string) => never;

/** Reads a file whole; `where` names it in errors. Anything malformed is refused, nothing is guessed. */
export function decodeSafetensors(file: Uint8Array, where: string): SafetensorsContents {
  const refuse: Refuse = (what) => {
    throw new Failure('model', `${where} is not a readable safetensors file: ${what}`, { subject: where });
  };
  if (file.length < 8) refuse(`only ${file.length} bytes`);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerBytes = Number(view.getBigUint64(0, true));
  if (headerBytes > MAX_HEADER_BYTES || 8 + headerBytes > file.length) {
    refuse(`its header claims ${headerBytes} bytes, the file has ${file.length}`);
  }
  const header = parseHeader(file.subarray(8, 8 + headerBytes), refuse);
  const data = file.subarray(8 + headerBytes);
  const entries = Object.entries(header).filter(([name]) => name !== '__metadata__');
  const ranges = entries.map(([name, entry]) => readEntry(name, entry, data.length, refuse));
  // In the order of their bytes, tensors must follow one another without gap or overlap to the end of the file.
  let covered = 0;
  for (const { name, start, end } of ranges.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start !== covered) refuse(`tensor ${name} begins at byte ${start}, where ${covered} is next`);
    covered = end;
  }
  if (covered !== data.length) refuse(`its tensors cover ${covered} of ${data.length} data bytes`);
  const tensors = ranges.map(({ name, shape, start, end }): [string, NamedArray] => [
    name,
    // Copied, as the data need not stand at a multiple of 4 within a larger buffer.
    { shape, values: new Float32Array(Uint8Array.from(data.subarray(start, end)).buffer) },
  ]);
  return { tensors: Object.fromEntries(tensors), metadata: readMetadata(header['__metadata__'], refuse) };
}

interface TensorRange {
  readonly name: string;
  readonly shape: readonly number[];
  /** Bytes of the data part. */
  readonly start: number;
  readonly end: number;
}

function readEntry(name: string, entry: unknown, dataBytes: number, refuse: Refuse): TensorRange {
  if (!isObject(entry)) return refuse(`tensor ${name} is no object`);
  const { dtype, shape, data_offsets: offsets } = entry;
  if (dtype !== 'F32') refuse(`tensor ${name} is ${JSON.stringify(dtype)}; this reader takes F32`);
  if (!isCounts(shape)) return refuse(`tensor ${name} has no shape of whole numbers`);
  if (!isCounts(offsets) || offsets.length !== 2) return refuse(`tensor ${name} has no two data offsets`);
  const [start, end] = offsets as [number, number];
  const bytes = shape.reduce((product, side) => product * side, 4);
  if (end > dataBytes || end - start !== bytes) {
    refuse(`tensor ${name} of shape [${shape.join(', ')}] claims bytes ${start}..${end} of ${dataBytes}`);
  }
  return { name, shape, start, end };
}

function readMetadata(entry: unknown, refuse: Refuse): Record<string, string> {
  if (entry === undefined) return {};
  const isTexts = isObject(entry) && Object.values(entry).every((value) => typeof value === 'string');
  return isTexts ? (entry as Record<string, string>) : refuse('its __metadata__ is no object of texts');
}

function parseHeader(bytes: Uint8Array, refuse: Refuse): Record<string, unknown> {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refuse('its header is not JSON');
  }
  return isObject(header) ? header : refuse('its header is not a JSON object');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((side) => Number.isSafeInteger(side) && side >= 0);
}
