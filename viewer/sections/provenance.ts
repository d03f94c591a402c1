/** What the run was made with and where to find it again: configuration, digests of checkpoints, the machine. */
import { grouped } from '../format.ts';
import { html, type Content } from '../html.ts';
import { flatten } from '../report/changed-keys.ts';
import type { RunIdentity, RunReport } from '../run-report.ts';
import { section, table, type Section } from './parts.ts';

export function configurationSection({ config, changedKeys }: RunReport): Section {
  const changed = new Map(changedKeys.map(({ key, fallback }) => [key, fallback]));
  const all = [...flatten(config)];
  const lead =
    changedKeys.length === 0
      ? 'Every key has its default.'
      : `${changedKeys.length} of ${all.length} keys differ from their defaults.`;
  const marked =
    changedKeys.length === 0
      ? null
      : table({
          head: ['key', 'value', 'default'],
          rows: changedKeys.map(({ key, value, fallback }) => [html`<code>${key}</code>`, show(value), show(fallback)]),
          text: [1, 2],
        });
  return section(
    'configuration',
    'Configuration',
    lead,
    marked,
    html`<details>
      <summary>All keys</summary>
      ${table({
        head: ['key', 'value', 'default'],
        rows: all.map(([key, value]) => [
          html`<code>${key}</code>`,
          show(value),
          changed.has(key) ? show(changed.get(key)) : '',
        ]),
        changed: (row) => changed.has(all[row]?.[0] ?? ''),
        text: [1, 2],
      })}
    </details>`,
  );
}

export function lineageSection({ lineage, run }: RunReport): Section {
  const facts: [string, Content][] = [
    ['content head', lineage.contentHead],
    ...durableFacts(run),
    ['configuration digest', run.configDigest],
    ['tokenizer digest', run.tokenizerDigest],
    ...(run.folder === null ? [] : ([['folder', run.folder]] satisfies [string, Content][])),
    [
      'stored',
      `${grouped(lineage.records)} records, ${grouped(lineage.blobs)} files, ${grouped(lineage.edges)} edges, ${grouped(lineage.episodes)} episodes, ${grouped(lineage.actionTokens)} sampled tokens`,
    ],
    ['sandbox', run.sandbox],
    ['node', `${run.node} on ${run.platform}`],
    ...tensorFacts(run),
  ];
  return section(
    'lineage',
    'Lineage',
    'Everything is stored under the digest of its content. Equal seeds on the same backend end with the same content head.',
    table({
      head: ['', ''],
      rows: facts.map(([name, value]) => [name, html`<span class="mono">${value}</span>`]),
      text: [1],
    }),
    html`<details>
      <summary>Checkpoints</summary>
      ${table({
        head: ['generation', 'made by', 'role', 'weights', 'started from', 'stored file'],
        rows: lineage.checkpoints.map((one) => [
          one.generation,
          one.madeBy,
          one.role,
          html`<code>${one.weightsDigest.slice(0, 16)}</code>`,
          one.parent === null ? '–' : html`<code>${one.parent.slice(0, 16)}</code>`,
          html`<code>${one.digest.slice(0, 16)}</code>`,
        ]),
        text: [1, 2],
      })}
    </details>`,
  );
}

function durableFacts({ durable }: RunIdentity): [string, Content][] {
  if (durable === null) return [];
  const { runId, workflowId, ordinal, events, eventHead, page } = durable;
  return [
    ['event head', `${eventHead} (${grouped(events)} events)`],
    ['run', `${runId} of the lineage database: ${workflowId}, number ${ordinal} of that name`],
    ...(page === null ? [] : ([['Web UI', html`<a href="${page}">${page}</a>`]] satisfies [string, Content][])),
  ];
}

function tensorFacts({ backend }: RunIdentity): [string, Content][] {
  if (backend === null) return [['tensors', 'not recorded']];
  const { name, library, version, details } = backend;
  if (details === null) return [['tensors', `${name}: ${library} ${version}`]];
  const { tfjs, device, threads, oneDnn, cpuModel, cpuFlags } = details;
  return [
    [
      'tensors',
      `${name}: ${library} ${version}, tfjs ${tfjs}, ${device}, ${threads ?? 'unknown'} threads, oneDNN ${oneDnn ? 'on' : 'off'}`,
    ],
    ['processor', `${cpuModel} (${cpuFlags.join(' ')})`],
  ];
}

function show(value: unknown) {
  return html`<code>${JSON.stringify(value) ?? '–'}</code>`;
}
