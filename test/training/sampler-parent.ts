/** Run as a process: plays without end on two samplers and says their ids; meant to be killed. */
import { initialParameters } from '../../model/parameters.ts';
import { openSamplerPool } from '../../training/players/sampler-pool.ts';
import { requestsOf } from './requests.ts';
import { tinyConfig, withTinyContext } from './tiny-run.ts';

await withTinyContext(tinyConfig(), {}, async (context) => {
  const { model, signal } = context;
  const pool = openSamplerPool(2, { model, backend: 'wasm', sandboxThreads: 0 });
  const parameters = initialParameters(model, 'policy', 1);
  const policy = { kind: 'checkpoint', role: 'policy', digest: 'none', weightsDigest: 'none' } as const;
  const requests = await requestsOf(context, 16);
  for (;;) {
    await pool.play(requests, { parameters, policy, temperature: 1 }, 2, signal);
    console.log(`playing ${pool.pids().join(' ')}`);
  }
});
