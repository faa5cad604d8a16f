import type { Component } from '../../pipeline/component/index.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RestartSchema, StepsSchema } from '../../api/contract/system.js';
import { LifecycleTimes } from '../../api/service/deployment/lifecycle-times.js';
import { calibrate } from '../../operators/calibrate/calibrate.js';
import { UNCALIBRATED, writeCalibration } from '../../operators/infer-pose/model/calibration.js';
import { inferPose } from '../../operators/infer-pose/infer-pose.js';
import type { LifecycleState, TopologyStatus } from '../../pipeline/runtime/status.js';
import { FakeTopology } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

const A = '/form-a/api/v1';
const B = '/form-b/api/v1';

let service: TestService;
let token: string;
beforeEach(async () => {
  service = await openService();
  token = service.token('operator');
});
afterEach(() => service.close());

const json = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;

describe('POST /system/restart', () => {
  test.each([A, B])('names both sessions under %s, in the envelope', async (base) => {
    service.main.restart = async () => {
      const before = service.main.status();
      service.main.state = 'restarting';
      service.main.status = () => ({ ...before, state: 'restarting', sessionId: 'session-2' });
    };
    const response = await service.post(`${base}/system/restart`, {}, token);
    expect(response.status).toBe(202);
    const { data } = await json(response);
    expect(Value.Check(RestartSchema, data)).toBe(true);
    expect(data).toMatchObject({
      status: 'restarting',
      previous_session_id: 'session-1',
      new_session_id: 'session-2',
      estimated_restart_time: 0,
    });
  });
});

/** Rejected calls by state. */
const CONFLICTS = [
  ['start', 'running'],
  ['start', 'degraded'],
  ['start', 'starting'],
  ['start', 'stopping'],
  ['stop', 'stopped'],
  ['stop', 'stopping'],
  ['restart', 'stopped'],
  ['restart', 'starting'],
  ['restart', 'restarting'],
] as const;

test.each(CONFLICTS)(
  '%s while it is %s is a conflict that names the state, in both forms',
  async (action, state) => {
    service.main.state = state;
    const a = await service.post(`${A}/system/${action}`, {}, token);
    expect(a.status).toBe(409);
    const b = await service.post(`${B}/system/${action}`, {}, token);
    expect(b.status).toBe(409);
    const details = { code: 'RESOURCE_CONFLICT', details: { current_status: state } };
    expect(await json(b)).toMatchObject({ success: false, error: details });
    // A restart has no Form A body, but errors have.
    expect(await json(a)).toMatchObject({ error: details });
  },
);

test('a stop that takes too long is forced', async () => {
  service.main.state = 'stopping';
  const response = await service.post(`${A}/system/stop`, { force: true }, token);
  expect(response.status).toBe(202);
  expect(await json(response)).toMatchObject({ status: 'stopping' });
  const other = await service.post(`${B}/topologies/test/stop`, { force: true }, token);
  expect(other.status).toBe(202);
  expect(service.main.stops).toEqual([
    { force: true, saveState: true },
    { force: true, saveState: true },
  ]);
});

test('a topology that failed has no uptime', async () => {
  service.main.state = 'failed';
  const { data } = await json(await service.get(`${B}/system/status`, token));
  expect(data).toMatchObject({ status: 'failed', uptime_seconds: 0 });
});

test('steps show the progress of a start', async () => {
  const response = await service.get(`${B}/system/steps`, service.token('viewer'));
  const { data } = await json(response);
  expect(Value.Check(StepsSchema, data)).toBe(true);
  expect(data).toEqual({
    status: 'running',
    session_id: 'session-1',
    steps: [{ step: 'model_loading', status: 'in_progress', progress: 0.5 }],
  });
});

describe('calibration_required', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'csiflow-calibrated-'));
    service.main.state = 'stopped';
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const withNode = (component: Component, config: object) => {
    const node = { id: 'node', component, config, inputs: [], queue: null, secrets: [], hash: 'node' };
    Object.assign(service.main, { topology: { ...service.main.topology, folder, nodes: [node] } });
  };
  const withPoses = (calibration?: string) => {
    withNode(inferPose, calibration === undefined ? {} : { calibration });
  };
  const start = (required: boolean) =>
    service.post(`${A}/system/start`, { configuration: { calibration_required: required } }, token);

  test('a required but missing calibration prevents the start of a network', async () => {
    withPoses();
    const refused = await start(true);
    expect(refused.status).toBe(422);
    expect(await json(refused)).toMatchObject({
      error: { details: { field_errors: [{ field: 'configuration.calibration_required' }] } },
    });
    expect((await start(false)).status).toBe(202);
  });

  test('a calibration of its links allows the start; another or unreadable one does not', async () => {
    const profile = new Array<number>(13).fill(1);
    writeCalibration(join(folder, 'room.json'), { ...UNCALIBRATED, profiles: { 'link-1': profile } });
    writeCalibration(join(folder, 'other.json'), { ...UNCALIBRATED, profiles: { elsewhere: profile } });
    writeFileSync(join(folder, 'broken.json'), 'no JSON');
    for (const file of ['broken.json', 'missing.json', 'other.json']) {
      withPoses(file);
      expect((await start(true)).status).toBe(422);
    }
    withPoses('room.json');
    expect((await start(true)).status).toBe(202);
  });

  test('a node that calibrates frames requires its part of the file', async () => {
    writeCalibration(join(folder, 'room.json'), UNCALIBRATED);
    withNode(calibrate, { calibration: 'room.json' });
    const refused = await start(true);
    expect(refused.status).toBe(422);
    expect(JSON.stringify(await json(refused))).toMatch(/it was measured without the operator calibrate/);
    writeCalibration(join(folder, 'room.json'), UNCALIBRATED, { links: { 'link-1': [] } });
    expect((await start(true)).status).toBe(202);
  });
});

describe('the duration of a start', () => {
  const withState = (main: FakeTopology, state: LifecycleState): TopologyStatus => ({
    ...main.status(),
    state,
  });

  test('is estimated from earlier ones, even of an earlier process; 0 before the first', () => {
    const main = new FakeTopology();
    main.state = 'stopped';
    let say: (status: TopologyStatus) => void = () => undefined;
    main.onChange = (listener) => {
      say = listener;
      return () => undefined;
    };
    const times = new LifecycleTimes(main, service.stateFolder);
    expect(times.estimate('start')).toBe(0);
    say(withState(main, 'starting'));
    const until = performance.now() + 150;
    while (performance.now() < until);
    say(withState(main, 'running'));
    say(withState(main, 'stopping'));
    say(withState(main, 'stopped'));
    expect(times.estimate('start')).toBeGreaterThanOrEqual(0.1);
    expect(times.estimate('stop')).toBeLessThan(times.estimate('start'));
    times.close();
    const later = new LifecycleTimes(main, service.stateFolder);
    expect(later.estimate('start')).toBe(times.estimate('start'));
    expect(later.estimate('restart')).toBeGreaterThanOrEqual(later.estimate('start'));
  });
});
