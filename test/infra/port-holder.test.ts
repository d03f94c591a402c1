/** Who has a port, as the system tells it. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { portHolder } from '../../infra/port-holder.ts';

test(
  'the process that listens is named, until it listens no more',
  { skip: process.platform !== 'linux' },
  async () => {
    for (const host of ['127.0.0.1', '::ffff:127.0.0.1']) {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, host, resolve));
      const { port } = server.address() as { port: number };
      assert.match(portHolder(port) ?? '', new RegExp(`^process ${process.pid} \\(.+\\)$`));
      await new Promise((resolve) => server.close(resolve));
      assert.equal(portHolder(port), null);
    }
  },
);
