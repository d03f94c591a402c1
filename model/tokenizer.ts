/**
 * Text to token ids and back, exactly, for any text: the built-in vocabulary's pieces are one token each (leftmost,
 * longest first), everything else is bytes. Reads a Hugging Face tokenizer.json; the default is written by
 * scripts/build-tokenizer.ts.
 * Text never becomes a special token: those are structure that only agent/transcript.ts places, by id, so a file that
 * holds `<|turn|>` reaches the policy as bytes and cannot pose as the end of an observation.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers';
import * as v from 'valibot';
import { digestOf, type Digest } from '../contracts/digest.ts';
import { Failure } from '../contracts/failures.ts';

/** Their texts in tokenizer.json, in the order of their ids. */
export const SPECIAL_TOKENS = {
  pad: '<|pad|>',
  task: '<|task|>',
  turn: '<|turn|>',
  endOfTurn: '<|end|>',
  parent: '<|parent|>',
  verdict: '<|verdict|>',
} as const;

export const BUILTIN_TOKENIZER = fileURLToPath(new URL('./builtin/tokenizer.json', import.meta.url));

export interface Tokenizer {
  /** One more than the largest id. */
  readonly vocabSize: number;
  readonly special: Readonly<Record<keyof typeof SPECIAL_TOKENS, number>>;
  /** Content name of the file: part of what a checkpoint depends on. */
  readonly digest: Digest;
  /** No special token ever; the array is shared between calls. */
  encode(text: string): readonly number[];
  /** Bytes that are not UTF-8 become U+FFFD; a special token shows as its text. */
  decode(ids: readonly number[]): string;
}

/** The library's class as it is used here: its own type declarations do not resolve outside of its repository. */
interface HubEncoder {
  encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: number[] };
  decode(ids: number[]): string;
}
const Encoder = HubTokenizer as unknown as new (file: object, config: object) => HubEncoder;

/** Distinct texts remembered; commands and the terminal's answers repeat, instructions do not. */
const REMEMBERED_TEXTS = 20_000;
/** Longer texts are rarely met twice. */
const REMEMBERED_LENGTH = 256;

const FileShape = v.looseObject({
  added_tokens: v.array(v.looseObject({ id: v.number(), content: v.string(), special: v.boolean() })),
  model: v.looseObject({ vocab: v.record(v.string(), v.number()) }),
});

export function openTokenizer(path: string = BUILTIN_TOKENIZER): Tokenizer {
  const file = readTokenizerFile(path);
  const special = specialIds(file, path);
  // The library splits text at every added token it knows, so it is not told of the special ones; their entries in
  // the model's vocabulary remain, for decoding.
  const textTokens = file.added_tokens.filter((token) => !token.special);
  const tokenizer = new Encoder({ ...file, added_tokens: textTokens }, { clean_up_tokenization_spaces: false });
  const remembered = new Map<string, readonly number[]>();
  return {
    vocabSize: 1 + largest([...Object.values(file.model.vocab), ...file.added_tokens.map(({ id }) => id)]),
    special,
    digest: digestOf(file),
    encode(text) {
      if (text.length > REMEMBERED_LENGTH) return encodeWhole(tokenizer, text);
      let ids = remembered.get(text);
      if (ids !== undefined) return ids;
      ids = encodeWhole(tokenizer, text);
      if (remembered.size >= REMEMBERED_TEXTS) remembered.clear();
      remembered.set(text, ids);
      return ids;
    },
    decode: (ids) => (ids.length === 0 ? '' : tokenizer.decode([...ids])),
  };
}

function encodeWhole(tokenizer: HubEncoder, text: string): readonly number[] {
  return text === '' ? [] : Object.freeze(tokenizer.encode(text, { add_special_tokens: false }).ids);
}

function readTokenizerFile(path: string): v.InferOutput<typeof FileShape> {
  try {
    return v.parse(FileShape, JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new Failure('model', `${path} is not a tokenizer.json: name another file`, { subject: path, cause });
  }
}

function specialIds(file: v.InferOutput<typeof FileShape>, path: string): Tokenizer['special'] {
  const idOf = (content: string): number => {
    const token = file.added_tokens.find((added) => added.special && added.content === content);
    if (token !== undefined) return token.id;
    throw new Failure('model', `${path} lacks the special token ${content}: add it`, { subject: path });
  };
  const { pad, task, turn, endOfTurn, parent, verdict } = SPECIAL_TOKENS;
  return Object.freeze({
    ...{ pad: idOf(pad), task: idOf(task), turn: idOf(turn) },
    ...{ endOfTurn: idOf(endOfTurn), parent: idOf(parent), verdict: idOf(verdict) },
  });
}

const largest = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), -1);
