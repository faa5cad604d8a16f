import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  PoseFrameASchema,
  PoseFrameBSchema,
  PoseRecordASchema,
  PoseRecordBSchema,
} from '../../api/contract/pose-schema.js';
import {
  StartASchema,
  StartBSchema,
  StatusASchema,
  StatusBSchema,
  StopASchema,
  StopBSchema,
} from '../../api/contract/system.js';
import { DEFAULT_LIMITS } from '../../api/service/limits/limits.js';
import { FIRST_TIME, person, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

const A = '/form-a/api/v1';
const B = '/form-b/api/v1';

let service: TestService;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const json = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;
const iso = (frames: number): string => new Date(FIRST_TIME / 1000 + frames * 100).toISOString();

describe('tokens', () => {
  test('Form A answers bare, without a refresh token', async () => {
    const body = await json(await service.post(`${A}/auth/token`, { username: 'viewer', password: 'pw' }));
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'token_type']);
    expect(body['token_type']).toBe('bearer');
  });

  test('Form B answers in the envelope, with a refresh token that grants no access itself', async () => {
    const { data, success } = await json(
      await service.post(`${B}/auth/token`, { username: 'viewer', password: 'pw' }),
    );
    expect(success).toBe(true);
    const { refresh_token: refresh, access_token: access } = data as {
      refresh_token: string;
      access_token: string;
    };
    service.main.publish(poseFrame(0));
    expect((await service.get(`${B}/pose/latest`, access)).status).toBe(200);
    expect((await service.get(`${B}/pose/latest`, refresh)).status).toBe(401);
  });

  test.each([
    ['a wrong password', 'viewer', 'no'],
    ['an unknown name', 'nobody', 'pw'],
  ])('%s is refused with the same answer', async (_what, username, password) => {
    const response = await service.post(`${B}/auth/token`, { username, password });
    expect(response.status).toBe(401);
    expect(await json(response)).toMatchObject({
      success: false,
      error: { code: 'AUTHENTICATION_ERROR', message: 'Wrong name or password' },
    });
  });
});

describe('GET /pose/latest', () => {
  test('is 404 before the first pose and 503 while the system is not running', async () => {
    const token = service.token('viewer');
    const none = await service.get(`${A}/pose/latest`, token);
    expect(none.status).toBe(404);
    expect(await json(none)).toMatchObject({ error: { code: 'POSE_DATA_NOT_FOUND' } });
    service.main.state = 'stopped';
    const stopped = await service.get(`${B}/pose/latest`, token);
    expect(stopped.status).toBe(503);
    expect(stopped.headers.get('retry-after')).toBe('5');
  });

  test('has the fields of both forms and states that the model was trained on simulated CSI', async () => {
    service.main.publish(poseFrame(7));
    const token = service.token('viewer');
    const a = await json(await service.get(`${A}/pose/latest`, token));
    expect(Value.Check(PoseFrameASchema, a)).toBe(true);
    expect(a).toMatchObject({
      frame_id: 7,
      timestamp: '2026-01-01T00:00:00.700Z',
      metadata: {
        router_count: 2,
        processing_pipeline: 'test; simulated; pose-test 1.0.0, trained on simulated CSI',
      },
    });
    const { data } = await json(await service.get(`${B}/pose/latest`, token));
    expect(Value.Check(PoseFrameBSchema, data)).toBe(true);
    expect(data).toMatchObject({ environment_id: 'test-room', metadata: { processing_mode: 'simulated' } });
  });

  test('Form B omits keypoints and persons that are not requested', async () => {
    service.main.publish(poseFrame(0, [person(1, 1, 1), person(2, 2, 2, { confidence: 0.3 })]));
    const { data } = await json(
      await service.get(
        `${B}/pose/latest?include_keypoints=false&min_confidence=0.5`,
        service.token('viewer'),
      ),
    );
    const { persons } = data as { persons: object[] };
    expect(persons).toHaveLength(1);
    expect(persons[0]).not.toHaveProperty('keypoints');
  });

  test('include_3d adds metres and their error', async () => {
    service.main.publish(poseFrame(0, [person(1, 1, 1, { articulated: false, positionError: 0.9 })]));
    const { data } = await json(
      await service.get(`${B}/pose/latest?include_3d=true`, service.token('viewer')),
    );
    expect(data).toMatchObject({
      persons: [{ position: { x: 1, y: 1, z: 0 }, position_error: 0.9, articulated: false }],
    });
    const { persons } = data as { persons: { keypoints: { visible: boolean }[] }[] };
    expect(persons[0]!.keypoints.some(({ visible }) => visible)).toBe(false);
  });

  test.each(['min_confidence=2', 'min_confidence=x', 'include_keypoints=maybe', 'colour=red'])(
    'rejects ?%s',
    async (query) => {
      const response = await service.get(`${B}/pose/latest?${query}`, service.token('viewer'));
      expect(response.status).toBe(422);
      const { error } = await json(response);
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR', details: { field: query.split('=')[0] } });
    },
  );
});

describe('GET /pose/frames', () => {
  interface Body {
    readonly data: {
      readonly frames: readonly {
        readonly frame_id: number;
        readonly persons: readonly { position?: object }[];
      }[];
      readonly next_cursor: string | null;
    };
  }
  const range = `start_time=${iso(0)}&end_time=${iso(25)}`;
  const frames = async (query: string): Promise<Body['data']> => {
    const answer = await service.get(`${B}/pose/frames?${query}`, service.token('viewer'));
    return ((await answer.json()) as Body).data;
  };

  beforeEach(() => {
    for (let index = 0; index < 25; index++)
      service.main.publish(poseFrame(index, index % 2 === 0 ? [] : [person(1, 2, 2)]));
  });

  test('returns frames in which nobody was seen, and positions if asked for', async () => {
    const { frames: found } = await frames(`${range}&include_3d=true`);
    expect(found.map(({ frame_id: id }) => id)).toEqual(Array.from({ length: 25 }, (_, index) => index));
    expect(found[0]!.persons).toEqual([]);
    expect(found[1]!.persons[0]!.position).toEqual({ x: 2, y: 2, z: 0 });
  });

  test('following the cursor gives each frame once', async () => {
    const first = await frames(`${range}&limit=20`);
    const second = await frames(`${range}&limit=20&cursor=${first.next_cursor}`);
    expect([...first.frames, ...second.frames].map(({ frame_id: id }) => id)).toEqual(
      Array.from({ length: 25 }, (_, index) => index),
    );
    expect(second.next_cursor).toBeNull();
  });

  test('a cursor of another range is rejected', async () => {
    const { next_cursor: cursor } = await frames(`${range}&limit=20`);
    const other = `start_time=${iso(1)}&end_time=${iso(25)}&cursor=${cursor}`;
    expect((await service.get(`${B}/pose/frames?${other}`, service.token('viewer'))).status).toBe(422);
  });
});

describe('GET /pose/history', () => {
  beforeEach(() => {
    for (let index = 0; index < 25; index++) service.main.publish(poseFrame(index));
  });

  test('Form A: following the cursor gives each frame once, even while frames are written', async () => {
    const token = service.token('viewer');
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const body = await json(await service.get(`${A}/pose/history?limit=10${query}`, token));
      const { poses, pagination } = body as unknown as {
        poses: { timestamp: string }[];
        pagination: { next_cursor: string | null };
      };
      expect(poses.every((record) => Value.Check(PoseRecordASchema, record))).toBe(true);
      seen.push(...poses.map(({ timestamp }) => timestamp));
      if (seen.length === 10) service.main.publish(poseFrame(25));
      cursor = pagination.next_cursor;
    }
    expect(seen).toEqual(Array.from({ length: 26 }, (_, index) => iso(index)));
  });

  test('Form A: a cursor works only for its own query', async () => {
    const token = service.token('viewer');
    const { pagination } = await json(await service.get(`${A}/pose/history?limit=5`, token));
    const { next_cursor: cursor } = pagination as { next_cursor: string };
    for (const query of [`cursor=${cursor}&person_id=1`, `cursor=${cursor.slice(0, -2)}AA`, 'cursor=%00']) {
      expect((await service.get(`${A}/pose/history?${query}`, token)).status).toBe(422);
    }
  });

  test('Form A: an empty range is 404 with both ranges', async () => {
    const response = await service.get(
      `${A}/pose/history?start_time=2020-01-01T00:00:00Z&end_time=2020-01-02T00:00:00Z`,
      service.token('viewer'),
    );
    expect(response.status).toBe(404);
    expect(await json(response)).toMatchObject({
      error: {
        code: 'POSE_DATA_NOT_FOUND',
        details: {
          requested_range: { start: '2020-01-01T00:00:00.000Z', end: '2020-01-02T00:00:00.000Z' },
          available_range: { start: iso(0), end: iso(24) },
        },
      },
    });
  });

  test('Form B: pages count, start included, end excluded', async () => {
    const body = await json(
      await service.get(
        `${B}/pose/history?start_time=${iso(5)}&end_time=${iso(15)}&per_page=4&page=3`,
        service.token('viewer'),
      ),
    );
    expect(body['pagination']).toEqual({
      page: 3,
      per_page: 4,
      total: 10,
      total_pages: 3,
      has_next: false,
      has_prev: true,
    });
    const data = body['data'] as { timestamp: string }[];
    expect(data.map(({ timestamp }) => timestamp)).toEqual([iso(13), iso(14)]);
    expect(data.every((record) => Value.Check(PoseRecordBSchema, record))).toBe(true);
  });

  test('Form B: an empty range is an empty list', async () => {
    const body = await json(
      await service.get(
        `${B}/pose/history?start_time=2020-01-01T00:00:00Z&end_time=2020-01-02T00:00:00Z`,
        service.token('viewer'),
      ),
    );
    expect(body).toMatchObject({
      data: [],
      pagination: { total: 0, total_pages: 0, has_next: false, has_prev: false },
    });
  });

  test.each([
    [A, 'limit=1001', 422],
    [A, 'limit=0', 422],
    [A, 'start_time=yesterday', 422],
    [A, `start_time=${iso(5)}&end_time=${iso(5)}`, 422],
    [A, 'start_time=2020-01-01T00:00:00Z&end_time=2021-01-01T00:00:00Z', 400],
    [B, `start_time=${iso(0)}`, 422],
    [B, `start_time=${iso(0)}&end_time=${iso(9)}&per_page=1001`, 422],
    [B, `start_time=${iso(0)}&end_time=${iso(9)}&environment_id=nowhere`, 404],
  ])('%s rejects ?%s with %i', async (base, query, status) => {
    expect((await service.get(`${base}/pose/history?${query}`, service.token('viewer'))).status).toBe(status);
  });
});

describe('the system', () => {
  test('status has the fields of both forms', async () => {
    const token = service.token('viewer');
    const a = await json(await service.get(`${A}/system/status`, token));
    expect([...Value.Errors(StatusASchema, a)]).toEqual([]);
    const { data } = await json(await service.get(`${B}/system/status`, token));
    expect([...Value.Errors(StatusBSchema, data)]).toEqual([]);
    expect(data).toMatchObject({
      status: 'running',
      session_id: 'session-1',
      performance: { frames_processed: 100, average_latency_ms: 4 },
    });
  });

  test('a start while running is a conflict; a stop is accepted with its steps, a second one is a conflict', async () => {
    const token = service.token('operator');
    const conflict = await service.post(`${B}/system/start`, {}, token);
    expect(conflict.status).toBe(409);
    expect(await json(conflict)).toMatchObject({ error: { code: 'RESOURCE_CONFLICT' } });
    const stopped = await service.post(`${A}/system/stop`, { force: false, save_state: true }, token);
    expect(stopped.status).toBe(202);
    const body = await json(stopped);
    expect(Value.Check(StopASchema, body)).toBe(true);
    expect(body).toMatchObject({
      status: 'stopping',
      shutdown_steps: [{ status: 'in_progress', progress: 0.5 }],
    });
    expect((await service.post(`${B}/system/stop`, {}, token)).status).toBe(409);
  });

  test('a start is accepted in both forms', async () => {
    service.main.state = 'stopped';
    const token = service.token('operator');
    const a = await service.post(
      `${A}/system/start`,
      { configuration: { environment_id: 'test-room', domain: 'healthcare' } },
      token,
    );
    expect(a.status).toBe(202);
    expect(Value.Check(StartASchema, await json(a))).toBe(true);
    service.main.state = 'stopped';
    const { data } = await json(await service.post(`${B}/system/start`, {}, token));
    expect(Value.Check(StartBSchema, data)).toBe(true);
    service.main.state = 'stopped';
    expect(
      (await service.post(`${B}/system/start`, { configuration: { environment_id: 'x' } }, token)).status,
    ).toBe(422);
  });

  test('Form B names the session of a stop', async () => {
    const { data } = await json(await service.post(`${B}/system/stop`, {}, service.token('operator')));
    expect(Value.Check(StopBSchema, data)).toBe(true);
  });
});

describe('around the endpoints', () => {
  test('health is public and bare under both bases', async () => {
    for (const base of [A, B]) {
      const body = await json(await service.get(`${base}/health`));
      expect(Object.keys(body).sort()).toEqual(['status', 'timestamp', 'uptime', 'version']);
      expect(body['status']).toBe('healthy');
    }
  });

  test('an unknown path is 404, a known one under another method 405 with Allow', async () => {
    expect((await service.get(`${B}/nothing`)).status).toBe(404);
    const wrong = await service.post(`${B}/pose/latest`, {}, service.token('viewer'));
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toContain('GET');
  });

  test('a body that is not sent as JSON is 400 with the reason', async () => {
    const response = await fetch(`${service.server.address}${B}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'viewer', password: 'pw' }),
    });
    expect(response.status).toBe(400);
    expect(JSON.stringify(await json(response))).toContain('Content-Type: application/json');
  });

  test('a body that is not JSON is 400', async () => {
    const response = await fetch(`${service.server.address}${B}/auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"username":',
    });
    expect(response.status).toBe(400);
  });

  test.each(['2016-12-31T23:59:60Z', '2026-01-01T00:00:00+01:00', '2026-02-30'])(
    'an invalid time is 422 with the format to use: %s',
    async (time) => {
      const response = await service.get(`${A}/pose/history?start_time=${time}`, service.token('viewer'));
      expect(response.status).toBe(422);
      expect(JSON.stringify(await json(response))).toContain('such as 2026-03-01T00:00:00Z');
    },
  );

  test('a valid request id is kept, another is replaced', async () => {
    const ask = (id: string) =>
      fetch(`${service.server.address}${B}/health`, { headers: { 'X-Request-Id': id } });
    expect((await ask('abc-123')).headers.get('x-request-id')).toBe('abc-123');
    expect((await ask('a b<script>')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('metrics and the page are at the root', async () => {
    expect(await (await service.get('/metrics')).text()).toContain('csiflow_received_total');
    expect(await (await service.get('/')).text()).toContain('<title>csiflow live</title>');
    expect(await json(await service.get('/scene.json'))).toMatchObject({
      environments: [{ id: 'test-room', topology: 'test' }],
    });
  });
});

test('beyond the limit of its category a caller gets 429 with the headers of the limit', async () => {
  const limited = await openService({ ...DEFAULT_LIMITS, pose_data: { requests: 2, seconds: 3_600 } });
  limited.main.publish(poseFrame(0));
  const token = limited.token('viewer');
  const first = await limited.get(`${B}/pose/latest`, token);
  expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
  await limited.get(`${B}/pose/latest`, token);
  const third = await limited.get(`${B}/pose/latest`, token);
  expect(third.status).toBe(429);
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(3_500);
  expect(await json(third)).toMatchObject({
    error: { code: 'RATE_LIMIT_EXCEEDED', details: { limit: 2, window: 3_600 } },
  });
  await limited.close();
});

test.each([
  ['nothing is there', 'GET', '/nowhere', undefined, 404],
  ['another method', 'DELETE', '/pose/latest', undefined, 405],
  ['no JSON', 'POST', '/auth/token', '{', 400],
  ['a body that is too large', 'POST', '/auth/token', JSON.stringify('x'.repeat(9 << 20)), 413],
  ['no credential', 'GET', '/pose/latest', undefined, 401],
])('the answer has the headers of the limit when %s', async (_what, method, path, body, status) => {
  const response = await fetch(service.server.address + B + path, {
    method,
    headers: { 'Content-Type': 'application/json' },
    ...(body !== undefined && { body }),
  });
  expect(response.status).toBe(status);
  for (const header of ['limit', 'remaining', 'reset', 'window'])
    expect(Number(response.headers.get(`x-ratelimit-${header}`))).toBeGreaterThan(0);
});
