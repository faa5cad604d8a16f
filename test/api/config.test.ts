import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readFormsOf } from '../../api/cli/service-options.js';
import { Configuration } from '../../api/service/configuration/configuration.js';
import type { Field, Value } from '../../api/service/configuration/field.js';
import { FIELDS } from '../../api/service/configuration/fields.js';
import { NO_FACTS } from '../../api/service/configuration/field.js';
import { fieldsOf } from '../../api/contract/configuration.js';
import { DEFAULT_LIMITS } from '../../api/service/limits/limits.js';
import { complaints } from '../support/openapi.js';
import { testContext, testEnvironment } from '../support/context.js';
import { bench, WHOLE, type Bench } from './config-support.js';
import { openService, type TestService } from './support.js';

let made: Bench;
let service: TestService;

/** Enough calls for a group of tests. */
const LIMITS = { ...DEFAULT_LIMITS, configuration: { requests: 1000, seconds: 3600 } };

async function open(): Promise<void> {
  made = bench();
  await made.runner.start();
  service = await openService(LIMITS, {
    main: made.runner,
    parse: () => ({ topology: made.parse(WHOLE), problems: [] }),
  });
}

async function close(): Promise<void> {
  await service.close();
  await made.close();
}

/** A service for each test, or one for all tests of a group, which leave the configuration as it was. */
function fresh(): void {
  beforeEach(open);
  afterEach(close);
}
function shared(): void {
  beforeAll(open);
  afterAll(close);
}

interface Detection {
  readonly confidence_threshold: number;
  readonly max_persons: number;
}

interface Data {
  readonly detection: Detection;
  readonly analytics: { readonly alert_thresholds: object };
  readonly configuration: { readonly detection: Detection };
  readonly requires_restart: boolean;
  readonly schema: { readonly properties: { readonly detection: { readonly properties: Detection } } };
  readonly defaults: object;
  readonly changes: readonly { readonly change: string }[];
}

/** The parts of a body, in either form, that these tests read. */
interface Body {
  readonly data: Data & readonly Data[];
  readonly detection: Detection;
  readonly alerts: { readonly inactivity_detection: { readonly threshold_minutes: number } };
  readonly streaming: { readonly mqtt_enabled: boolean };
  readonly changes_applied: readonly string[];
  readonly validation_warnings: readonly string[];
  readonly restart_required: boolean;
  readonly values: object;
  readonly pagination: object;
  readonly error: {
    readonly message: string;
    readonly details: { readonly field_errors: readonly { readonly field: string }[] };
  };
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  role: 'admin' | 'operator' | 'viewer' = 'admin',
): Promise<{ status: number; etag: string | null; body: Body }> {
  const response = await fetch(service.server.address + path, {
    method,
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${service.token(role)}`,
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Body;
  // The mount of `/api/v1` has another form in some of these tests.
  if (!path.startsWith('/api')) expect(complaints(method, path, response, answer)).toEqual([]);
  return { status: response.status, etag: response.headers.get('ETag'), body: answer };
}

const A = '/form-a/api/v1/config';
const B = '/form-b/api/v1/config';
const put = async (path: string, body: unknown) => (await call('PUT', path, body)).body;

describe('two views of one configuration', () => {
  fresh();

  test('Form B shows what Form A sets, and vice versa', async () => {
    const { changes_applied } = await put(A, {
      detection: { confidence_threshold: 0.4, tracking_enabled: false },
      alerts: { fall_detection: { sensitivity: 0.4 }, inactivity_detection: { threshold_minutes: 15 } },
    });
    expect(changes_applied).toEqual([
      'detection.confidence_threshold',
      'detection.tracking_enabled',
      'alerts.fall_detection.sensitivity',
      'alerts.inactivity_detection.threshold_minutes',
    ]);
    const { data } = (await call('GET', B)).body;
    expect(data.detection).toMatchObject({ confidence_threshold: 0.4, enable_tracking: false });
    expect(data.analytics.alert_thresholds).toEqual({ fall_confidence: 0.6, inactivity_timeout: 900 });
    await put(B, { analytics: { alert_thresholds: { inactivity_timeout: 120 } } });
    expect((await call('GET', A)).body.alerts.inactivity_detection.threshold_minutes).toBe(2);
  });

  test('sending back what was read changes nothing, in either form', async () => {
    const a = (await call('GET', A)).body;
    expect(await put(A, a)).toEqual({
      status: 'updated',
      changes_applied: [],
      restart_required: false,
      validation_warnings: [],
    });
    const b = (await call('GET', B)).body.data;
    expect((await put(B, b)).data).toMatchObject({
      updated_fields: [],
      requires_restart: false,
      configuration: b,
    });
  });

  test('the defaults are those of the file, whatever was changed', async () => {
    const before = (await call('GET', B)).body.data;
    await put(B, { detection: { max_persons: 7 } });
    const { schema, defaults } = (await call('GET', `${B}/schema`)).body.data;
    expect(defaults).toEqual(before);
    expect(schema.properties.detection.properties.confidence_threshold).toMatchObject({
      type: 'number',
      minimum: 0,
      maximum: 1,
    });
  });
});

describe('rejected input', () => {
  shared();

  test.each([
    [B, { detection: { confidence_threshold: 1.1 } }, 'detection.confidence_threshold'],
    [B, { detection: { max_persons: 0 } }, 'detection.max_persons'],
    [B, { detection: { tracking_enabled: true } }, 'detection.tracking_enabled'],
    [B, { alerts: {} }, 'alerts'],
    [B, { domain: 'zoo' }, 'domain'],
    [B, { environment_id: 'nowhere' }, 'environment_id'],
    [B, { neural_network: { model_version: 'v9' } }, 'neural_network.model_version'],
    [B, { hardware: { antenna_count: 3 } }, 'hardware.antenna_count'],
    [B, { hardware: { csi_sampling_rate: 5000 } }, 'hardware.csi_sampling_rate'],
  ])('%s %j names the field', async (path, body, field) => {
    const before = (await call('GET', path)).body.data;
    const answer = await call('PUT', path, {
      ...body,
      detection: { ...('detection' in body && body.detection), enable_tracking: false },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { field } });
    expect((await call('GET', path)).body.data).toEqual(before);
  });

  test('Form A names all invalid fields', async () => {
    const { status, body } = await call('PUT', A, {
      detection: { confidence_threshold: 2, enable_tracking: true },
      environment: { calibration_timestamp: '2026-01-01T00:00:00Z' },
    });
    expect(status).toBe(422);
    expect(body.error.details.field_errors.map(({ field }) => field).sort()).toEqual([
      'detection.confidence_threshold',
      'detection.enable_tracking',
    ]);
  });

  test('viewers and operators can read, but not change', async () => {
    expect((await call('GET', B, undefined, {}, 'viewer')).status).toBe(200);
    expect((await call('PUT', B, {}, {}, 'operator')).status).toBe(403);
    expect((await call('POST', `${B}/undo`, undefined, {}, 'operator')).status).toBe(403);
    expect((await call('GET', `${B}/history`, undefined, {}, 'viewer')).status).toBe(403);
  });
});

describe('versions', () => {
  fresh();

  test('If-Match with an old tag is answered 412, and changes nothing', async () => {
    const { etag } = await call('GET', B);
    const first = await call('PUT', B, { detection: { max_persons: 2 } }, { 'If-Match': etag! });
    expect(first.status).toBe(200);
    expect(first.etag).not.toBe(etag);
    const second = await call('PUT', B, { detection: { max_persons: 3 } }, { 'If-Match': etag! });
    expect(second).toMatchObject({
      status: 412,
      etag: first.etag,
      body: { error: { code: 'RESOURCE_CONFLICT' } },
    });
    const { body, etag: now } = await call('GET', A);
    expect([body.detection.max_persons, now]).toEqual([2, first.etag]);
    expect((await call('PUT', B, { detection: { max_persons: 3 } }, { 'If-Match': '*' })).status).toBe(200);
  });

  test('changes are undone one by one, and the history names their users', async () => {
    await put(B, { detection: { max_persons: 2 } });
    await put(B, { detection: { max_persons: 3, confidence_threshold: 0.3 } });
    expect((await call('POST', `${B}/undo`)).body.data).toMatchObject({
      undone_revision: 2,
      updated_fields: ['detection.confidence_threshold', 'detection.max_persons'],
      configuration: { detection: { max_persons: 2, confidence_threshold: 0 } },
    });
    expect((await call('POST', `${B}/undo`)).body.data.configuration.detection.max_persons).toBe(1);
    expect((await call('POST', `${B}/undo`)).status).toBe(409);
    const { data, pagination } = (await call('GET', `${B}/history?per_page=2`)).body;
    expect(pagination).toMatchObject({ total: 4, has_next: true });
    expect(data[0]).toMatchObject({ revision: 4, account: 'admin', action: 'undo', undoes: 1 });
    expect(data[0]!.changes).toEqual([{ field: 'detection.max_persons', from: 2, to: 1 }]);
  });

  test('it survives restarts of the process', async () => {
    await put(B, { detection: { max_persons: 5 }, neural_network: { batch_size: 8 } });
    const kept = JSON.parse(readFileSync(join(service.stateFolder, 'configuration.json'), 'utf8')) as Body;
    expect(kept.values).toEqual({ 'detection.max_persons': 5, 'neural_network.batch_size': 8 });
    const later = bench();
    const { context } = testContext();
    const again = new Configuration({
      main: later.runner,
      stateFolder: service.stateFolder,
      clock: context.clock,
      log: context.log,
      facts: NO_FACTS,
    });
    const configOf = (id: string) => later.runner.topology.nodes.find((node) => node.id === id)!.config;
    expect([configOf('people')['max_persons'], configOf('poses')['max_batch']]).toEqual([5, 8]);
    expect(again.history).toHaveLength(1);
    await later.close();
  });
});

/** For each field a new value, where it takes effect, and whether running nodes apply it. */
const EFFECTS: readonly (readonly [string, object, string, object, 'at once' | 'restart'])[] = [
  [B, { domain: 'security' }, 'settings', { domain: 'security' }, 'restart'],
  [A, { environment: { name: 'Ward' } }, 'environment', { name: 'Ward' }, 'restart'],
  [B, { detection: { confidence_threshold: 0.5 } }, 'people', { min_shown_confidence: 0.5 }, 'at once'],
  [B, { detection: { max_persons: 3 } }, 'people', { max_persons: 3 }, 'at once'],
  [B, { detection: { enable_tracking: false } }, 'people', { follow: false }, 'at once'],
  [B, { detection: { tracking_max_age: 30 } }, 'people', { max_age_ms: 6000 }, 'at once'],
  [B, { detection: { tracking_min_hits: 5 } }, 'people', { min_hits: 5 }, 'at once'],
  [B, { neural_network: { batch_size: 4 } }, 'poses', { max_batch: 4 }, 'restart'],
  [B, { neural_network: { enable_gpu: true } }, 'poses', { backend: 'auto' }, 'restart'],
  [B, { neural_network: { inference_timeout: 500 } }, 'poses', { timeout_ms: 500 }, 'at once'],
  [B, { hardware: { csi_sampling_rate: 100 } }, 'flat', { rate_hz: 100 }, 'restart'],
  [B, { hardware: { buffer_size: 32 } }, 'queue of flat', { capacity: 32 }, 'restart'],
  [B, { analytics: { enable_fall_detection: false } }, 'node falls', { enabled: false }, 'at once'],
  [B, { analytics: { alert_thresholds: { fall_confidence: 0.5 } } }, 'falls', { threshold: 0 }, 'at once'],
  [
    A,
    { alerts: { fall_detection: { notification_delay_seconds: 2.5 } } },
    'falls',
    { notify_delay_ms: 2500 },
    'at once',
  ],
  [A, { alerts: { inactivity_detection: { enabled: false } } }, 'node still', { enabled: false }, 'at once'],
  [
    A,
    { alerts: { inactivity_detection: { threshold_minutes: 7 } } },
    'still',
    { threshold_minutes: 7 },
    'at once',
  ],
  [B, { analytics: { enable_activity_recognition: false } }, 'node doings', { enabled: false }, 'at once'],
  [A, { streaming: { websocket_enabled: false } }, 'node live', { enabled: false }, 'at once'],
  [
    B,
    { privacy: { data_retention_days: 30 } },
    'settings',
    { privacy: { dataRetentionDays: 30 } },
    'restart',
  ],
  [B, { privacy: { anonymize_data: true } }, 'settings', { privacy: { anonymizeData: true } }, 'restart'],
  [
    B,
    { privacy: { enable_encryption: true } },
    'settings',
    { privacy: { enableEncryption: true } },
    'restart',
  ],
  [A, { streaming: { restream_enabled: false } }, 'node stream', { enabled: false }, 'at once'],
  [A, { streaming: { mqtt_enabled: false } }, 'node broker', { enabled: false }, 'at once'],
];

function acts(place: string): unknown {
  const { topology } = made.runner;
  if (place === 'settings') return topology.settings;
  if (place === 'environment') return topology.environments[0];
  const node = topology.nodes.find(({ id }) => id === place.split(' ').at(-1))!;
  return place.startsWith('node') ? node : place.startsWith('queue') ? node.queue : node.config;
}

describe('each field has its effect, and the restart flag is correct', () => {
  shared();

  test.each(EFFECTS)('%s %j', async (path, body, place, expected, when) => {
    const answer = await put(path, body);
    const waits = path === A ? answer.restart_required : answer.data.requires_restart;
    expect(waits).toBe(when === 'restart');
    if (waits) {
      expect(acts(place)).not.toMatchObject(expected);
      await made.runner.restart();
    }
    expect(acts(place)).toMatchObject(expected);
    // Reverted before a restart, so no restart is required.
    expect((await call('POST', `${B}/undo`)).body.data.requires_restart).toBe(waits);
  });

  test('every field that acts on the topology is covered', () => {
    const shown = EFFECTS.flatMap(([path, body]) => [
      ...fieldsOf(FIELDS, path === A ? 'a' : 'b', body).keys(),
    ]);
    const settable = FIELDS.filter((field) => field.write);
    expect(settable.filter((field) => !shown.includes(field)).map(({ name }) => name)).toEqual([]);
  });

  test('a change undone before the restart needs none', async () => {
    await put(B, { neural_network: { batch_size: 4 } });
    expect((await put(B, { neural_network: { batch_size: 32 } })).data).toMatchObject({
      updated_fields: ['neural_network.batch_size'],
      requires_restart: false,
    });
    await call('POST', `${B}/undo`);
    await call('POST', `${B}/undo`);
  });

  test('a plan of the same file keeps the configuration', async () => {
    await put(B, { detection: { max_persons: 3 } });
    const path = '/form-b/api/v1/topologies/room/plan';
    const { data } = (await call('POST', path, { topology: 'the same' })).body;
    expect(data.changes.filter(({ change }) => change !== 'unchanged')).toEqual([]);
  });
});

describe('a topology without the nodes that fields act on', () => {
  shared();

  test('Form A warns of fields without effect, Form B rejects them, and neither keeps them', async () => {
    const few = bench({
      sources: { routers: { type: 'udp' } },
      operators: { motion: { type: 'window', from: 'routers' } },
      sinks: { out: { type: 'console', from: 'routers' } },
    });
    const small = await openService(DEFAULT_LIMITS, { main: few.runner });
    const before = service;
    try {
      service = small;
      const { changes_applied, validation_warnings } = await put(A, {
        domain: 'retail',
        streaming: { mqtt_enabled: true },
      });
      expect(changes_applied).toEqual(['domain']);
      expect(validation_warnings).toEqual([
        'streaming.mqtt_enabled was not changed: no node of the topology room applies it (docs/configuration.md)',
      ]);
      const refused = await call('PUT', B, { detection: { max_persons: 4 } });
      expect(refused.body.error.message).toContain('no node of the topology room applies it');
      expect((await call('PUT', B, { hardware: { csi_sampling_rate: 50 } })).status).toBe(422);
      const a = (await call('GET', A)).body;
      expect(a.streaming.mqtt_enabled).toBe(false);
      expect((await put(A, a)).changes_applied).toEqual([]);
    } finally {
      service = before;
      await small.close();
      await few.close();
    }
  });
});

describe('several environments', () => {
  test('calls without an id use the selected one', async () => {
    const links = testEnvironment.links.map((link) => ({
      ...link,
      id: `${link.id}b`,
      sender: `${link.sender}b`,
    }));
    const two = bench(WHOLE, [testEnvironment, { ...testEnvironment, id: 'second', links }]);
    const { context } = testContext();
    const configuration = new Configuration({
      main: two.runner,
      stateFolder: two.folder,
      clock: context.clock,
      log: context.log,
      facts: NO_FACTS,
    });
    const field = FIELDS.find(({ name }) => name === 'environment_id')!;
    expect(configuration.environment).toBe(testEnvironment.id);
    configuration.change(new Map<Field, Value>([[field, 'second']]), 'ada');
    expect(configuration.environment).toBe('second');
    await two.close();
  });
});

test('the configuration page has each field of both forms', () => {
  const page = readFileSync('docs/configuration.md', 'utf8');
  const paths = FIELDS.flatMap(({ views }) => [views.a?.path, views.b?.path]).filter(
    (path) => path !== undefined,
  );
  expect(paths.filter((path) => !page.includes(`\`${path}\``))).toEqual([]);
});

describe('a start with a configuration', () => {
  fresh();

  const start = (configuration: object, role: 'admin' | 'operator' = 'admin') =>
    call('POST', '/form-b/api/v1/system/start', { configuration }, {}, role);

  beforeEach(async () => {
    await made.runner.stop();
  });

  test('sets it first, and keeps it', async () => {
    const configuration = {
      domain: 'security',
      environment_id: testEnvironment.id,
      detection_settings: { confidence_threshold: 0.3, max_persons: 2, enable_tracking: true },
      hardware_settings: { csi_sampling_rate: 100, buffer_size: 64 },
    };
    const { status, body } = await start(configuration);
    expect(status).toBe(202);
    expect(body.data).toMatchObject({ configuration_applied: configuration });
    const people = made.runner.topology.nodes.find(({ id }) => id === 'people')!;
    expect(people.config).toMatchObject({ min_shown_confidence: 0.3, max_persons: 2 });
    expect((await call('GET', B)).body.data).toMatchObject({
      domain: 'security',
      hardware: { buffer_size: 64 },
    });
  });

  test('an operator may do so too: the history names the user', async () => {
    expect((await start({ detection_settings: { max_persons: 3 } }, 'operator')).status).toBe(202);
    expect((await call('GET', B)).body.data).toMatchObject({ detection: { max_persons: 3 } });
    const { body } = await call('GET', `${B}/history`);
    expect(body.data).toEqual([
      expect.objectContaining({
        account: 'operator',
        changes: [expect.objectContaining({ field: 'detection.max_persons' })],
      }),
    ]);
    const refused = await call('POST', '/form-b/api/v1/system/start', {}, {}, 'viewer');
    expect(refused.status).toBe(403);
  });

  test('names an invalid value, and starts nothing', async () => {
    const { status, body } = await start({ environment_id: 'nowhere' });
    expect(status).toBe(422);
    expect(body.error.details).toMatchObject({ field: 'configuration.environment_id' });
    expect(made.runner.status().state).toBe('stopped');
  });
});

describe('the form of single endpoints', () => {
  fresh();

  test('applies under /api/v1 only, even to errors', async () => {
    await service.close();
    service = await openService(DEFAULT_LIMITS, { main: made.runner, formsOf: readFormsOf(['/config=a']) });
    expect((await call('GET', '/api/v1/config')).body.detection.max_persons).toBe(1);
    expect((await call('GET', '/api/v1/config/schema')).body.data.defaults).toBeDefined();
    expect((await call('GET', B)).body.data.detection.max_persons).toBe(1);
    const refused = await call('PUT', '/api/v1/config', { detection: { max_persons: 0 } });
    expect(refused.body.error.details.field_errors[0]).toMatchObject({ field: 'detection.max_persons' });
  });

  test('names a path without an endpoint, and an unknown form', () => {
    expect(() => readFormsOf(['/pose/lastest=a'])).toThrow('did you mean /pose/latest?');
    expect(() => readFormsOf(['/pose/latest=c'])).toThrow('write a path and a or b');
    expect([...readFormsOf(['/pose/tracking/{track_id}=b', '/ws/pose=a'])]).toHaveLength(2);
  });
});
