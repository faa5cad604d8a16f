import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Configuration } from '../../api/service/configuration/configuration.js';
import { RefusedError } from '../../api/service/configuration/refusals.js';
import type { Facts, Field, Value } from '../../api/service/configuration/field.js';
import { FIELDS, isStored, storedSchema } from '../../api/service/configuration/fields.js';
import { NO_FACTS } from '../../api/service/configuration/field.js';
import { testContext, testEnvironment } from '../support/context.js';
import { bench, WHOLE, type Bench } from './config-support.js';

/** An environment whose link id could be a person's number: it cannot be made anonymous. */
const numbered = () => {
  const [link, ...links] = testEnvironment.links;
  return bench(WHOLE, [{ ...testEnvironment, links: [{ ...link!, id: '7' }, ...links] }]);
};

let made: Bench;
beforeEach(() => {
  made = bench();
});
afterEach(() => made.close());

function configurationOf({ runner, folder }: Bench, facts: Facts = NO_FACTS): Configuration {
  const { context } = testContext();
  const { clock, log } = context;
  return new Configuration({ main: runner, stateFolder: folder, clock, log, facts });
}

const set = (configuration: Configuration, name: string, value: Value) =>
  configuration.change(new Map<Field, Value>([[FIELDS.find((field) => field.name === name)!, value]]), 'ada');

const keep = ({ folder }: Bench, values: object) => {
  const content = { version: 1, revision: 1, values, history: [] };
  writeFileSync(join(folder, 'configuration.json'), JSON.stringify(content));
};

describe('a kept value that no call could have set prevents the start, and is named', () => {
  test.each<[object, string]>([
    [{ 'privacy.data_retention_days': -4 }, 'values/privacy.data_retention_days must be >= 0'],
    [{ 'hardware.buffer_size': 0 }, 'values/hardware.buffer_size must be >= 1'],
    [{ domain: 'zoo' }, 'values/domain must be equal to one of the allowed values'],
    [{ 'detection.max_persons': 'many' }, 'values/detection.max_persons must be integer'],
    [{ 'privacy.anonymize_data': 'no' }, 'values/privacy.anonymize_data must be boolean'],
    [{ 'detection.max_person': 3 }, 'values/detection.max_person is unknown'],
    [{ 'privacy.enable_encryption': 'yes' }, 'values/privacy.enable_encryption must be boolean'],
    [{ 'neural_network.model_version': 'mine 1' }, 'values/neural_network.model_version is unknown'],
  ])('%j', (values, where) => {
    keep(made, values);
    const before = made.runner.topology;
    expect(() => configurationOf(made)).toThrow(where);
    expect(made.runner.topology).toBe(before);
  });

  test('accepts what calls set', () => {
    const configuration = configurationOf(made);
    set(configuration, 'analytics.alert_thresholds.inactivity_timeout', 0.5);
    set(configuration, 'analytics.alert_thresholds.fall_confidence', 1);
    expect(configurationOf(made).tag).toBe(configuration.tag);
  });
});

describe('a history that no call could have written prevents the start, and is named', () => {
  const change = { name: 'detection.max_persons', from: 3, to: 5, before: null };
  const entry = { revision: 2, at: '2026-01-01T00:00:00.000Z', by: 'ada', action: 'change', other: null };
  const keepHistory = (history: readonly object[]) => {
    const content = { version: 1, revision: 2, values: {}, history };
    writeFileSync(join(made.folder, 'configuration.json'), JSON.stringify(content));
  };

  test.each<[string, readonly object[], string]>([
    [
      'a field that there is not',
      [{ ...entry, changes: [{ ...change, name: 'zoo' }] }],
      'changes/0 is not a possible change of zoo',
    ],
    [
      'a fact',
      [{ ...entry, changes: [{ ...change, name: 'hardware.antenna_count' }] }],
      'changes/0 is not a possible change',
    ],
    [
      'a value of another type',
      [{ ...entry, changes: [{ ...change, to: 'many' }] }],
      'changes/0 is not a possible change',
    ],
    [
      'the target of an undo',
      [{ ...entry, changes: [{ ...change, before: -1 }] }],
      'changes/0 is not a possible change',
    ],
    ['a time', [{ ...entry, at: 'yesterday', changes: [change] }], '/history/0/at must be a time'],
    [
      'a future revision',
      [{ ...entry, revision: 3, changes: [change] }],
      '/history/0/revision must be less than 3',
    ],
    [
      'an order',
      [
        { ...entry, revision: 1, changes: [change] },
        { ...entry, changes: [change] },
      ],
      '/history/1/revision must be less than 1',
    ],
    ['nobody', [{ ...entry, by: 7, changes: [change] }], '/history/0/by must be string'],
  ])('%s', (_, history, where) => {
    keepHistory(history);
    expect(() => configurationOf(made)).toThrow(where);
    expect(() => configurationOf(made)).toThrow('restore it from a backup, or remove it');
  });

  test('accepts what calls write', () => {
    const configuration = configurationOf(made);
    set(configuration, 'detection.max_persons', 5);
    set(configuration, 'domain', 'security');
    configuration.undo('ada');
    set(configuration, 'privacy.enable_encryption', true);
    expect(configurationOf(made).history).toEqual(configuration.history);
    expect(configuration.history).toHaveLength(4);
  });
});

test("accepts what this topology's schema allows, and names what exceeds it", () => {
  const configuration = configurationOf(made);
  for (const field of FIELDS.filter(isStored)) {
    const schema = { ...storedSchema(field), ...configuration.use(field).bounds } as {
      minimum?: number;
      maximum?: number;
    };
    for (const limit of [schema.minimum, schema.maximum]) {
      if (limit === undefined) continue;
      set(configuration, field.name, limit);
      expect(configuration.value(field), field.name).toBe(limit);
    }
  }
  expect(() => set(configuration, 'detection.tracking_max_age', 3_001)).toThrow(
    'detection.tracking_max_age must be <= 3000 in the topology room',
  );
});

test('encryption is set for the next start, and shows that it needs one', async () => {
  const configuration = configurationOf(made);
  await made.runner.start();
  expect(set(configuration, 'privacy.enable_encryption', true)).toMatchObject({ requiresRestart: true });
  expect(made.runner.topology.settings.privacy).toBeUndefined();
  await made.runner.restart();
  expect(made.runner.topology.settings.privacy).toMatchObject({ enableEncryption: true });
  expect(set(configuration, 'privacy.enable_encryption', false)).toMatchObject({ requiresRestart: true });
  expect(set(configuration, 'privacy.enable_encryption', true)).toMatchObject({ requiresRestart: false });
});

test.each<[string, readonly number[]]>([
  ['analytics.alert_thresholds.inactivity_timeout', [0.5, 1, 59, 100, 1234.5]],
  ['analytics.alert_thresholds.fall_confidence', [0, 0.0001, 0.3, 0.7311, 0.9999, 1]],
  ['alerts.fall_detection.notification_delay_seconds', [0, 0.001, 2.5, 600]],
  ['detection.tracking_max_age', [0, 1, 7, 3000]],
])('%s shows what was set, and setting it again changes nothing', (name, values) => {
  const configuration = configurationOf(made);
  const field = FIELDS.find((one) => one.name === name)!;
  for (const value of values) {
    set(configuration, name, value);
    expect(configuration.value(field)).toBe(value);
    expect(set(configuration, name, value).changed).toEqual([]);
  }
});

describe('promised anonymity', () => {
  test('prevents the start of a topology that cannot keep it', async () => {
    set(configurationOf(made), 'privacy.anonymize_data', true);
    const other = numbered();
    keep(other, { 'privacy.anonymize_data': true });
    expect(() => configurationOf(other)).toThrow(
      "`7` of environment test-room could be mistaken for a person's number",
    );
    await other.close();
  });

  test('is a problem of a new file that cannot keep it', async () => {
    const configuration = configurationOf(made);
    const other = numbered();
    const loaded = { topology: other.runner.topology, problems: [] };
    expect(configuration.overLoaded(loaded).topology).toBeDefined();
    set(configuration, 'privacy.anonymize_data', true);
    expect(configuration.overLoaded(loaded)).toMatchObject({
      problems: [{ code: 'config.privacy.anonymity', severity: 'error' }],
    });
    expect(configuration.overLoaded({ topology: made.parse(WHOLE), problems: [] }).topology).toMatchObject({
      settings: { privacy: { anonymizeData: true } },
    });
    await other.close();
  });

  test('cannot be restored by an undo if it can no longer be kept', async () => {
    const other = numbered();
    const change = { name: 'privacy.anonymize_data', from: true, to: false, before: true };
    const revision = {
      revision: 1,
      at: '2026-01-01T00:00:00.000Z',
      by: 'ada',
      action: 'change',
      other: null,
    };
    writeFileSync(
      join(other.folder, 'configuration.json'),
      JSON.stringify({ version: 1, revision: 1, values: {}, history: [{ ...revision, changes: [change] }] }),
    );
    const configuration = configurationOf(other);
    expect(() => configuration.undo('ada')).toThrow('could be mistaken');
    expect(configuration.history).toHaveLength(1);
    await other.close();
  });
});

describe('a second topology follows the privacy of the main one', () => {
  const yard = { ...testEnvironment, id: 'yard' };
  const own = { settings: { state_folder: 'state', privacy: { data_retention_days: 7 } } };
  let other: Bench;
  beforeEach(() => {
    other = bench({ ...WHOLE, ...own }, [yard]);
  });
  afterEach(() => other.close());

  const configured = (beside: Bench): Configuration => {
    const { clock, log } = testContext().context;
    const { runner, folder } = made;
    const others = () => [beside.runner];
    return new Configuration({
      main: runner,
      others,
      stateFolder: folder,
      clock,
      log,
      facts: NO_FACTS,
    });
  };

  test('by the stricter of both; a running one needs a restart, and an undo restores its own', async () => {
    const configuration = configured(other);
    await other.runner.start();
    const days = () => other.runner.next.settings.privacy?.dataRetentionDays;
    expect(set(configuration, 'privacy.data_retention_days', 30).requiresRestart).toBe(false);
    expect(days()).toBe(7);
    expect(set(configuration, 'privacy.data_retention_days', 3).requiresRestart).toBe(true);
    expect(days()).toBe(3);
    expect(set(configuration, 'privacy.enable_encryption', true).requiresRestart).toBe(true);
    configuration.undo('ada');
    configuration.undo('ada');
    expect(days()).toBe(7);
    expect(other.runner.next.settings.privacy).toMatchObject({ enableEncryption: false });
  });

  test('even if it is added later, and is refused if it cannot comply', async () => {
    const configuration = configured(other);
    set(configuration, 'privacy.anonymize_data', true);
    expect(other.runner.topology.settings.privacy).toMatchObject({
      anonymizeData: true,
      dataRetentionDays: 7,
    });
    const loaded = { topology: other.parse({ ...WHOLE, ...own }), problems: [] };
    expect(configuration.besideLoaded(loaded).topology).toMatchObject({
      settings: { privacy: { anonymizeData: true, dataRetentionDays: 7 } },
    });
    const third = numbered();
    expect(configuration.besideLoaded({ topology: third.runner.topology, problems: [] })).toMatchObject({
      problems: [{ code: 'config.privacy.anonymity' }],
    });
    await third.close();
  });

  test('rejects a change that it cannot keep, and changes nothing', async () => {
    const third = numbered();
    const configuration = configured(third);
    expect(() => set(configuration, 'privacy.anonymize_data', true)).toThrow(
      'the topology room cannot meet it',
    );
    expect(made.runner.topology.settings.privacy).toBeUndefined();
    expect(configuration.history).toEqual([]);
    await third.close();
  });

  const promising = () =>
    made.parse({ ...WHOLE, settings: { state_folder: 'state', privacy: { anonymize_data: true } } });

  test('rejects a new main file whose promise it cannot keep', async () => {
    const third = numbered();
    const { problems, topology } = configured(third).overLoaded({ topology: promising(), problems: [] });
    expect(topology).toBeUndefined();
    expect(problems).toMatchObject([{ code: 'config.privacy.anonymity', severity: 'error' }]);
    expect(problems[0]!.message).toContain('the topology room cannot meet it: `7` of environment test-room');
    expect(third.runner.next.settings.privacy).toBeUndefined();
    await third.close();
  });

  test('names a key that it lacks', async () => {
    const shared = () => {
      const { topology } = other.runner;
      return { ...topology, settings: { ...topology.settings, scaleOut: true } };
    };
    const configuration = configured(other);
    set(configuration, 'privacy.anonymize_data', true);
    const { privacy, ...settings } = shared().settings;
    expect(privacy?.anonymizeData).toBe(true);
    expect(configuration.besideLoaded({ topology: { ...shared(), settings }, problems: [] })).toMatchObject({
      problems: [{ code: 'config.privacy.key' }],
    });
  });

  test('one added meanwhile that cannot comply blocks neither the others nor other fields', async () => {
    const third = numbered();
    const beside = [third.runner, other.runner];
    const { context, recorded } = testContext();
    const configuration = new Configuration({
      main: made.runner,
      others: () => beside,
      stateFolder: made.folder,
      clock: context.clock,
      log: context.log,
      facts: NO_FACTS,
    });
    made.runner.adjust(promising());
    configuration.renew();
    expect(other.runner.next.settings.privacy).toMatchObject({ anonymizeData: true });
    expect(recorded.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(set(configuration, 'detection.max_persons', 5).changed).toHaveLength(1);
    await third.close();
  });

  test('changes no topology if the change cannot be saved in the file', () => {
    const configuration = configured(other);
    // A file cannot replace a non-empty folder.
    mkdirSync(join(made.folder, 'configuration.json', 'full'), { recursive: true });
    const before = other.runner.next;
    expect(() => set(configuration, 'privacy.anonymize_data', true)).toThrow();
    expect(other.runner.next).toBe(before);
    expect(made.runner.next.settings.privacy).toBeUndefined();
  });

  test('prevents the start if a given topology cannot keep a promise', async () => {
    const third = numbered();
    keep(made, { 'privacy.anonymize_data': true });
    expect(() => configured(third)).toThrow(RefusedError);
    await third.close();
  });
});

test('a starting topology applies an adjustable field by itself, and needs a restart for another', async () => {
  const { runner } = made;
  const configuration = configurationOf(made);
  const started = runner.start();
  expect(set(configuration, 'detection.max_persons', 5).requiresRestart).toBe(false);
  expect(set(configuration, 'neural_network.batch_size', 4).requiresRestart).toBe(true);
  await started;
  const configOf = (id: string) => runner.topology.nodes.find((node) => node.id === id)!.config;
  expect([configOf('people')['max_persons'], configOf('poses')['max_batch']]).toEqual([5, 32]);
});

test('a change during the apply of a new file overrides that file too', async () => {
  const { runner } = made;
  const configuration = configurationOf(made);
  await runner.start();
  const maxBatch = { type: 'infer-pose', from: 'windows', backend: 'wasm', max_batch: 4 };
  const text = { ...WHOLE, operators: { ...WHOLE.operators, poses: maxBatch } };
  const next = configuration.over(made.parse(text));
  const applied = runner.apply(next, runner.plan(next).hash);
  set(configuration, 'detection.max_persons', 5);
  await applied;
  const configOf = (id: string) => runner.next.nodes.find((node) => node.id === id)!.config;
  configuration.renew();
  expect([configOf('people')['max_persons'], configOf('poses')['max_batch']]).toEqual([5, 4]);
  expect(runner.topology).toBe(runner.next);
});

test('the environment of a call is found without reading any measurements', () => {
  const facts = {} as Facts;
  for (const name of Object.keys(NO_FACTS))
    Object.defineProperty(facts, name, {
      get: () => {
        throw new Error(`${name} was looked at`);
      },
    });
  expect(configurationOf(made, facts).environment).toBe('test-room');
});
