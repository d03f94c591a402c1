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

/** Reads a file whole; `where` names it in errors. Anything malformed is refused, nothing is guessed. */
export function decodeSafetensors(
  file: Uint8Array,
  where: string,
): { readonly tensors: Record<string, NamedArray>; readonly metadata: Record<string, string> } {
  const refuse = (what: string): never => {
    throw new Failure('model', `${where} is not a readable safetensors file: ${what}`, { subject: where });
  };
  if (file.length < 8) refuse(`only ${file.length} bytes`);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerBytes = Number(view.getBigUint64(0, true));
  if (headerBytes > MAX_HEADER_BYTES || 8 + headerBytes > file.length) {
    refuse(`its header claims ${headerBytes} bytes, the file has ${file.length}`);
  }
  const header = parseHeader(new TextDecoder().decode(file.subarray(8, 8 + headerBytes)), refuse);
  const dataBytes = file.length - 8 - headerBytes;
  const tensors: Record<string, NamedArray> = {};
  let metadata: Record<string, string> = {};
  let covered = 0;
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') {
      metadata = entry as Record<string, string>;
      continue;
    }
    const {
      dtype,
      shape,
      data_offsets: offsets,
    } = entry as { dtype?: string; shape?: number[]; data_offsets?: number[] };
    const [start, end] = offsets ?? [];
    if (shape === undefined || start === undefined || end === undefined)
      return refuse(`tensor ${name} has no shape or offsets`);
    if (dtype !== 'F32') refuse(`tensor ${name} is ${dtype}; this reader takes F32`);
    const size = shape.reduce((product, side) => product * side, 1);
    if (start < 0 || end > dataBytes || end - start !== size * 4) {
      refuse(`tensor ${name} of shape [${shape.join(', ')}] claims bytes ${start}..${end} of ${dataBytes}`);
    }
    const from = 8 + headerBytes + start;
    // Copied, as the data need not stand at a multiple of 4 within a larger buffer.
    tensors[name] = { shape, values: new Float32Array(Uint8Array.from(file.subarray(from, from + size * 4)).buffer) };
    covered += end - start;
  }
  if (covered !== dataBytes) refuse(`its tensors cover ${covered} of ${dataBytes} data bytes`);
  return { tensors, metadata };
}

function parseHeader(text: string, refuse: (what: string) => never): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(text);
    if (typeof header === 'object' && header !== null && !Array.isArray(header))
      return header as Record<string, unknown>;
  } catch {
    return refuse('its header is not JSON');
  }
  return refuse('its header is not a JSON object');
}
