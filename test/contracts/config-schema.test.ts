/** docs/config.schema.json is what the code says, and says it whole: defaults, bounds, descriptions. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseRunConfig } from '../../contracts/config/parse-config.ts';
import { configSchemaText } from '../../infra/config-schema.ts';
import { CONFIG_SCHEMA } from '../../scripts/write-config-schema.ts';

interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly additionalProperties?: boolean;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly [key: string]: unknown;
}

const schema = JSON.parse(configSchemaText()) as Node;

test('the file is up to date', () => {
  assert.equal(readFileSync(CONFIG_SCHEMA, 'utf8'), configSchemaText(), 'run: tsx scripts/write-config-schema.ts');
});

test('every key has a description and the default that the parser fills in; unknown keys are refused', () => {
  const visit = (node: Node, value: unknown, path: string): void => {
    if (node.properties === undefined) {
      assert.ok((node.description ?? '').length > 3, `${path} has no description`);
      assert.deepEqual(node.default, value, path);
      return;
    }
    assert.equal(node.additionalProperties, false, path);
    // A key without a default is one that may stay out.
    const filledIn = Object.entries(node.properties).filter(([, inner]) => inner.properties ?? 'default' in inner);
    assert.deepEqual(
      filledIn.map(([key]) => key),
      Object.keys(value as object),
      path,
    );
    for (const [key, inner] of Object.entries(node.properties)) {
      visit(inner, (value as Record<string, unknown>)[key], `${path}.${key}`);
    }
  };
  visit(schema, parseRunConfig({}), '');
});

test('bounds and choices stand in it', () => {
  const at = (section: string, key: string): Node => schema.properties?.[section]?.properties?.[key] ?? {};
  assert.deepEqual([at('reward', 'partialScale')['minimum'], at('reward', 'partialScale')['exclusiveMaximum']], [0, 1]); // prettier-ignore
  assert.equal(at('tasks', 'turns').type, 'integer');
  assert.equal(at('tasks', 'turns')['maximum'], 64);
  assert.deepEqual(at('policyRefine', 'estimator')['enum'], ['tb', 'token', 'turn']);
  assert.match(JSON.stringify(at('stop', 'minutes')), /"exclusiveMinimum":0.*"null"/);
});
