/**
 * The checks behind `rsi doctor`: each opens the real thing (tensors, tokenizer, sandbox) and tries it once; what durable
 * runs need beside is in examine-services.ts.
 */
import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { openEmbeddedPool } from '../agent/embedded-pool.ts';
import { openBackend } from '../model/backend.ts';
import { openTokenizer } from '../model/tokenizer.ts';
import { tf } from '../model/tf.ts';
import { taskSet } from '../tasks/builtin/task-set.ts';
import { homeOf } from '../workers/settings.ts';
import { messageOf } from './exit.ts';
import { SERVICE_CHECKS } from './examine-services.ts';
import { finding, type Finding } from './finding.ts';

const GIB = 2 ** 30;

export async function examine(): Promise<Finding[]> {
  const checks: readonly (readonly [string, () => Finding | Promise<Finding>])[] = [
    ['node', node],
    ['machine', machine],
    ['disk', disk],
    ['tensors', tensors],
    ['tokenizer', tokenizer],
    ['sandbox', sandbox],
    ...SERVICE_CHECKS,
  ];
  const findings: Finding[] = [];
  for (const [name, check] of checks) {
    try {
      findings.push(await check());
    } catch (error) {
      findings.push({ name, state: 'fail', detail: messageOf(error), remedy: 'run: npm ci' });
    }
  }
  return findings;
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 20);
  const detail = `${process.version} on ${process.platform}-${process.arch}`;
  return finding('node', isEnough ? 'ok' : 'fail', detail, isEnough ? null : 'install Node 20.20 or newer');
}

function machine(): Finding {
  const memory = totalmem() / GIB;
  const detail = `${availableParallelism()} CPUs, ${memory.toFixed(1)} GiB of memory`;
  return finding('machine', memory < 4 ? 'warn' : 'ok', detail, memory < 4 ? 'a demo run takes up to 4 GiB' : null);
}

function disk(): Finding {
  const folder = homeOf();
  // Nothing is created: the nearest folder above that exists is on the same disk.
  let place = resolve(folder);
  while (!existsSync(place)) place = dirname(place);
  const { bavail, bsize } = statfsSync(place);
  const free = (bavail * bsize) / GIB;
  const remedy = free < 2 ? 'free some space, or set RSI_HOME to another disk' : null;
  return finding('disk', free < 2 ? 'warn' : 'ok', `${free.toFixed(1)} GiB free for ${folder}`, remedy);
}

async function tensors(): Promise<Finding> {
  const { name, describe } = await openBackend();
  const product = tf.tidy(() => tf.matMul(tf.ones([4, 8]), tf.ones([8, 2])).sum());
  const [sum] = await product.data();
  product.dispose();
  if (sum !== 64) return finding('tensors', 'fail', `a matmul gave ${sum}, not 64`, 'run: npm run native -- --force');
  const threads = describe.threads === null ? '' : `, ${describe.threads} threads`;
  const detail = `${name}: ${describe.library} ${describe.version}, ${describe.device}${threads}`;
  if (name === 'native') return finding('tensors', 'ok', detail, null);
  const why = describe.fallback === null ? '' : ` (native is linked but does not load: ${describe.fallback})`;
  return finding('tensors', 'warn', `${detail}${why}`, 'native is some ten times faster; run: npm run native');
}

function tokenizer(): Finding {
  const opened = openTokenizer();
  const { vocabSize, digest } = opened;
  const text = 'echo "größe" > a.txt';
  const same = opened.decode(opened.encode(text)) === text;
  return finding(
    'tokenizer',
    same ? 'ok' : 'fail',
    `${vocabSize} tokens, ${digest.slice(0, 12)}`,
    same ? null : 'run: npm ci',
  );
}

async function sandbox(): Promise<Finding> {
  const pool = openEmbeddedPool({ workers: 1 });
  try {
    const tasks = taskSet({ families: ['notes'], split: 'train', count: 1, seed: 0 });
    const [episode] = await pool.play('oracle', tasks, [0]);
    const checks = episode?.turns.at(-1)?.result.checks ?? [];
    const solved = checks.length > 0 && checks.every((check) => check === 1);
    const detail = solved
      ? 'embedded bash: the oracle solves a task'
      : 'embedded bash: the oracle does not solve its task';
    return finding('sandbox', solved ? 'ok' : 'fail', detail, solved ? null : 'run: npm ci');
  } finally {
    await pool.dispose();
  }
}
