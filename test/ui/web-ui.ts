/** What a person does in Temporal's Web UI (2.42): fills in the start form, looks at a run, sends it an update. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

export interface StartForm {
  readonly workflowId?: string;
  readonly taskQueue?: string;
  readonly workflowType?: string;
  /** Left out: nothing is typed. */
  readonly input?: string;
}

/** Fills in what is given, presses Start, and goes to the page of the run. Returns its id of the execution. */
export async function submitStartForm(page: Page, form: StartForm): Promise<string> {
  const fields = { 'Workflow ID': form.workflowId, 'Task Queue': form.taskQueue, 'Workflow Type': form.workflowType };
  for (const [label, text] of Object.entries(fields)) {
    if (text !== undefined) await page.getByLabel(label, { exact: true }).fill(text);
  }
  await page.getByText('Task Queue is Active').waitFor();
  if (form.input !== undefined) {
    await typeJson(page, page.locator('main .cm-content').first(), form.input);
    // The editor lays its text out anew when it is left, and moves the button away from under the pointer.
    await page.getByRole('heading', { name: 'Start a Workflow' }).click();
  }
  await page.getByRole('button', { name: 'Start Workflow' }).click();
  await page.getByRole('link', { name: 'Workflow started successfully' }).click();
  await page.getByRole('tab', { name: /^History/ }).waitFor();
  const runId = /\/workflows\/[^/]+\/([0-9a-f-]{36})\//.exec(page.url())?.[1];
  assert.ok(runId, `no run in ${page.url()}`);
  return runId;
}

/** As pasted: typed, the editor would add the closing quotes and brackets. */
async function typeJson(page: Page, editor: Locator, text: string): Promise<void> {
  await editor.click();
  await page.keyboard.insertText(text);
}

export async function openRun(page: Page, uiUrl: string, workflowId: string): Promise<void> {
  await page.goto(`${uiUrl}/namespaces/default/workflows/${workflowId}`);
  await page.getByRole('tab', { name: /^History/ }).waitFor();
}

export async function untilStatus(page: Page, status: string, seconds: number): Promise<void> {
  const seen = page.locator('main').getByText(status, { exact: true }).first();
  await seen.waitFor({ timeout: seconds * 1000 });
}

/** The panels of the history's page, as text: what went in and what came out. */
export async function inputAndResult(page: Page): Promise<{ input: string; result: string }> {
  const panel = (title: string): Locator =>
    page.getByRole('heading', { name: title, exact: true }).locator('xpath=..').locator('.cm-content').first();
  return { input: await panel('Input').innerText(), result: await panel('Result').innerText() };
}

/** The panel Current Details, looked at again and again until it holds what is looked for. */
export async function untilDetails(page: Page, wanted: RegExp, seconds: number): Promise<Locator> {
  await page.getByRole('tab', { name: 'User Metadata' }).click();
  const body = page.frameLocator('iframe').locator('main');
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const text = await body.innerText({ timeout: 5_000 }).catch(() => '(nothing yet)');
    if (wanted.test(text)) return body;
    if (performance.now() > end) throw new Error(`Current Details: ${wanted} not within ${seconds} s, but: ${text}`);
    await page.reload();
    await page.getByRole('heading', { name: 'Current Details' }).waitFor();
  }
}

export async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More Actions' }).click();
  await page.getByRole('menuitem', { name }).click();
}

/** Picks the update from the list, which shows its description, and waits until it is said to be done. */
export async function sendUpdate(page: Page, name: string, description: RegExp, input: string): Promise<void> {
  await chooseAction(page, 'Send an Update');
  const dialog = page.getByRole('dialog', { name: 'Send an Update' });
  await dialog.getByRole('button', { name: 'Select an Update' }).click();
  const option = page.getByRole('option', { name: new RegExp(`^${name}`) });
  assert.match((await option.innerText()).replaceAll('\n', ' '), description);
  await option.click();
  await typeJson(page, dialog.locator('.cm-content').first(), input);
  await dialog.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('Update successful').waitFor();
}
