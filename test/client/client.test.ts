import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { WebSocket } from 'ws';
import { createClient, ServiceError, type ClientOptions, type LiveState } from '../../api/client/index.js';
import { ApiKeys } from '../../api/auth/api-keys.js';
import { ServerSchemas } from '../../api/ws/schemas.js';
import { openService, type TestService } from '../api/support.js';
import { FIRST_TIME, fallEvent, person, poseFrame } from '../support/fake-topology.js';

let service: TestService;
beforeEach(async () => {
  service = await openService();
});
afterEach(async () => {
  await service.close();
  expect(unfit.splice(0)).toEqual([]);
});

const viewer = { username: 'viewer', password: 'pw' };
const sockets: WebSocket[] = [];
/** Messages that AsyncAPI's schemas do not describe. */
const unfit: object[] = [];
/** Can be ended without a word. */
class Breakable extends WebSocket {
  constructor(...given: ConstructorParameters<typeof WebSocket>) {
    super(...given);
    sockets.push(this);
    this.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { readonly type: keyof typeof ServerSchemas };
      const schema = ServerSchemas[message.type] as TSchema | undefined;
      if (!schema || !Value.Check(schema, message)) unfit.push(message);
    });
  }
}
const clientOf = <F extends 'a' | 'b'>(form: F, options: Partial<ClientOptions<F>> = {}) =>
  createClient({
    address: service.server.address,
    form,
    credentials: viewer,
    WebSocket: Breakable as unknown as NonNullable<ClientOptions<F>['WebSocket']>,
    ...options,
  });
const iso = (frame: number): string => new Date(FIRST_TIME / 1000 + frame * 100).toISOString();

describe('calls', () => {
  test('the same resource in both forms, typed', async () => {
    service.main.publish(poseFrame(0, [person(1, 2, 2)]));
    const a = await clientOf('a').rest.GET('/pose/latest');
    expect(a.data?.persons[0]?.tracking_info.track_id).toBe('track_1');
    const b = await clientOf('b').rest.GET('/pose/latest', { params: { query: { min_confidence: 0.1 } } });
    expect(b.data?.data.persons[0]?.track_id).toBe(1);
  });

  test('parameters in the path and lists', async () => {
    const { rest } = clientOf('b');
    await expect(
      rest.GET('/pose/tracking/{track_id}', { params: { path: { track_id: 99 } } }),
    ).rejects.toMatchObject({ status: 404, code: 'RESOURCE_NOT_FOUND' });
    const { data } = await rest.GET('/pose/history', {
      params: { query: { start_time: iso(0), end_time: iso(9) } },
    });
    expect(data?.pagination).toMatchObject({ page: 1, total: 0 });
  });

  test('an error carries what the service said of it', async () => {
    const call = clientOf('a').rest.GET('/pose/history', { params: { query: { limit: 1001 } } });
    const error = await call.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      details: { field_errors: [{ field: 'limit', received_value: 1001 }] },
    });
    expect((error as ServiceError).requestId).not.toBe('');
  });

  test('a wrong password is an error of the service, at each call', async () => {
    const { rest } = clientOf('b', { credentials: { ...viewer, password: 'no' } });
    await expect(rest.GET('/system/status')).rejects.toMatchObject({ status: 401 });
    await expect(rest.GET('/system/status')).rejects.toMatchObject({ status: 401 });
  });

  test('one login serves all calls, and a token that is refused is asked for anew', async () => {
    const asked: string[] = [];
    const { rest, token } = clientOf('b', {
      fetch: (request) => {
        asked.push(new URL(request.url).pathname.replace(/.*v1/, ''));
        return fetch(request);
      },
    });
    await rest.GET('/system/status');
    await rest.GET('/system/status');
    expect(asked).toEqual(['/auth/token', '/system/status', '/system/status']);
    const admin = clientOf('b', { credentials: { username: 'admin', password: 'pw' } });
    const before = await token();
    await admin.rest.PUT('/auth/users/{name}', {
      params: { path: { name: 'viewer' } },
      body: { password: 'a new password' },
    });
    await admin.rest.PUT('/auth/users/{name}', {
      params: { path: { name: 'viewer' } },
      body: { password: 'pw-again' },
    });
    await expect(rest.GET('/system/status')).rejects.toMatchObject({ status: 401 });
    expect(before).not.toBeNull();
  });

  test('a key for services opens calls', async () => {
    const { key } = new ApiKeys(service.stateFolder).create('grafana', 'viewer', null);
    const { rest, token } = clientOf('b', { credentials: { apiKey: key } });
    expect((await rest.GET('/system/status')).data?.data.status).toBe('running');
    expect(await token()).toBeNull();
  });
});

describe('live', () => {
  test('poses and alerts come to who subscribed, and go on after the connection broke', async () => {
    const [frames, alerts, states]: [number[], string[], LiveState[]] = [[], [], []];
    const live = clientOf('b').live({ onState: (state) => states.push(state) });
    live.subscribe('pose_updates', { include_keypoints: false }, ({ data }) => frames.push(data.frame_id));
    live.subscribe('alerts', {}, ({ alert_id }) => alerts.push(alert_id));
    let next = 0;
    await expect
      .poll(() => (service.main.publish(poseFrame(next++, [person(1, 2, 2)])), frames.length), {
        interval: 20,
      })
      .toBeGreaterThan(0);
    const first = frames[0]!;
    sockets.at(-1)!.terminate();
    await expect.poll(() => states.at(-1)?.connected).toBe(false);
    service.main.publish(poseFrame(next++, [person(1, 2, 2)]));
    service.main.publish(fallEvent());
    await expect.poll(() => frames.at(-1), { timeout: 10_000 }).toBe(next - 1);
    await expect.poll(() => alerts.length).toBe(1);
    expect(frames).toEqual(Array.from({ length: next - first }, (_, index) => first + index));
    live.close();
    await expect.poll(() => states.at(-1)).toMatchObject({ connected: false, again: false });
  });

  test('a credential that is not good ends it, and says so', async () => {
    const states: LiveState[] = [];
    clientOf('b', { credentials: { token: 'no.good.token' } }).live({
      onState: (state) => states.push(state),
    });
    await expect.poll(() => states.at(-1)).toMatchObject({ connected: false, code: 4401, again: false });
  });

  test('what the service does not grant is told', async () => {
    const live = clientOf('b').live();
    const error = await new Promise<Error>((resolve) => {
      live.subscribe('pose_updates', { environment_id: 'nowhere' }, () => undefined, resolve);
    });
    expect(error.message).toContain('No environment is named nowhere');
    live.close();
  });

  test('a second subscription to alerts is refused: nobody could tell whose they are', () => {
    const live = clientOf('b').live();
    live.subscribe('alerts', {}, () => undefined);
    expect(() => live.subscribe('alerts', {}, () => undefined)).toThrow('already');
    live.close();
  });
});
