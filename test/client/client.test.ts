import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { WebSocket } from 'ws';
import {
  createClient,
  ServiceError,
  SubscriptionError,
  type ClientOptions,
  type LiveState,
  type Socket,
  type SocketClass,
} from '../../api/client/index.js';
import { ApiKeys } from '../../api/service/accounts/api-keys.js';
import { ServerSchemas } from '../../api/contract/server-messages.js';
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

/** Machines may be busy. */
const SOON = { timeout: 15_000 };
const viewer = { username: 'viewer', password: 'pw' };
const sockets: WebSocket[] = [];
/** Messages that do not match AsyncAPI's schemas. */
const unfit: object[] = [];
/** Can be closed without a close frame. */
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
    WebSocket: Breakable,
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

  test('an error has the message of the service', async () => {
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

  test('a wrong password is an error of the service, on each call', async () => {
    const { rest } = clientOf('b', { credentials: { ...viewer, password: 'no' } });
    await expect(rest.GET('/system/status')).rejects.toMatchObject({ status: 401 });
    await expect(rest.GET('/system/status')).rejects.toMatchObject({ status: 401 });
  });

  test('one login serves all calls, and a rejected token is replaced', async () => {
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

  test('an API key authorises calls', async () => {
    const { key } = new ApiKeys(service.stateFolder).create('grafana', 'viewer', null);
    const { rest, token } = clientOf('b', { credentials: { apiKey: key } });
    expect((await rest.GET('/system/status')).data?.data.status).toBe('running');
    expect(await token()).toBeNull();
  });
});

describe('a login', () => {
  /** Answers of a service whose tokens are valid for `lives` seconds, in turn. */
  const answering = (lives: readonly number[], refuses: (path: string, token: string) => boolean) => {
    const asked: string[] = [];
    let made = 0;
    return {
      asked,
      fetch: async (request: Request): Promise<Response> => {
        const path = new URL(request.url).pathname.replace(/.*v1/, '');
        asked.push(path);
        await Promise.resolve();
        const token = request.headers.get('Authorization') ?? '';
        if (refuses(path, token))
          return Response.json({ error: { code: 'AUTHENTICATION_ERROR' } }, { status: 401 });
        const login = { access_token: `${made}`, refresh_token: `r${made}`, expires_in: lives[made] ?? 3600 };
        if (path.startsWith('/auth')) made++;
        return Response.json({ data: path.startsWith('/auth') ? login : {} });
      },
    };
  };
  const threeCalls = (fetch: (request: Request) => Promise<Response>) => {
    const { rest } = clientOf('b', { fetch });
    return Promise.all(['1', '2', '3'].map(() => rest.GET('/system/status')));
  };

  test('that ends soon is renewed once for all parallel calls', async () => {
    const { asked, fetch } = answering([0], () => false);
    await threeCalls(fetch);
    expect(asked.filter((path) => path.startsWith('/auth'))).toEqual(['/auth/token', '/auth/refresh']);
  });

  test('whose tokens last for seconds is not renewed on each call', async () => {
    const { asked, fetch } = answering([10], () => false);
    await threeCalls(fetch);
    expect(asked.filter((path) => path.startsWith('/auth'))).toEqual(['/auth/token']);
  });

  test('that can no longer be renewed is replaced', async () => {
    const { asked, fetch } = answering([0], (path) => path === '/auth/refresh');
    await threeCalls(fetch);
    expect(asked.filter((path) => path.startsWith('/auth'))).toEqual([
      '/auth/token',
      '/auth/refresh',
      '/auth/token',
    ]);
  });

  test('that is rejected is repeated once for all parallel calls', async () => {
    const { asked, fetch } = answering([], (_path, token) => token === 'Bearer 0');
    await threeCalls(fetch);
    expect(asked.filter((path) => path.startsWith('/auth'))).toEqual(['/auth/token', '/auth/token']);
  });
});

/** WebSockets whose messages a test scripts. */
class Scripted {
  readonly constructed: SocketClass;
  opened: Promise<void>;
  #tellOpened: () => void = () => undefined;
  readonly #listeners = new Map<string, (event: never) => void>();

  constructor() {
    this.opened = this.#next();
    const open = (): void => {
      this.#tellOpened();
    };
    const listeners = this.#listeners;
    this.constructed = class implements Socket {
      constructor() {
        open();
      }
      send(): void {
        return;
      }
      close(): void {
        return;
      }
      addEventListener(type: string, listener: (event: never) => void): void {
        listeners.set(type, listener);
      }
    };
  }

  says(message: object): void {
    this.#listeners.get('message')!({ data: JSON.stringify(message) } as never);
  }

  breaks(): void {
    this.opened = this.#next();
    this.#listeners.get('close')!({ code: 1006, reason: '' } as never);
  }

  #next(): Promise<void> {
    return new Promise((resolve) => (this.#tellOpened = resolve));
  }
}

describe('live', () => {
  test('poses and alerts reach subscribers, and continue after a disconnect', async () => {
    const [frames, alerts, states]: [number[], string[], LiveState[]] = [[], [], []];
    const live = clientOf('b').live({ onState: (state) => states.push(state) });
    live.subscribe('pose_updates', { include_keypoints: false }, ({ data }) => frames.push(data.frame_id));
    live.subscribe('alerts', {}, ({ alert_id }) => alerts.push(alert_id));
    let next = 0;
    await expect
      .poll(() => (service.main.publish(poseFrame(next++, [person(1, 2, 2)])), frames.length), {
        ...SOON,
        interval: 20,
      })
      .toBeGreaterThan(0);
    const first = frames[0]!;
    sockets.at(-1)!.terminate();
    await expect.poll(() => states.at(-1)?.connected, SOON).toBe(false);
    service.main.publish(poseFrame(next++, [person(1, 2, 2)]));
    service.main.publish(fallEvent());
    await expect.poll(() => frames.at(-1), SOON).toBe(next - 1);
    await expect.poll(() => alerts.length, SOON).toBe(1);
    expect(frames).toEqual(Array.from({ length: next - first }, (_, index) => first + index));
    live.close();
    await expect.poll(() => states.at(-1), SOON).toMatchObject({ connected: false, again: false });
  });

  test('an invalid credential ends it with an error', async () => {
    const states: LiveState[] = [];
    clientOf('b', { credentials: { token: 'no.good.token' } }).live({
      onState: (state) => states.push(state),
    });
    await expect
      .poll(() => states.at(-1), SOON)
      .toMatchObject({ connected: false, code: 4401, again: false });
  });

  test.each(['a', 'b'] as const)('persons have the shape of Form %s, like the client', async (form) => {
    const seen: unknown[] = [];
    const live = clientOf(form).live();
    live.subscribe('pose_updates', {}, ({ data }) => seen.push(data.persons[0]));
    let next = 0;
    await expect
      .poll(() => (service.main.publish(poseFrame(next++, [person(1, 2, 2)])), seen.length), {
        ...SOON,
        interval: 20,
      })
      .toBeGreaterThan(0);
    expect(seen[0]).toHaveProperty(form === 'a' ? 'tracking_info.track_id' : 'track_id');
    live.close();
  });

  test('continues with a service that crashes and returns with other keys', async () => {
    const states: boolean[] = [];
    const frames: number[] = [];
    const live = clientOf('b').live({
      maxWaitMs: 250,
      onState: ({ connected }) => states.push(connected),
    });
    live.subscribe('pose_updates', {}, ({ data }) => frames.push(data.frame_id));
    await expect.poll(() => states, SOON).toEqual([true]);
    const port = Number(new URL(service.server.address).port);
    await service.close();
    await expect.poll(() => states.at(-1), SOON).toBe(false);
    service = await openService(undefined, { port });
    await expect.poll(() => states.at(-1), SOON).toBe(true);
    let next = 1_000;
    await expect
      .poll(() => (service.main.publish(poseFrame(next++, [person(1, 2, 2)])), frames.at(-1)), {
        ...SOON,
        interval: 20,
      })
      .toBeGreaterThanOrEqual(1_000);
    live.close();
  });

  test('reports what the service does not grant', async () => {
    const live = clientOf('b').live();
    const error = await new Promise<Error>((resolve) => {
      live.subscribe('pose_updates', { environment_id: 'nowhere' }, () => undefined, resolve);
    });
    expect(error).toBeInstanceOf(SubscriptionError);
    expect(error).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      message: expect.stringContaining('No environment has the id nowhere') as string,
    });
    live.close();
  });

  test('closes the connection if nobody listens for the reason, however long it is', async () => {
    const states: LiveState[] = [];
    const live = clientOf('b').live({ onState: (state) => states.push(state) });
    live.subscribe('alerts', { alert_types: ['party' as 'crowd'] }, () => undefined);
    await expect
      .poll(() => states.at(-1), SOON)
      .toMatchObject({ connected: false, code: 4000, again: false });
    expect(states.at(-1)).toMatchObject({ reason: expect.stringContaining('filters.alert_types') as string });
  });

  test('an alert repeated by a restarted service is delivered once', async () => {
    const socket = new Scripted();
    const live = clientOf('b', { credentials: { token: 't' }, WebSocket: socket.constructed }).live();
    const received: string[] = [];
    live.subscribe('alerts', {}, ({ alert_id }) => received.push(alert_id));
    for (const alerts of [
      ['a', 'b'],
      ['b', 'c'],
    ]) {
      await socket.opened;
      socket.says({ type: 'connection_established' });
      socket.says({ type: 'subscription_confirmed', subscription_id: '1' });
      for (const alert_id of alerts) socket.says({ type: 'alert', alert_id });
      socket.breaks();
    }
    expect(received).toEqual(['a', 'b', 'c']);
    live.close();
  });

  test('answers are distinguished if a subscription ends before its answer', async () => {
    const socket = new Scripted();
    const live = clientOf('b', { credentials: { token: 't' }, WebSocket: socket.constructed }).live();
    const [received, failed]: [string[], Error[]] = [[], []];
    const follow = (name: string) =>
      live.subscribe(
        'pose_updates',
        {},
        () => received.push(name),
        (error) => failed.push(error),
      );
    await socket.opened;
    const first = follow('first');
    socket.says({ type: 'connection_established' });
    socket.says({ type: 'subscription_confirmed', subscription_id: '1' });
    socket.breaks();
    await socket.opened;
    socket.says({ type: 'connection_established' });
    first.close();
    follow('second');
    socket.says({ type: 'error', code: 'RESOURCE_NOT_FOUND', message: 'nothing to resume' });
    socket.says({ type: 'subscription_confirmed', subscription_id: '2' });
    socket.says({ type: 'pose_update', subscription_id: '2', data: { frame_id: 1 } });
    expect([received, failed]).toEqual([['second'], []]);
    live.close();
  });

  test('unsubscribing from an unknown subscription takes no answer from another', async () => {
    const socket = new Scripted();
    const live = clientOf('b', { credentials: { token: 't' }, WebSocket: socket.constructed }).live();
    const failed: Error[] = [];
    const follow = () =>
      live.subscribe(
        'pose_updates',
        {},
        () => undefined,
        (error) => failed.push(error),
      );
    await socket.opened;
    const first = follow();
    socket.says({ type: 'connection_established' });
    socket.says({ type: 'subscription_confirmed', subscription_id: '1' });
    first.close();
    follow();
    socket.says({ type: 'error', code: 'RESOURCE_NOT_FOUND', message: 'no such subscription' });
    socket.says({ type: 'subscription_confirmed', subscription_id: '2' });
    expect(failed).toEqual([]);
    live.close();
  });

  test('rejects a second subscription to alerts, since they could not be distinguished', () => {
    const live = clientOf('b').live();
    live.subscribe('alerts', {}, () => undefined);
    expect(() => live.subscribe('alerts', {}, () => undefined)).toThrow('already');
    live.close();
  });
});
