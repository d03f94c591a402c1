/**
 * The JSON Schema of the configuration with defaults, bounds and descriptions: editors complete and check presets by it.
 * `rsi launch --schema` prints it, scripts/write-config-schema.ts keeps it as docs/config.schema.json.
 */
import { toJsonSchema, type JsonSchema } from '@valibot/to-json-schema';
import type { Bounds } from '../contracts/config/fields.ts';
import { parseRunConfig } from '../contracts/config/parse-config.ts';
import { runConfigSchema } from '../contracts/config/run-config.ts';

/** A test compares it with the file. */
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
