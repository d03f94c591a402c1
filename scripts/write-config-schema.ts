/**
 * Writes docs/config.schema.json, the JSON Schema of the configuration with defaults, bounds and descriptions; run it
 * when contracts/config changed: `tsx scripts/write-config-schema.ts`. Editors complete and check presets by it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toJsonSchema, type JsonSchema } from '@valibot/to-json-schema';
import type { Bounds } from '../contracts/config/fields.ts';
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import { runConfigSchema } from '../contracts/config/run-config.ts';
import { REPOSITORY } from './source-files.ts';

export const CONFIG_SCHEMA = join(REPOSITORY, 'docs', 'config.schema.json');

/** The file's text; a test compares it with the file. */
export function configSchemaText(): string {
  const schema = toJsonSchema(runConfigSchema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    // Bounds are checked by functions, which say nothing; their numbers come from the metadata beside them.
    ignoreActions: ['check', 'finite'],
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (valibotAction.type === 'metadata') return { ...withoutMetadata(jsonSchema), ...boundsOf(valibotAction) };
      if (valibotAction.type === 'safe_integer') return { ...jsonSchema, type: 'integer' };
      return undefined;
    },
  });
  const complete = { ...withDefaults(schema, parseRunConfig({})), title: 'Configuration of a terminal-rsi run' };
  return `${JSON.stringify(complete, null, 2)}\n`;
}

/** The library copies metadata as it is; it is no word of JSON Schema. */
function withoutMetadata(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'bounds' && key !== 'most'));
}

function boundsOf(action: object): JsonSchema {
  const { metadata } = action as { readonly metadata: { readonly bounds?: Bounds; readonly most?: number } };
  const { min, max, above, below } = metadata.bounds ?? {};
  return {
    ...(metadata.most === undefined ? {} : { maxItems: metadata.most }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(below === undefined ? {} : { exclusiveMaximum: below }),
  };
}

/** Sections and lists have defaults that the library does not see through. */
function withDefaults(schema: JsonSchema, value: unknown): JsonSchema {
  const { default: _none, ...rest } = schema;
  if (schema.properties === undefined) return { ...rest, default: value as NonNullable<JsonSchema['default']> };
  const properties = Object.entries(schema.properties).map(([key, inner]) => [
    key,
    withDefaults(inner as JsonSchema, (value as Record<string, unknown>)[key]),
  ]);
  return { ...rest, properties: Object.fromEntries(properties) as NonNullable<JsonSchema['properties']> };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(CONFIG_SCHEMA, configSchemaText());
  console.log(CONFIG_SCHEMA);
}
