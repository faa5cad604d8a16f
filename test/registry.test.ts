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

test('a registry rejects names and ports that no topology can use, and says what it accepts', () => {
  expect(() => new Registry([{ ...probe, name: 'Bad Name' }])).toThrow(
    'the operator `Bad Name` needs another name: lower-case letters, digits and single hyphens, such as `my-operator`',
  );
  expect(() => new Registry([{ ...probe, inputs: ['evnt' as never] }])).toThrow(
    'probe: there is no port `evnt`; `inputs` can name csi, window, pose, event, measure',
  );
  expect(() => new Registry([{ ...probe, outputs: ['poses' as never] }])).toThrow(
    'no port `poses`; `outputs`',
  );
});

test.each([
  [
    { ...probe, asynchronous: { maxInFlight: 2 as never } },
    'probe: `asynchronous.maxInFlight` must be a function of the configuration, such as `() => 2`',
  ],
  [
    { ...probe, asynchronous: true as never },
    'probe: `asynchronous.maxInFlight` must be a function of the configuration, such as `() => 4`',
  ],
  [
    { ...csiflow.consoleSink, maxInFlight: 2 as never },
    'console: `maxInFlight` must be a function of the configuration, such as `() => 2`',
  ],
])('a registry rejects a `maxInFlight` that nodes could not call (%#)', (component, message) => {
  expect(() => new Registry([component])).toThrow(message);
});

test.each(csiflow.components.list())('$kind $name is exported by api/index.ts', (component) => {
  expect(Object.values(csiflow)).toContain(component);
});

test.each(csiflow.components.list())('$kind $name says in words what a text must look like', ({ config }) => {
  const fields = Object.entries(
    config.properties as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  );
  // A regular expression is no help to most people.
  expect(fields.filter(([, schema]) => 'pattern' in schema && !('x-expected' in schema))).toEqual([]);
});
