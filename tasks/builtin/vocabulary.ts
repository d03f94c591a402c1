/**
 * Every piece of text of the built-in tasks, each one token of the built-in model. Instructions, commands and the
 * terminal's common answers are plain concatenations of pieces: words are bare, blanks live in the pieces around them.
 * So token ids give the exact text, and reading a text leftmost-longest gives its one tokenisation (test/tasks).
 * The order of VOCABULARY is part of every checkpoint: append, never insert. Marks of the prompt (task, previous
 * attempt, verdict) and all other text are the tokenizer's business.
 */

/** Names of files, and what `write` and `place` write into them. */
export const FILE_WORDS = [
  ...['amber', 'anchor', 'apple', 'basil', 'beacon', 'birch', 'candle', 'canyon', 'cedar', 'clover', 'cobalt', 'comet'],
  ...[
    'coral',
    'delta',
    'ember',
    'falcon',
    'fern',
    'garnet',
    'harbor',
    'hazel',
    'indigo',
    'island',
    'jasper',
    'juniper',
  ],
  ...[
    'kelp',
    'lagoon',
    'lemon',
    'maple',
    'meadow',
    'nectar',
    'orchid',
    'pebble',
    'quartz',
    'saffron',
    'tulip',
    'willow',
  ],
] as const;

/** Keys of configuration files. */
export const KEYS = ['host', 'port', 'user', 'level', 'depth', 'width', 'retry', 'zone'] as const;

export const DIRECTORIES = ['attic', 'vault', 'depot', 'shelf', 'cellar', 'studio'] as const;

/** Values of keys. Two digits; none begins a mode. */
export const NUMBERS = [
  ...['11', '12', '13', '14', '15', '16', '17', '18', '19', '21', '22', '23', '24', '25', '26', '27', '28', '29', '31'],
  ...['32', '33', '34', '35', '36', '37', '38', '39', '41', '42', '43', '44', '45', '46', '47', '48', '49', '51', '52'],
  ...['53', '54'],
] as const;

export const MODES = ['600', '640', '644', '700', '750', '755'] as const;

/** Lines of files whose text nobody asks for (counted, renamed, removed or in the way). */
export const CONTENT_WORDS = ['draft', 'final', 'open', 'closed', 'ready', 'queued', 'paid', 'sent'] as const;

/** Line counts, and positions in the shell's messages. */
export const DIGITS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;

/** Shared by instructions, commands and answers. */
export const COMMON_PIECES = ['\n', ' ', '/', '=', '.tmp', 'done'] as const;

export const INSTRUCTION_PIECES = [
  ...['; ', 'write ', ' to ', 'set ', ' in ', 'fetch ', ' as ', 'rename ', 'mode ', ' for ', 'count ', ' into '],
  ...['remove all .tmp'],
] as const;

export const COMMAND_PIECES = [
  ...['echo ', ' > ', 'mkdir ', 'sed -i s/^', '=.*/', '/ ', 'cat ', 'mv ', 'chmod ', 'wc -l < ', 'rm *.tmp', 'ls'],
] as const;

/** What the embedded shell answers when a command of these pieces goes wrong, as it words it. */
export const MESSAGE_PIECES = [
  ...[
    'bash: ',
    'cat: ',
    'ls: ',
    'sed: ',
    "mv: cannot stat '",
    "rm: cannot remove '",
    "mkdir: cannot create directory '",
  ],
  ...["chmod: cannot access '", "chmod: invalid mode: '", "mv: target '", "mv: cannot move '", "' into itself, '"],
  ...["'", '*.tmp', ': No such file or directory', ': Is a directory', ': File exists', ': command not found'],
  ...[': Permission denied', "' is not a directory", 'mv: missing destination file operand', 'chmod: missing operand'],
  ...['mkdir: missing operand', 'sed: no script specified', 'sed: -i requires at least one file argument'],
  ...['sed: invalid command: unterminated substitution pattern', 'bash: syntax error: Parse error at ', ':'],
  ...[': Expected redirection target', ': syntax error near unexpected token `', '/home/agent/work'],
] as const;

/** All pieces, each once. A piece's position here is stable and may serve as its token id (after special tokens). */
export const VOCABULARY: readonly string[] = [
  ...COMMON_PIECES,
  ...INSTRUCTION_PIECES,
  ...COMMAND_PIECES,
  ...MESSAGE_PIECES,
  ...DIGITS,
  ...MODES,
  ...NUMBERS,
  ...KEYS,
  ...DIRECTORIES,
  ...CONTENT_WORDS,
  ...FILE_WORDS,
];
