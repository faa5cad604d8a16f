import { Type } from 'typebox';
import { expect, test } from 'vitest';
import * as csiflow from '../api/index.js';
import { defineOperator, NOTHING, Registry } from '../pipeline/component/index.js';

const probe = defineOperator({
  name: 'probe',
  summary: 'Swallows windows.',
  inputs: ['window'],
  outputs: [],
  config: Type.Object({ limit: Type.Integer({ default: 3, description: 'A number.' }) }),
  examples: [{ title: 'With a limit', config: { limit: 4 } }],
  check: (config) => (config.limit > 9 ? [{ path: ['limit'], message: 'too many' }] : []),
  create: () => ({ process: () => NOTHING }),
});

test('a registry lists its components and rejects a second one of the same name', () => {
  const registry = new Registry([probe]);
  expect(registry.operator('probe')).toBe(probe);
  expect(registry.source('probe')).toBeUndefined();
  expect(() => registry.add(probe)).toThrow('two operators are named probe');
});

test.each(csiflow.components.list())('$kind $name is exported by api/index.ts', (component) => {
  expect(Object.values(csiflow)).toContain(component);
});
