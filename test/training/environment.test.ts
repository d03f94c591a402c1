import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../contracts/failures.ts';
import { openBackend } from '../../model/backend.ts';
import { environmentOf, recordEnvironment, requireBackend } from '../../training/environment.ts';
import { tinyConfig, withTinyContext } from './tiny-run.ts';

test('a run notes its backend once, and nobody goes on with it on another', async () => {
  await withTinyContext(tinyConfig(), {}, async (context) => {
    const { name, describe } = await openBackend();
    const other = name === 'native' ? 'wasm' : 'native';
    assert.equal(await environmentOf(context.store), null);
    await requireBackend(context.store, other);

    const noted = await recordEnvironment(context);
    assert.deepEqual(noted, {
      kind: 'environment',
      backend: name,
      library: describe.library,
      version: describe.version,
    });
    assert.deepEqual(await environmentOf(context.store), noted);
    await requireBackend(context.store, name);
    await assert.rejects(requireBackend(context.store, other), (error: unknown) => {
      assert.ok(error instanceof Failure);
      assert.match(error.message, new RegExp(`begun on the ${name} backend, this process has ${other}`));
      // Another worker may have the right one.
      assert.equal(error.retryable, true);
      return true;
    });
  });
});
