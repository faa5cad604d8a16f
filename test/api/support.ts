import { expect } from 'vitest';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { Sessions } from '../../api/service/accounts/sessions.js';
import { SigningKeys } from '../../api/service/accounts/signing-keys.js';
import { Users } from '../../api/service/accounts/users.js';
import type { Role } from '../../api/service/accounts/roles.js';
import { DEFAULT_LIMITS } from '../../api/service/limits/limits.js';
import type { Problem } from '../../pipeline/config/index.js';
import { createRunner } from '../../pipeline/runtime/runner.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { openServer, type RunningServer, type ServerOptions } from '../../api/server.js';
import { simulator } from '../../pipeline/sources/simulator/source.js';
import { testContext } from '../support/context.js';
import { FakeTopology } from '../support/fake-topology.js';
import { complaints, holdAnswers, releaseAnswers } from '../support/openapi.js';

export interface TestService {
  readonly server: RunningServer;
  readonly main: FakeTopology;
  /** Folder of users and keys. */
  readonly stateFolder: string;
  /** A token of a fresh user of that role, made with the service's own key. */
  token(role: Role, options?: { readonly expiresIn?: number }): string;
  get(path: string, token?: string): Promise<Response>;
  post(path: string, body: unknown, token?: string): Promise<Response>;
  close(): Promise<void>;
}

const BROKEN: Problem = {
  file: 'test.yaml',
  line: 3,
  column: 5,
  length: 1,
  code: 'config.field.unknown',
  severity: 'error',
  message: 'no such field',
  suggestion: null,
  docs: 'docs/errors.md',
};

const USERS = ['admin', 'operator', 'viewer'] as const;
const [USERS_FILE, SESSIONS_FILE] = ['users.json', 'sessions.json'];

interface Accounts {
  readonly users: string;
  readonly sessions: string;
}
let made: Promise<Accounts> | undefined;

/** The user and session files that all services share: creating them takes longer than a test. */
const accounts = (): Promise<Accounts> =>
  (made ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'csiflow-users-'));
    try {
      const [users, sessions] = [new Users(folder), new Sessions(folder)];
      for (const role of USERS) {
        await users.add(role, role, 'pw');
        sessions.add(`test-${role}`, role, 'none', Date.now() + 3_600_000);
      }
      const read = (name: string) => readFileSync(join(folder, name), 'utf8');
      return { users: read(USERS_FILE), sessions: read(SESSIONS_FILE) };
    } finally {
      rmSync(folder, { recursive: true });
    }
  })());

/** Adds a source to a fake topology, as every real one has: its configuration includes fields of it. */
export function addSource(main: FakeTopology, id = 'in'): void {
  const source = {
    id,
    component: simulator,
    config: { rate_hz: 50 },
    inputs: [],
    queue: null,
    secrets: [],
    hash: id,
  } as const;
  main.topology = { ...main.topology, nodes: [source, ...main.topology.nodes] };
}

/** For tests that call more often than any caller may. */
export const UNLIMITED = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS).map((name) => [name, { requests: 1_000_000, seconds: 3_600 }]),
) as typeof DEFAULT_LIMITS;

/** A service over a fake topology on a free port, with one user of each role, named as the role, password `pw`. */
export async function openService(
  limits = DEFAULT_LIMITS,
  outside: Partial<
    Pick<
      ServerOptions,
      | 'tls'
      | 'hosts'
      | 'origins'
      | 'identityProvider'
      | 'answerMs'
      | 'slowMs'
      | 'parse'
      | 'clock'
      | 'log'
      | 'main'
      | 'beside'
      | 'port'
      | 'stateFolder'
      | 'accountsFolder'
      | 'formsOf'
      | 'loginRequired'
    >
  > = {},
): Promise<TestService> {
  const stateFolder = outside.stateFolder ?? mkdtempSync(join(tmpdir(), 'csiflow-api-'));
  const { users, sessions } = await accounts();
  writeFileSync(join(stateFolder, USERS_FILE), users, { mode: 0o600 });
  // A reopened service keeps the existing sessions.
  const logins = join(stateFolder, SESSIONS_FILE);
  if (!existsSync(logins)) writeFileSync(logins, sessions, { mode: 0o600 });
  const main = new FakeTopology();
  const { context } = testContext({
    clock: { now: () => Date.now() * 1000, elapsed: () => performance.now() },
  });
  const server = await openServer({
    main,
    parse: (text) => (text === 'fine' ? { topology: main.topology, problems: [] } : { problems: [BROKEN] }),
    clock: context.clock,
    log: context.log,
    stateFolder,
    host: '127.0.0.1',
    port: 0,
    askGpu: async () => null,
    form: 'b',
    workshop: {
      run: (topology) => createRunner(topology, { log: createLogger({ level: 'error' }) }),
      forget: () => undefined,
    },
    metrics: async () => 'csiflow_received_total 1\n',
    watch: (_node, watcher) =>
      main.feed.listen((records) => {
        records.forEach(watcher);
      }),
    limits,
    ...outside,
  });
  holdAnswers(server.address);
  const { id, key } = new SigningKeys(stateFolder).newest;
  const headers = (token: string | undefined) => ({
    'Content-Type': 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  });
  /** Checks that each response matches the OpenAPI document. */
  const call = async (method: string, path: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(server.address + path, { ...init, method });
    if (response.headers.get('Content-Type')?.startsWith('application/json'))
      expect(complaints(method, path, response, await response.clone().json())).toEqual([]);
    return response;
  };
  return {
    server,
    main,
    stateFolder,
    token: (role, { expiresIn = 600 } = {}) =>
      jwt.sign({ use: 'access', role, sid: `test-${role}` }, key, {
        algorithm: 'HS256',
        keyid: id,
        subject: role,
        jwtid: 'test',
        expiresIn,
      }),
    get: (path, token) => call('GET', path, { headers: headers(token) }),
    post: (path, body, token) => call('POST', path, { headers: headers(token), body: JSON.stringify(body) }),
    async close() {
      await server.close();
      releaseAnswers(server.address);
      if (outside.stateFolder === undefined) rmSync(stateFolder, { recursive: true });
    },
  };
}
