import { Type } from 'typebox';
import { afterEach, expect, test } from 'vitest';
import { Configuration } from '../../api/service/configuration/configuration.js';
import { nodesAs } from '../../api/service/configuration/answering.js';
import type { Field, Value } from '../../api/service/configuration/field.js';
import { FIELDS } from '../../api/service/configuration/fields.js';
import { NO_FACTS } from '../../api/service/configuration/field.js';
import { defineOperator, Registry, type SettingAnswers } from '../../pipeline/component/index.js';
import { testContext } from '../support/context.js';
import { bench, type Bench } from './config-support.js';

/** A user's own tracker: it counts in frames, and tracks at most nine people. */
const ownTracker = defineOperator({
  name: 'own-tracker',
  summary: 'Follows people in a way of its own.',
  inputs: ['pose'],
  outputs: ['pose'],
  config: Type.Object({
    people: Type.Integer({ minimum: 1, maximum: 9, default: 3, description: 'People, at most.' }),
    patience_s: Type.Number({ minimum: 0, default: 1, description: 'Time out of sight, seconds.' }),
  }),
  role: 'tracker',
  settings: {
    'detection.max_persons': 'people',
    'detection.enable_tracking': 'enabled',
    'detection.tracking_max_age': {
      field: 'patience_s',
      show: (stored, { frameMs }) => ((stored as number) * 1000) / frameMs,
      store: (value, { frameMs }) => ((value as number) * frameMs) / 1000,
      inFrames: true,
    },
  },
  examples: [{ title: 'As it comes', config: {} }],
  create: () => ({ process: (pose) => ({ data: [pose] }) }),
});

const NODES = {
  sources: { flat: { type: 'simulator' } },
  operators: {
    windows: { type: 'window', from: 'flat', length_ms: 2000, hop_ms: 200, points: 100 },
    poses: { type: 'infer-pose', from: 'windows', backend: 'wasm' },
    people: { type: 'own-tracker', from: 'poses' },
  },
  sinks: { live: { type: 'websocket', from: ['people'] } },
};

let made: Bench | undefined;
afterEach(async () => {
  await made?.close();
  made = undefined;
});

function configured() {
  made = bench(NODES, undefined, [ownTracker]);
  const { runner, folder } = made;
  const { context } = testContext();
  const configuration = new Configuration({
    main: runner,
    stateFolder: folder,
    facts: NO_FACTS,
    clock: context.clock,
    log: context.log,
  });
  const field = (name: string): Field => FIELDS.find((one) => one.name === name)!;
  const set = (name: string, value: Value) =>
    configuration.change(new Map<Field, Value>([[field(name), value]]), 'ada');
  const shown = (name: string) => configuration.value(field(name));
  return { runner, set, shown };
}

test('a custom operator follows the settings it declares, in its own units', () => {
  const { runner, set, shown } = configured();
  expect(shown('detection.max_persons')).toBe(3);
  expect(shown('detection.tracking_max_age')).toBe(5);
  set('detection.max_persons', 4);
  set('detection.tracking_max_age', 20);
  set('detection.enable_tracking', false);
  const node = runner.next.nodes.find(({ id }) => id === 'people')!;
  expect(node.config).toMatchObject({ people: 4, patience_s: 4 });
  expect(node.enabled).toBe(false);
});

test('rejects and names a value that the custom operator does not accept', () => {
  const { set, shown } = configured();
  expect(() => set('detection.max_persons', 20)).toThrow(/people.*<= 9/);
  expect(shown('detection.max_persons')).toBe(3);
});

test('status pages show it as the tracker', () => {
  const { runner } = configured();
  expect(nodesAs(runner.topology, 'tracker').map(({ id }) => id)).toEqual(['people']);
  expect(nodesAs(runner.topology, 'pose-network').map(({ id }) => id)).toEqual(['poses']);
});

test.each([
  [
    'a setting that there is not',
    { 'detection.most_persons': 'people' },
    /no setting detection\.most_persons/,
  ],
  [
    'a field that it has not',
    { 'detection.max_persons': 'persons' },
    /answered by persons, which its config/,
  ],
])('rejects a component that declares %s', (_, settings, message) => {
  expect(() => new Registry([{ ...ownTracker, settings: settings as SettingAnswers }])).toThrow(message);
});
