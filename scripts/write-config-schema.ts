/**
 * Writes docs/config.schema.json, the JSON Schema of the configuration (infra/config-schema.ts); run it when
 * contracts/config changed: `tsx scripts/write-config-schema.ts`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { configSchemaText } from '../infra/config-schema.ts';
import { REPOSITORY } from './source-files.ts';

export const CONFIG_SCHEMA = join(REPOSITORY, 'docs', 'config.schema.json');

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(CONFIG_SCHEMA, configSchemaText());
  console.log(CONFIG_SCHEMA);
}
