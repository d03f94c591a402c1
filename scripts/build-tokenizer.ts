/**
 * Writes model/builtin/tokenizer.json (Hugging Face format) from the built-in vocabulary; run it when a piece was
 * appended: `node --import tsx scripts/build-tokenizer.ts`. Ids: special tokens, the 256 bytes, then the pieces in
 * their stable order, so that appending a piece moves no id. A piece of one byte is its byte's token already.
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { BUILTIN_TOKENIZER, SPECIAL_TOKENS } from '../model/tokenizer.ts';
import { VOCABULARY } from '../tasks/builtin/vocabulary.ts';

/** The printable stand-ins that byte-level BPE gives the 256 bytes: itself if visible Latin-1, else from U+0100 on. */
export function byteSymbols(): string[] {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const visible = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCharCode(visible ? byte : next++);
  });
}

export function builtinTokenizer(vocabulary: readonly string[]): unknown {
  const specials = Object.values(SPECIAL_TOKENS);
  const symbols = byteSymbols();
  const pieces = vocabulary.filter((piece) => Buffer.byteLength(piece) > 1);
  const firstPiece = specials.length + symbols.length;
  const added = (content: string, id: number, special: boolean): unknown => ({
    ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special },
  });
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      ...specials.map((content, id) => added(content, id, true)),
      ...pieces.map((content, index) => added(content, firstPiece + index, false)),
    ],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      ...{ type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null },
      ...{ fuse_unk: false, byte_fallback: false, ignore_merges: false },
      vocab: Object.fromEntries([...specials, ...symbols].map((symbol, id) => [symbol, id])),
      merges: [],
    },
  };
}

/** The file's text; a test compares it with the file. */
export function builtinTokenizerText(): string {
  return `${JSON.stringify(builtinTokenizer(VOCABULARY), null, 1)}\n`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(BUILTIN_TOKENIZER, builtinTokenizerText());
}
