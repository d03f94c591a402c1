/** A process that opens the embedded database in the folder given, says so, and waits to be killed. */
import { openPostgres } from '../../infra/postgres.ts';

const opened = await openPostgres({ home: process.argv[2] as string, log: () => undefined });
console.log(JSON.stringify({ url: opened.url, how: opened.how }));
process.once('SIGTERM', () => {
  void opened.stop().then(() => process.exit(0));
});
setInterval(() => undefined, 1_000);
