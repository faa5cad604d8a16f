import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Sink } from '../../pipeline/component/index.js';
import { SigningKeys } from '../../api/service/accounts/signing-keys.js';
import type { Role } from '../../api/service/accounts/roles.js';
import { ENDPOINTS } from '../../api/rest/endpoints.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { testContext } from '../support/context.js';
import { callWith, named, OPERATIONS } from '../support/endpoints.js';
import { injectionConformance } from '../support/injection.js';
import { addSource, openService, UNLIMITED, type TestService } from './support.js';

let service: TestService;
beforeAll(async () => {
  service = await openService(UNLIMITED);
  addSource(service.main);
});
afterAll(() => service.close());
beforeEach(() => {
  service.main.state = 'running';
});

interface Sent {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
}

const send = (method: string, path: string, { token, headers, body }: Sent = {}): Promise<Response> =>
  fetch(service.server.address + path, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(typeof body === 'string' && { body }),
  });

const agent = new Agent({ keepAlive: true });
afterAll(() => {
  agent.destroy();
});

/** Only the status, without the cost of `fetch`, for thousands of calls. */
const statusOf = (method: string, path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve, reject) => {
    request(service.server.address + path, { agent, method, headers }, (response) => {
      response.resume().once('end', () => {
        resolve(response.statusCode!);
      });
    })
      .once('error', reject)
      .end();
  });

const alive = async (): Promise<void> => {
  expect((await send('GET', '/form-b/api/v1/health')).status).toBe(200);
};

// ---------------------------------------------------------------- permissions

/** None may be open by accident: a new open endpoint must be listed here too. */
const OPEN = ['POST /auth/token', 'POST /auth/refresh', 'POST /auth/revoke', 'GET /health'];

test('only the intended endpoints are public', () => {
  const open = ENDPOINTS.filter(({ access }) => access === 'open');
  expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...OPEN].sort());
});

const MOUNTS = ['/form-a/api/v1', '/form-b/api/v1', '/api/v1'];
const baseOf = (path: string): string => MOUNTS.find((base) => path.startsWith(base))!;

/** At every mount, including those of the form that lacks the endpoint. */
const GUARDED = ENDPOINTS.filter(({ access }) => access !== 'open').flatMap((endpoint) =>
  MOUNTS.map((base) => ({
    name: `${endpoint.method} ${base}${endpoint.path}`,
    method: endpoint.method,
    access: endpoint.access as Role,
    path: base + endpoint.path,
  })),
);

/** Forged tokens. */
let forgeries: Readonly<Record<string, string>>;
beforeAll(() => {
  forgeries = forged();
});

function forged(): Readonly<Record<string, string>> {
  const good = service.token('admin');
  const [header, payload, signature] = good.split('.') as [string, string, string];
  const base64 = (text: string) => Buffer.from(text).toString('base64url');
  const { id, key: ours } = new SigningKeys(service.stateFolder).newest;
  const claims = { use: 'access', role: 'admin', sid: 'test-admin' };
  const sign = (key: jwt.Secret, options: jwt.SignOptions = {}) =>
    jwt.sign(claims, key, { subject: 'admin', expiresIn: 600, keyid: id, ...options });
  return {
    'no token at all': 'nonsense',
    'an expired one': service.token('admin', { expiresIn: -1 }),
    'alg none, without a signature': `${base64('{"alg":"none","typ":"JWT"}')}.${payload}.`,
    'alg none, with our key id': `${base64(`{"alg":"none","typ":"JWT","kid":"${id}"}`)}.${payload}.`,
    'alg NONE, with the signature of a good one': `${base64(`{"alg":"NONE","kid":"${id}"}`)}.${payload}.${signature}`,
    'signed with a key of its own': sign('x'.repeat(48)),
    'signed with the empty key': `${header}.${payload}.${base64('')}`,
    'signed with our key id': sign(id),
    'signed with a public text': sign('csiflow'),
    'of another key id': sign(ours, { keyid: 'another' }),
    'without a key id': jwt.sign(claims, ours, { subject: 'admin', expiresIn: 600 }),
    'of a key id that is a path': sign('x', { keyid: '../../../../dev/null' }),
    'of another algorithm with our key': sign(ours, { algorithm: 'HS512' }),
    'with a changed payload': `${header}.${base64(JSON.stringify({ ...claims, sub: 'root' }))}.${signature}`,
    'with half its signature': good.slice(0, -20),
    'of a login that is none': jwt.sign({ ...claims, sid: 'none' }, ours, {
      subject: 'admin',
      expiresIn: 600,
      keyid: id,
    }),
    'that is meant to refresh': jwt.sign({ ...claims, use: 'refresh' }, ours, {
      subject: 'admin',
      expiresIn: 600,
      keyid: id,
    }),
    'of a user that is none': jwt.sign(claims, ours, { subject: 'root', expiresIn: 600, keyid: id }),
  };
}

describe('every route that is not public', () => {
  const bearer = (token: string): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${token}` });
  /** The status of each credential that is not answered with 401. */
  const accepted = async (
    { method, path }: (typeof GUARDED)[number],
    credentials: Readonly<Record<string, Readonly<Record<string, string>>>>,
  ): Promise<readonly (readonly [string, number])[]> => {
    const answers: Record<string, number> = {};
    for (const [what, headers] of Object.entries(credentials))
      answers[what] = await statusOf(method, path, headers);
    return Object.entries(answers).filter(([, status]) => status !== 401);
  };

  // Each forgery at each route would be 3,700 calls that one function answers: each route has a few of them in turn.
  const TURNS = 3;
  const numbered = GUARDED.map((route, index) => [route.name, route, index * TURNS] as const);
  test.each(numbered)('%s is 401 without a valid credential', async (_name, route, from) => {
    const all = Object.entries(forgeries);
    const some = Array.from({ length: TURNS }, (_, index) => all[(from + index) % all.length]!);
    const credentials = {
      'no credential': {},
      'an unknown key': { 'X-API-Key': `csiflow_${'x'.repeat(43)}` },
      'name and password': { Authorization: `Basic ${Buffer.from('admin:pw').toString('base64')}` },
      ...Object.fromEntries(some.map(([what, token]) => [what, bearer(token)])),
    };
    expect(await accepted(route, credentials)).toEqual([]);
  });

  const ofEachRole = GUARDED.filter(
    ({ access, path }, index) =>
      GUARDED.findIndex((one) => one.access === access && baseOf(one.path) === baseOf(path)) === index,
  );
  test.each(named(ofEachRole))('%s is 401 for every forgery', async (_name, route) => {
    const credentials = Object.entries(forgeries).map(([what, token]) => [what, bearer(token)] as const);
    expect(await accepted(route, Object.fromEntries(credentials))).toEqual([]);
  });

  const RANKS: readonly Role[] = ['viewer', 'operator', 'admin'];
  const below = GUARDED.flatMap((route) =>
    RANKS.slice(0, RANKS.indexOf(route.access)).map((role) => ({ ...route, role })),
  );
  test.each(below.map((route) => [route.name, route.role, route] as const))(
    '%s is 403 for the role %s',
    async (_name, role, { method, path }) => {
      expect((await send(method, path, { token: service.token(role) })).status).toBe(403);
    },
  );

  test('endpoints that change something are not for viewers', () => {
    const changing = ENDPOINTS.filter(({ method, access }) => method !== 'GET' && access === 'viewer');
    // A query only, with its parameters in a body.
    expect(changing.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /pose/query']);
  });
});

// ---------------------------------------------------------------- content of parameters and bodies

describe('a path out of the folder', () => {
  const outside = join(tmpdir(), 'csiflow-traversal');
  const TEXTS = [
    '../csiflow-traversal',
    '../../../../../../etc/passwd',
    '..\\..\\etc\\passwd',
    outside,
    '..',
    'a\0b',
  ];
  const withText = OPERATIONS.filter(({ endpoint, form }) => endpoint[form]!.path);

  test.each(named(withText))('leads nowhere in %s', async (_name, operation) => {
    const before = readdirSync(service.stateFolder).sort();
    for (const text of TEXTS) {
      const { path, body } = callWith(operation, text);
      const response = await send(operation.endpoint.method, path, { token: service.token('admin'), body });
      const answer = await response.text();
      expect([400, 404, 405, 409, 422]).toContain(response.status);
      expect(answer).not.toContain('root:');
    }
    expect(existsSync(outside)).toBe(false);
    const fresh = readdirSync(service.stateFolder).filter((file) => !before.includes(file));
    expect(fresh.filter((file) => !/^audit/.test(file))).toEqual([]);
  });

  test.each([
    '/../../../../etc/passwd',
    '/docs/../../package.json',
    '/docs/..%2f..%2fpackage.json',
    '//etc/passwd',
  ])('leads nowhere as %s', async (path) => {
    // Over a bare socket, because clients normalise such paths.
    const socket = connect(Number(new URL(service.server.address).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    let answer = '';
    socket.on('data', (data: Buffer) => (answer += data.toString()));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).not.toMatch(/root:|"dependencies"/);
  });
});

injectionConformance('duckdb', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-injection-'));
  const sink: Sink = duckdb.create(
    Value.Default(duckdb.config, { path: 'store.duckdb' }) as never,
    testContext({ folder }).context,
  );
  await sink.open();
  return {
    reader: sink.reader!,
    put: async (records) => {
      await sink.write(records, 1);
      await sink.flush();
    },
    close: async () => {
      await sink.close();
      rmSync(folder, { recursive: true });
    },
  };
});

describe('the prototype of all objects', () => {
  const withBody = OPERATIONS.filter(({ endpoint, form }) => endpoint[form]!.body);
  const POLLUTION = '{"polluted":true}';

  test.each(named(withBody))('is not reached by the body of %s', async (_name, operation) => {
    const { path, body } = callWith(operation, 'x');
    const inner = body!.slice(1, -1);
    const fields = Object.keys(JSON.parse(body!) as object);
    const bodies = [
      `{"__proto__":${POLLUTION}${inner && `,${inner}`}}`,
      `{"constructor":{"prototype":${POLLUTION}}${inner && `,${inner}`}}`,
      ...fields.map((field) => `{"${field}":{"__proto__":${POLLUTION}}}`),
    ];
    for (const one of bodies) {
      const { endpoint } = operation;
      const response = await send(endpoint.method, path, { token: service.token('admin'), body: one });
      expect([400, 422]).toContain(response.status);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  test.each(named(OPERATIONS))('is not reached by the parameters of %s', async (_name, operation) => {
    const { path, body } = callWith(operation, 'x');
    const joined = path.includes('?') ? '&' : '?';
    const response = await send(
      operation.endpoint.method,
      `${path}${joined}__proto__=1&__proto__[polluted]=1&constructor=1`,
      { token: service.token('admin'), body },
    );
    expect(response.status).toBe(422);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });
});

describe('a bomb', () => {
  const MEBIBYTE = 1 << 20;
  const withBody = OPERATIONS.filter(({ endpoint, form }) => endpoint[form]!.body);
  /** Inputs on which backtracking patterns take for ever. */
  const SLOW = [`${'a'.repeat(5_000)}!`, '1:'.repeat(2_500), '-'.repeat(5_000), ' '.repeat(5_000) + 'x'];

  test.each(named(OPERATIONS))(
    'of texts that are slow for patterns is rejected or looked up by %s',
    async (_name, operation) => {
      for (const text of SLOW) {
        service.main.state = 'running';
        const { path, body } = callWith(operation, text);
        const { method } = operation.endpoint;
        // Four such texts make a body; an address needs only one.
        if (path.length > 15_000) continue;
        const response = await send(method, path, { token: service.token('admin'), body });
        await response.arrayBuffer();
        expect(response.status).toBeLessThan(500);
      }
      await alive();
    },
  );

  test.each(named(withBody))('of numbers is rejected by %s', async (_name, operation) => {
    const { path } = callWith(operation, 'x');
    for (const number of [
      '1e999999',
      `1${'0'.repeat(100_000)}`,
      `-0.${'0'.repeat(100_000)}1`,
      '[1e308,-1e400]',
    ]) {
      const response = await send(operation.endpoint.method, path, {
        token: service.token('admin'),
        body: number,
      });
      expect([400, 413, 422]).toContain(response.status);
    }
  });

  test.each([
    ['a mebibyte of brackets', '['.repeat(MEBIBYTE - 1), 422],
    ['brackets half a million deep', '['.repeat(MEBIBYTE / 2 - 1) + ']'.repeat(MEBIBYTE / 2 - 1), 422],
    ['objects a hundred thousand deep', '{"a":'.repeat(1e5) + '1' + '}'.repeat(1e5), 422],
    ['a quarter of a million empty objects', `[${'{},'.repeat(MEBIBYTE / 4)}{}]`, 422],
    ['an oversized message', `[${'{},'.repeat(2 * MEBIBYTE)}{}]`, 413],
    ['brackets in a text, and escaped quotes', `{"a":"${'['.repeat(MEBIBYTE / 2)}\\"","b":]}`, 400],
  ])('of %s is rejected, and its memory is released', async (_what, body, expected) => {
    const before = process.memoryUsage().rss;
    const path = '/form-b/api/v1/pose/query';
    for (let time = 0; time < 3; time++) {
      const response = await send('POST', path, { token: service.token('viewer'), body });
      expect(response.status).toBe(expected);
      expect((await response.text()).length).toBeLessThan(10_000);
    }
    await alive();
    expect(process.memoryUsage().rss - before).toBeLessThan(1_500 * MEBIBYTE);
  });

  test.each(['/auth/token', '/auth/refresh', '/auth/revoke'])(
    'needs a credential except at %s, which accepts little',
    async (path) => {
      const response = await send('POST', `/form-b/api/v1${path}`, { body: `["${'x'.repeat(65_536)}"]` });
      expect(response.status).toBe(413);
    },
  );
});

// ---------------------------------------------------------------- floods

describe('a WebSocket flood', () => {
  const open = async (): Promise<WebSocket> => {
    const address = service.server.address.replace('http', 'ws');
    const socket = new WebSocket(`${address}/ws/pose?token=${service.token('viewer')}`);
    await once(socket, 'message');
    return socket;
  };
  const settled = () =>
    expect.poll(() => service.server.streams()).toMatchObject({ connections: 0, filters: 0 });

  test.each([
    ['of pings', '{"type":"ping"}'],
    ['of subscriptions', '{"type":"subscribe","channel":"pose_updates"}'],
    ['of filters', '{"type":"subscribe","channel":"pose_updates","filters":{"person_ids":[1,2,3]}}'],
    ['of brackets', '['.repeat(500)],
    [
      'of a polluted prototype',
      '{"type":"subscribe","channel":"pose_updates","__proto__":{"polluted":true}}',
    ],
  ])('%s closes only its own connection', async (_what, message) => {
    const [flooder, other] = [await open(), await open()];
    const got: string[] = [];
    flooder.on('message', (data: Buffer) => got.push(data.toString()));
    const closed = once(flooder, 'close');
    // Until it is closed: a slow machine may count further messages first.
    while (flooder.readyState === WebSocket.OPEN) {
      for (let index = 0; index < 100; index++) flooder.send(message);
      await new Promise((sent) => {
        flooder.send(message, sent);
      });
      // The server is in this process, and needs its turn to answer.
      await new Promise(setImmediate);
    }
    expect((await closed)[0]).toBe(1008);
    expect(got.filter((text) => text.includes('subscription_confirmed')).length).toBeLessThanOrEqual(10);
    expect(Object.prototype).not.toHaveProperty('polluted');
    const pong = once(other, 'message');
    other.send('{"type":"ping"}');
    expect(((await pong)[0] as Buffer).toString()).toContain('pong');
    other.close();
    await settled();
  });

  test('of sixty thousand brackets in one message is rejected, and the connection continues', async () => {
    const socket = await open();
    for (const [sent, expected] of [
      ['['.repeat(60_000), 'VALIDATION_ERROR'],
      ['{"type":"ping"}', 'pong'],
    ] as const) {
      const answer = once(socket, 'message');
      socket.send(sent);
      expect(((await answer)[0] as Buffer).toString()).toContain(expected);
    }
    socket.close();
    await settled();
  });

  test('of a message that is too large closes its own connection', async () => {
    const socket = await open();
    socket.send('x'.repeat(1 << 20));
    expect((await once(socket, 'close'))[0]).toBe(1009);
    await settled();
  });

  test('of connections is refused beyond the limit of an address, and leaves nothing behind', async () => {
    const address = service.server.address.replace('http', 'ws');
    const sockets = Array.from({ length: 150 }, () => {
      const socket = new WebSocket(`${address}/ws/pose?token=${service.token('viewer')}`);
      return new Promise<WebSocket | null>((resolve) => {
        socket.once('open', () => {
          resolve(socket);
        });
        socket.once('error', () => {
          resolve(null);
        });
      });
    });
    const opened = (await Promise.all(sockets)).filter((socket) => socket !== null);
    expect(opened).toHaveLength(100);
    await alive();
    for (const socket of opened) socket.terminate();
    await settled();
  });

  test('of strangers opens nothing', async () => {
    const address = service.server.address.replace('http', 'ws');
    const answers = Object.values(forgeries).map(async (token) => {
      const socket = new WebSocket(`${address}/ws/pose?token=${encodeURIComponent(token)}`);
      const [error] = (await once(socket, 'error')) as [Error];
      return error.message;
    });
    for (const answer of await Promise.all(answers)) expect(answer).toContain('401');
  });
});
