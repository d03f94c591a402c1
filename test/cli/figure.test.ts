/** `rsi report RUN... --figure FILE`, from reports as `--json` writes them. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runReport } from '../../viewer/run-report.ts';
import { aRunResult, extras } from '../viewer/a-run-result.ts';
import { runCli, scratch } from './run-cli.ts';

const report = runReport(aRunResult(2), extras());
const put = (name: string, content: unknown): void => writeFileSync(join(scratch, name), JSON.stringify(content));
put('a.json', report);
put('b.json', { ...report, run: { ...report.run, seed: 8 } });
put('other.json', { schema: 'another/1' });

test('two seeds in one figure', async () => {
  const { code, stdout, stderr } = await runCli(['report', 'a.json', 'b.json', '--figure', 'curve.svg']);
  assert.deepEqual([code, stdout, stderr], [0, 'Figure: curve.svg\n', '']);
  const figure = readFileSync(join(scratch, 'curve.svg'), 'utf8');
  assert.match(figure, /^<svg xmlns=/);
  assert.match(figure, />seed 7<.*>seed 8</s);
});

for (const [args, expected] of [
  [['a.json', 'b.json'], 'rsi: of several runs there is only a --figure\n'],
  [['a.json', '--figure', 'c.svg', '--out', 'c.html'], 'rsi: --figure stands without --out and --json\n'],
  [['a.json', '--figure', 'no/c.svg'], 'rsi: --figure no/c.svg cannot be written (its folder does not exist)\n'],
  [['other.json', '--figure', 'c.svg'], /^rsi: other\.json is no report of a run that this version reads .*\n$/],
  [['gone.json', '--figure', 'c.svg'], /^rsi: gone\.json cannot be read as a report: ENOENT.*\n$/],
] as const) {
  test(`refused in one line: report ${args.join(' ')}`, async () => {
    const { code, stderr } = await runCli(['report', ...args]);
    if (typeof expected === 'string') assert.equal(stderr, expected);
    else assert.match(stderr, expected);
    assert.equal(code, 2);
  });
}
