/** The workflow code as one script: small, without anything that belongs to activities, named after what it is made of. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { buildWorkflowBundle, bundleDigest } from '../../workers/workflow-bundle.ts';

const home = mkdtempSync(join(tmpdir(), 'bundle-'));
after(() => rmSync(home, { recursive: true, force: true }));

/** Bytes of code, without the source map: 0.6 MB of workflows and runtime, 0.5 MB of the interceptors that trace. */
const LIMIT = 1_400_000;

test('the bundle holds the interceptors that trace, nothing of activities, and stays small', async () => {
  const path = await buildWorkflowBundle(home);
  const [code = ''] = readFileSync(path, 'utf8').split('//# sourceMappingURL');
  assert.ok(code.length < LIMIT, `${code.length} bytes`);
  const modules = [...code.matchAll(/^\/\*\*\*\/ "([^"]+)"$/gm)].map(([, name]) => name ?? '');
  assert.ok(modules.length > 50, `${modules.length} modules found`);
  assert.ok(modules.some((name) => name.includes('interceptors-opentelemetry-v2/lib/workflow-interceptors')));
  const strangers = modules.filter((name) =>
    /node_modules\/(pg|@tensorflow|just-bash)\/|\/(activities|lineage|model)\//.test(name),
  );
  assert.deepEqual(strangers, []);
  assert.equal(await buildWorkflowBundle(home), path);
});

test('another version of the runtime or the interceptors is another bundle', () => {
  const versions = ['a 1.0.0', 'b 1.0.0'];
  assert.equal(bundleDigest(versions), bundleDigest([...versions]));
  assert.notEqual(bundleDigest(versions), bundleDigest(['a 1.0.0', 'b 1.0.1']));
});
