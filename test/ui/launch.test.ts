/**
 * A person and the Web UI: runs are started with its form as the README says, shown, stopped, and started once more from
 * a finished one. A real server, a real browser; both are looked at, the pages and what the server says.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startLink } from '../../cli/start-link.ts';
import type { RunHandle } from '../../workers/launch-run.ts';
import { commonErrors } from '../workflows/common-errors.ts';
import { durableConfig, openDurable, untilProgress, type Durable } from '../workflows/durable.ts';
import { openBrowser, type OpenedBrowser } from './browser.ts';
import {
  chooseAction,
  inputAndResult,
  openRun,
  sendUpdate,
  submitStartForm,
  untilDetails,
  untilStatus,
} from './web-ui.ts';

/** Seconds until work that is told to end has reached the end of its piece. */
const STOP_SECONDS = 60;
const RUN_SECONDS = 120;
const TEST_MS = (RUN_SECONDS + STOP_SECONDS) * 1000;
/** The first stages of the preset demo. */
const FIRST = ['validate-tasks', 'warm-start'];
const BEGUN = new RegExp(`^running · generation 0 of \\d+, (${FIRST.join('|')}) · preset demo, seed 0, run \\d+$`);

let browser: OpenedBrowser | null = null;
let durable: Durable | null = null;
before(async () => {
  browser = await openBrowser();
  if (browser !== null) durable = await openDurable();
});
after(async () => {
  await durable?.close();
  await browser?.close();
});

interface On {
  readonly page: Page;
  readonly uiUrl: string;
  readonly durable: Durable;
}

/** Runs where there are a browser and a server of our own; says so where one is missing. */
function uiTest(name: string, work: (on: On) => Promise<void>): void {
  test(name, { timeout: TEST_MS }, async (t) => {
    if (browser === null) return t.skip('NO CHROMIUM');
    if (durable === null) return t.skip('NO TEMPORAL SERVER CAN BE HAD HERE');
    const { uiUrl } = durable;
    if (uiUrl === null) return t.skip('NO WEB UI OF OUR OWN (TEMPORAL_ADDRESS is set)');
    const on = durable;
    try {
      await browser.onPage((page) => work({ page, uiUrl, durable: on }));
    } finally {
      await endRuns(on);
    }
  });
}

/** What a failed test leaves at work would keep the next one waiting. */
async function endRuns({ client }: Durable): Promise<void> {
  const open = client.workflow.list({ query: "ExecutionStatus = 'Running' and WorkflowType = 'trainRun'" });
  for await (const { workflowId } of open) {
    const handle = client.workflow.getHandle(workflowId);
    await handle.terminate('its test has ended').catch(() => undefined);
  }
}

const handleOf = (on: Durable, workflowId: string): RunHandle => on.client.workflow.getHandle(workflowId);
const formOf = (uiUrl: string): string => `${uiUrl}/namespaces/default/workflows/start-workflow`;

/** From its page: the update is picked from the list, the run ends cleanly. */
async function stopFromPage({ page, durable: on }: On, workflowId: string): Promise<void> {
  await sendUpdate(page, 'stop', /End the run now, cleanly/, '{"reason":"seen enough"}');
  await untilStatus(page, 'Completed', STOP_SECONDS);
  const { end, audit } = await handleOf(on, workflowId).result();
  assert.deepEqual(end, { reason: 'stopped: seen enough', measured: null, limit: null });
  assert.deepEqual(audit, { ok: true, firstBad: null });
}

uiTest(
  'the form filled in by hand with {} starts the preset demo, which the update `stop` ends cleanly',
  async (on) => {
    const { page, uiUrl } = on;
    await page.goto(formOf(uiUrl));
    const form = { workflowId: 'by-hand', taskQueue: 'control', workflowType: 'trainRun', input: '{}' };
    await submitStartForm(page, form);
    await untilStatus(page, 'Running', 5);
    await untilDetails(page, BEGUN, 60);
    const progress = await untilProgress(handleOf(on.durable, 'by-hand'), ({ stage }) => FIRST.includes(stage));
    assert.deepEqual([progress.status, progress.preset, progress.seed], ['running', 'demo', 0]);
    await stopFromPage(on, 'by-hand');

    await openRun(page, uiUrl, 'by-hand');
    const { input, result } = await inputAndResult(page);
    assert.equal(input.replaceAll(/\s/g, ''), '{}');
    const shown = JSON.parse(result) as { end: { reason: string }; audit: { ok: boolean } };
    assert.deepEqual([shown.end.reason, shown.audit.ok], ['stopped: seen enough', true]);
  },
);

uiTest('the printed link of the preset smoke starts it, and its page shows Completed and the table', async (on) => {
  const { page, uiUrl } = on;
  await page.goto(startLink(uiUrl, 'default', 'run-smoke'));
  await submitStartForm(page, { input: JSON.stringify(durableConfig()) });
  await untilStatus(page, 'Running', 5);
  const result = await handleOf(on.durable, 'run-smoke').result();
  assert.deepEqual(result.end, { reason: 'generations', measured: 1, limit: 1 });
  assert.deepEqual(result.audit, { ok: true, firstBad: null });

  await openRun(page, uiUrl, 'run-smoke');
  await untilStatus(page, 'Completed', 5);
  assert.equal((JSON.parse((await inputAndResult(page)).result) as typeof result).contentHead, result.contentHead);
  const details = await untilDetails(page, /^finished · generation 1 of 1, end · preset smoke, seed 0/, 10);
  assert.match(await details.innerText(), new RegExp(`Content head ${result.contentHead.slice(0, 16)}`));
  const titles = ['generation', 'strict', 'partial', 'held out', 'rewrites', 'KL to start', ''];
  assert.deepEqual(await details.locator('th').allInnerTexts(), titles);
  const rows = details.locator('tbody tr');
  assert.equal(await rows.count(), 2);
  const { rows: known } = await handleOf(on.durable, 'run-smoke').query<{
    rows: { accepted: number; candidates: number; promoted: boolean | null }[];
  }>('progress');
  const cells = await rows.last().locator('td').allInnerTexts();
  // Fractions are set as such, with a sign and spaces of their own.
  const last = cells.map((cell) => cell.replaceAll('⁄', '/').replaceAll(/\s/g, ''));
  assert.deepEqual([last[0], last[4]], ['1', `${known[1]?.accepted}/${known[1]?.candidates}`]);
  assert.equal(last[6], known[1]?.promoted ? 'promoted' : 'rolledback');
});

uiTest("the Web UI's rules find no common error in a run started from its form", async (on) => {
  let executions = 0;
  for await (const seen of on.durable.client.workflow.list({ query: `WorkflowId STARTS_WITH 'run-smoke'` })) {
    const history = await on.durable.client.workflow.getHandle(seen.workflowId, seen.runId).fetchHistory();
    // A generation of this size is over in seconds, and its chapter of the run with it.
    const errors = commonErrors(seen, history).filter((error) => !/^[79] /.test(error));
    assert.deepEqual(errors, [], seen.workflowId);
    executions += 1;
  }
  assert.ok(executions >= 5, `only ${executions} executions`);
});

uiTest('Start Workflow Like This One repeats a finished run from the start', async (on) => {
  const { page, uiUrl } = on;
  await openRun(page, uiUrl, 'run-smoke');
  await chooseAction(page, 'Start Workflow Like This One');
  // What it copies is the input of the last execution, whose state belongs to the run it was copied from.
  await page.locator('main .cm-content').first().getByText('preset').waitFor();
  await submitStartForm(page, { workflowId: 'like-smoke' });
  const details = /^running · generation \d of 1, [a-z0-9-]+ · preset smoke, seed 0, run \d+/;
  await untilDetails(page, details, 30);
  const { stage, rows, runId } = await untilProgress(
    handleOf(on.durable, 'like-smoke'),
    ({ runId: claimed }) => claimed !== null,
  );
  const former = await handleOf(on.durable, 'run-smoke').result();
  assert.notEqual(runId, former.runId);
  assert.ok(['claim', ...FIRST].includes(stage), `it began with ${stage}`);
  assert.deepEqual(rows, []);
  await stopFromPage(on, 'like-smoke');
});

uiTest('a wrong key: the page shows one line that names it and the nearest right name', async ({ page, uiUrl }) => {
  await page.goto(formOf(uiUrl));
  const form = { workflowId: 'wrong-key', taskQueue: 'control', workflowType: 'trainRun' };
  await submitStartForm(page, { ...form, input: '{"generatoins":3}' });
  await untilStatus(page, 'Failed', 15);
  const line = /configuration key 'generatoins' \(given 3\) is unknown; did you mean 'generations'\?/;
  await page.getByRole('cell', { name: line }).first().waitFor();
  const { result } = await inputAndResult(page);
  const { failure } = JSON.parse(result) as { failure: { message: string } };
  assert.match(failure.message, line);
  assert.doesNotMatch(failure.message, /\n/);
});

uiTest('with nothing typed as input the preset demo starts too', async (on) => {
  const { page, uiUrl, durable: server } = on;
  await page.goto(startLink(uiUrl, 'default', 'run-demo'));
  await submitStartForm(page, {});
  await untilDetails(page, BEGUN, 60);
  const { events } = await handleOf(server, 'run-demo').fetchHistory();
  assert.deepEqual(events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [], []);
  await stopFromPage(on, 'run-demo');
});
