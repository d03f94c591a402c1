/** Has the Temporal server's program ready before tests need it: found, downloaded or compiled (minutes, once a machine). */
import { findBinary } from '../infra/temporal/binary.ts';

await findBinary((line) => console.log(line));
