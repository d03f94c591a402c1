/** What holds for every command: an example in its help, `--json` where it prints data, the schema as it is documented. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Command } from 'commander';
import { EXAMPLES } from '../../cli/examples.ts';
import { buildProgram } from '../../cli/program.ts';
import { upLine } from '../../cli/up-line.ts';
import { runCli } from './run-cli.ts';

function commandsOf(command: Command, within = ''): [string, Command][] {
  return command.commands.flatMap((inner): [string, Command][] => {
    const name = `${within}${inner.name()}`;
    return [[name, inner], ...commandsOf(inner, `${name} `)];
  });
}

const COMMANDS = commandsOf(buildProgram(() => undefined));

test('every command has an example that begins with its name, and there is no example without a command', () => {
  assert.deepEqual(COMMANDS.map(([name]) => name).sort(), Object.keys(EXAMPLES).sort());
  for (const [name, example] of Object.entries(EXAMPLES)) assert.ok(example.startsWith(`rsi ${name}`) , example); // prettier-ignore
});

test('every option of an example is one of its command', () => {
  for (const [name, command] of COMMANDS) {
    if (name === 'native') continue; // a program of its own
    const known = command.options.map(({ long }) => long);
    for (const option of (EXAMPLES[name] ?? '').match(/--[a-z-]+/g) ?? []) assert.ok(known.includes(option), `${name} ${option}`); // prettier-ignore
  }
});

test('every command that prints data prints JSON when asked', () => {
  for (const [name, command] of COMMANDS) {
    if (name === 'native' || name === 'lineage') continue;
    assert.ok(command.options.some(({ long }) => long === '--json'), name); // prettier-ignore
  }
});

test('the line of `up --json` holds no password', () => {
  const note = { how: 'started' as const, pid: 1, address: '127.0.0.1:7233', namespace: 'default', uiUrl: null };
  const line = upLine({ ...note, databaseUrl: 'postgresql://postgres:s3cret@127.0.0.1:5432/rsi', metrics: {} });
  assert.doesNotMatch(line, /s3cret/);
  assert.deepEqual(JSON.parse(line), { ...note, databaseUrl: 'postgresql://postgres@127.0.0.1:5432/rsi' });
});

test('launch --schema prints docs/config.schema.json and starts nothing; help shows the example', async () => {
  const file = readFileSync(new URL('../../docs/config.schema.json', import.meta.url), 'utf8');
  const [schema, help] = await Promise.all([runCli(['launch', '--schema']), runCli(['lineage', 'diff', '--help'])]);
  assert.deepEqual([schema.code, schema.stdout, schema.stderr], [0, file, '']);
  assert.match(help.stdout, /\nExample:\n {2}rsi lineage diff 8a7c01f2\n/);
});
