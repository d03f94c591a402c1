import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlReport } from '../../viewer/html-report.ts';
import { element, html } from '../../viewer/html.ts';
import { runReport, type RunReport } from '../../viewer/run-report.ts';
import { anEmptyResult, aRunResult, extras, record, withAddedTasks } from './a-run-result.ts';

const REPORTS: readonly (readonly [string, RunReport])[] = [
  ['two generations', runReport(aRunResult(2), extras([record('rollout', 0, 3)]))],
  ['one generation', runReport(aRunResult(1), extras())],
  ['no generation', runReport(aRunResult(0), extras())],
  ['added tasks', runReport(withAddedTasks(), extras())],
  ['nothing measured', runReport(anEmptyResult(), extras())],
];

for (const [name, report] of REPORTS) {
  test(`the page is whole and self-contained: ${name}`, () => {
    const page = htmlReport(report);
    assert.match(page, /^<!doctype html>/);
    assert.doesNotMatch(page, /https?:|\bsrc=|@import|url\(|<script|<link|<iframe/i);
    // A number that could not be drawn would show as one of these.
    assert.doesNotMatch(page, /NaN|Infinity|undefined|\[object/);
    assertBalanced(page);
  });

  test(`movement is the first table, every chart has a name: ${name}`, () => {
    const page = htmlReport(report);
    assert.ok(page.indexOf('<table') > page.indexOf('id="movement"'));
    assert.ok(page.indexOf('<table') < page.indexOf('id="headline"'));
    for (const [chart] of page.matchAll(/<svg[^>]*>/g)) assert.match(chart, /role="img" aria-label="[^"]+"/);
  });
}

test('added tasks have a section where there are any, and a link to it', () => {
  const shown = REPORTS.filter(([, report]) => htmlReport(report).includes('id="added-tasks"')).map(([name]) => name);
  assert.deepEqual(shown, ['added tasks']);
  const page = htmlReport(runReport(withAddedTasks(), extras()));
  assert.match(page, /<a href="#added-tasks">Added tasks<\/a>/);
  assert.match(page, /joined with generation 2: before<\/td>\s*<td>1\/3</);
});

test('what comes from data is escaped', () => {
  const page = htmlReport(REPORTS[0]?.[1] as RunReport);
  assert.doesNotMatch(page, /<b>a run<\/b>|a <new> gate/);
  assert.match(page, /&lt;b&gt;a run&lt;\/b&gt;/);
  assert.match(page, /a &lt;new&gt; gate/);
  assert.equal(html`<p>${'<i>"\'&'}</p>`.text, '<p>&lt;i&gt;&quot;&#39;&amp;</p>');
  assert.equal(
    element('a', { title: '"><script>', href: null }, '<').text,
    '<a title="&quot;&gt;&lt;script&gt;">&lt;</a>',
  );
});

test('a policy that stood still and values that never vary are drawn', () => {
  const report = REPORTS[1]?.[1] as RunReport;
  const flat = { ...report, training: report.training.map((one) => ({ ...one, turns: 0, failedCommands: 0 })) };
  assert.doesNotMatch(htmlReport(flat), /NaN|Infinity/);
});

function assertBalanced(page: string): void {
  const open: string[] = [];
  for (const [, slash, name] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/gi)) {
    if (name === undefined || name === 'meta') continue;
    if (slash === '') open.push(name);
    else assert.equal(name, open.pop(), `closing ${name}`);
  }
  assert.deepEqual(open, []);
}
