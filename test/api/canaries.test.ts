import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { components } from '../../api/components.js';
import { ENDPOINTS } from '../../api/rest/endpoints.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { Canaries } from '../support/canaries.js';
import { Csiflow, csiflowWith } from '../support/csiflow.js';

/**
 * Canaries in every place that may hold a secret, on a running csiflow whose servers are offline, reject its
 * credentials or echo whatever they receive. Then everything is searched for them.
 */
const canaries = new Canaries();
const folder = mkdtempSync(join(tmpdir(), 'csiflow-canaries-'));
const file = join(folder, 'site.yaml');
const plugin = join(folder, 'alarm.mjs');

/** Alarms with each measure, so that webhooks have something to send. */
const ALARM = `export default {
  kind: 'operator', name: 'alarm', summary: 'Alarms.', examples: [],
  config: { type: 'object', properties: {}, additionalProperties: false },
  inputs: ['measure'], outputs: ['event'],
  create: () => ({
    process: ({ time, environment, provenance }) => ({ data: [{
      port: 'event', id: 'alarm-' + time, type: 'intrusion', severity: 'high', environment, time, confidence: 1,
      person: null, location: null, metadata: {}, source: 'csiflow', provenance,
    }] }),
  }),
};`;

let csiflow: Csiflow;
let address: string;
let token: string;
let server: Server;
let collector: Server;
/** Bodies that the trace collector received; the canary is in its headers. */
const traced: string[] = [];
const asked: string[] = [];
let environment: Environment;

beforeAll(async () => {
  server = await listening((request, body, response) => {
    asked.push(request.url ?? '');
    const echo = JSON.stringify({
      error: `not taken: ${request.url!} ${JSON.stringify(request.headers)} ${body}`,
    });
    response
      .writeHead(request.method === 'GET' ? 401 : 400, {
        'Content-Type': 'application/json',
        'X-Influxdb-Error': echo,
      })
      .end(echo);
  });
  collector = await listening((_, body, response) => {
    traced.push(body);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  environment = plantSecrets('secrets');
  writeFileSync(file, topology());
  writeFileSync(plugin, ALARM);
  csiflow = new Csiflow(['run', file, '--port', '0', '--log', 'debug', '--plugin', plugin], {
    env: environment,
  });
  address = (await csiflow.printed(/live page +(http:\S+)\//))[1]!;
  const [, password] = await csiflow.printed(/admin \/ (\S+)/);
  await csiflow.printed(/the topology is running/);
  token = await logIn('admin', password!);
  for (const node of ['influx', 'broker', 'results', 'table', 'subjects', 'lines', 'poses', 'hook'])
    await csiflow.printed(new RegExp(`"node":"${node}",[^\n]*"(error|reason|problem)"`));
}, 60_000);

afterAll(async () => {
  await csiflow.interrupt();
  for (const one of [server, collector]) {
    one.closeAllConnections();
    one.close();
  }
  rmSync(folder, { recursive: true });
}, 60_000);

async function listening(
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => void,
): Promise<Server> {
  const made = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      answer(request, body, response);
    });
  });
  made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  return made;
}

const urlOf = (one: Server): string => `http://127.0.0.1:${(one.address() as AddressInfo).port}`;

interface Environment extends Record<string, string> {
  readonly CSIFLOW_SECRETS: string;
}

/** New secrets in a separate folder, and the environment variables of a process that receives them. */
function plantSecrets(name: string): Environment {
  const secrets = join(folder, name);
  mkdirSync(secrets);
  for (const secret of [
    'influx',
    'mqtt',
    'kafka',
    'postgresql',
    'nats',
    'line-protocol',
    'inference',
    'webhook',
    'address',
    'posts',
    'unused',
  ])
    writeFileSync(join(secrets, secret), `${canaries.plant(`${name}/${secret}`)}\n`);
  return {
    CSIFLOW_SECRETS: secrets,
    CSIFLOW_DATA: folder,
    CSIFLOW_SECRET_OTHER: canaries.plant('CSIFLOW_SECRET_OTHER'),
    AWS_SECRET_ACCESS_KEY: canaries.plant('a foreign variable'),
    OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(collector).replace(
      '//',
      `//user:${canaries.plant('password in a URL')}@`,
    ),
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${canaries.plant('header for the collector')}`,
    OTEL_TRACES_SAMPLER_ARG: '0.05',
  };
}

const topology = (): string => `id: site
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources:
  flat: { type: simulator, rate_hz: 10, seed: 7 }
  posts: { type: http, port: 0, token: '\${secret:posts}' }
operators:
  posted: { type: window, from: posts }
  moved: { type: detect-motion, from: posted }
  windows: { type: window, from: flat, length_ms: 1000, hop_ms: 500, points: 10 }
  motion: { type: detect-motion, from: windows }
  seen: { type: window, from: flat, length_ms: 2000, hop_ms: 1000, points: 100 }
  poses: { type: infer-pose, from: seen, backend: remote, url: 'http://127.0.0.1:1', token: '\${secret:inference}' }
  alarm: { type: alarm, from: motion }
sinks:
  history: { type: duckdb, from: motion, path: ${join(folder, 'site.duckdb')} }
  others: { type: file, from: moved, path: ${join(folder, 'others.ndjson')} }
  live: { type: websocket, from: motion }
  influx: { type: influxdb, from: motion, url: '${urlOf(server)}', username: csiflow, password: '\${secret:influx}' }
  broker: { type: mqtt, from: motion, url: 'mqtts://127.0.0.1:1', username: csiflow, password: '\${secret:mqtt}' }
  results: { type: kafka, from: motion, brokers: ['127.0.0.1:1'], sasl: { mechanism: scram-sha-512, username: csiflow, password: '\${secret:kafka}' } }
  table: { type: postgresql, from: motion, url: 'postgresql://127.0.0.1:1/site', password: '\${secret:postgresql}' }
  subjects: { type: nats, from: motion, servers: ['127.0.0.1:1'], username: csiflow, password: '\${secret:nats}' }
  lines: { type: line-protocol, from: motion, url: 'http://127.0.0.1:1', token: '\${secret:line-protocol}' }
  people: { type: file, from: poses, path: ${join(folder, 'people.ndjson')} }
  hook: { type: webhook, from: alarm, url: '${urlOf(server)}/hooks/\${secret:address}', secret: '\${secret:webhook}', allow_private: true }
settings: { state_folder: ${join(folder, 'state')} }
`;

async function logIn(username: string, password: string): Promise<string> {
  const response = await fetch(`${address}/form-a/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

const request = async (path: string, init: RequestInit = {}): Promise<string> => {
  const response = await fetch(address + path, init);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  return `${response.status}\n${headers.join('\n')}\n${await response.text()}`;
};

const asAdmin = (init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
});

test('login attempts and requests with wrong credentials are answered and logged without them', async () => {
  const json = { 'Content-Type': 'application/json' };
  const bodies = [
    JSON.stringify({ username: 'admin', password: canaries.plant('a wrong password') }),
    JSON.stringify({ username: canaries.plant('a password as the name'), password: 'x' }),
    JSON.stringify({ user: 'admin', passwort: canaries.plant('a password in a misspelt field') }),
    JSON.stringify({ username: 'admin', password: [canaries.plant('a password of a wrong type')] }),
    `{"username":"admin","password":"${canaries.plant('a password in broken JSON')}`,
    JSON.stringify({ refresh_token: canaries.plant('a wrong refresh token') }),
  ];
  const answers = [];
  for (const form of ['a', 'b'])
    for (const body of bodies)
      for (const path of ['token', 'refresh', 'revoke'])
        answers.push(
          await request(`/form-${form}/api/v1/auth/${path}`, { method: 'POST', headers: json, body }),
        );
  for (const [name, value] of [
    ['Authorization', `Bearer ${canaries.plant('a bearer token')}`],
    [
      'Authorization',
      `Basic ${Buffer.from(`admin:${canaries.plant('basic credentials')}`).toString('base64')}`,
    ],
    ['X-API-Key', canaries.plant('an API key')],
    ['Cookie', `session=${canaries.plant('a cookie')}`],
  ] as const)
    answers.push(await request('/api/v1/pose/latest', { headers: { [name]: value } }));
  answers.push(await request(`/api/v1/pose/latest?token=${canaries.plant('a token in a query')}`));
  // The caller sees its own path again; logs do not contain it.
  await request(`/${canaries.plant('a token in a path')}`);
  answers.push(await webSocket(`/ws/pose?token=${canaries.plant('a token for the WebSocket')}`));
  expect(canaries.found(answers.join('\n'))).toEqual([]);
  expect(canaries.found(csiflow.output)).toEqual([]);
});

async function webSocket(path: string): Promise<string> {
  const socket = new WebSocket(address.replace('http', 'ws') + path);
  return new Promise((resolve) => {
    const said: string[] = [];
    socket.on('message', (data: Buffer) => said.push(data.toString()));
    socket.on('unexpected-response', (_, response) => {
      said.push(String(response.statusCode), JSON.stringify(response.headers));
      socket.terminate();
    });
    socket.on('error', (error) => said.push(error.message));
    socket.on('close', () => {
      resolve(said.join('\n'));
    });
  });
}

test('no GET returns a secret', async () => {
  const answers: string[] = [await request('/metrics'), await request('/')];
  const paths = ENDPOINTS.filter(({ method }) => method === 'GET').map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(5);
  for (const base of ['/form-a/api/v1', '/form-b/api/v1', '/api/v1'])
    for (const path of paths)
      answers.push(await request(base + path.replace(':id', 'site').replaceAll(/:\w+/g, '1'), asAdmin()));
  expect(answers.filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(paths.length / 2);
  expect(canaries.found(answers.join('\n'))).toEqual([]);
});

test('plan and apply show which fields change, not their values', async () => {
  const changed = topology()
    .replace('${secret:influx}', canaries.plant('a password written out'))
    .replace('${secret:kafka}', '${secret:unused}');
  const post = (what: string, body: object) =>
    request(
      `/form-b/api/v1/topologies/site/${what}`,
      asAdmin({ method: 'POST', body: JSON.stringify(body) }),
    );
  const plan = await post('plan', { topology: changed });
  expect(plan).toMatch(/^200/);
  expect(plan).toContain('"password"');
  const broken = await post('plan', {
    topology: changed.replace('type: influxdb', 'type: influxdb, colour: red, timeout_ms: "${secret:mqtt}"'),
  });
  expect(broken).toMatch(/^422/);
  const stale = await post('apply', { topology: changed, hash: 'stale' });
  expect(canaries.found([plan, stale].join('\n'))).toEqual([]);
  expect(canaries.found(broken)).toEqual([]);
});

/** Commands, each with whether it is expected to succeed. `given` is the folder of its secrets. */
const commandsOn = (wrong: string, given: string): readonly (readonly [boolean, readonly string[]])[] => {
  const remote = ['--url', address];
  const read = ['--secrets', given, '--plugin', plugin];
  return [
    [true, ['validate', file, '--json', ...read]],
    [false, ['validate', wrong, ...read]],
    [false, ['validate', wrong, '--json', ...read]],
    [true, ['graph', file, '--plugin', plugin]],
    [false, ['graph', wrong, '--plugin', plugin]],
    [false, ['plan', file, ...remote]],
    [false, ['backup', file, '--plugin', plugin, ...remote]],
    [false, ['dead-letters', 'list', file, '--plugin', plugin, ...remote]],
    [false, ['restore', given, file, '--plugin', plugin]],
  ];
};

/** A topology with errors at its secrets. */
function wrongFile(): string {
  const wrong = join(folder, 'wrong.yaml');
  writeFileSync(
    wrong,
    topology()
      .replace(
        'type: detect-motion',
        'type: detect-motion, threshold: "${secret:mqtt}", "${secret:kafka}": 1',
      )
      .replace('mqtts://127.0.0.1:1', 'mqtts://user:${secret:influx}@host'),
  );
  return wrong;
}

const withPassword = (variables: Environment): Environment => ({
  ...variables,
  CSIFLOW_PASSWORD: canaries.plant('a wrong CSIFLOW_PASSWORD'),
});

const COMMANDS = commandsOn('', '').length;

// Each has its own secrets: a process hides those it has read, even in the output of the next command.
test.each(Array.from({ length: COMMANDS }, (_, index) => index))(
  'command %i prints no secret',
  async (index) => {
    const env = withPassword(plantSecrets(`secrets-${index}`));
    const [succeeds, command] = commandsOn(wrongFile(), env.CSIFLOW_SECRETS)[index]!;
    const { code, output } = await csiflowWith(env, ...command);
    expect(canaries.found(output), `${command.join(' ')}: ${output}`).toEqual([]);
    expect(output, command.join(' ')).not.toContain('unknown option');
    expect(code === 0, `${command.join(' ')}: ${output}`).toBe(succeeds);
  },
  60_000,
);

test.each([
  ['a topology that is wrong', () => [wrongFile()]],
  ['one that runs already', () => [file, '--no-api']],
])(
  'run prints no secret of %s',
  async (_what, words) => {
    const args = ['run', ...words(), '--port', '0', '--plugin', plugin];
    const { code, output } = await csiflowWith(withPassword(environment), ...args);
    expect(code, output).not.toBe(0);
    expect(canaries.found(output), output).toEqual([]);
    expect(output).not.toContain('unknown option');
  },
  60_000,
);

test('logs, dead letters, traces and the state on disk contain no secret', async () => {
  await expect.poll(() => traced.length).toBeGreaterThan(0);
  expect(asked.length).toBeGreaterThan(0);
  expect(canaries.found(traced.join('\n'))).toEqual([]);
  const letters = await request('/form-b/api/v1/topologies/site/dead-letters?per_page=100', asAdmin());
  expect(letters).toContain('"node":"hook"');
  expect(canaries.found(letters)).toEqual([]);
  const state = join(folder, 'state');
  for (const name of readdirSync(state).filter((entry) => statSync(join(state, entry)).isFile())) {
    const found = canaries.found(readFileSync(join(state, name), 'latin1'));
    expect(found, name).toEqual([]);
  }
  expect(csiflow.output).toContain('"level":"warn"');
  expect(canaries.found(csiflow.output)).toEqual([]);
});

test('every component with a secret field is among the tested ones', () => {
  const secretive = components
    .list()
    .filter(({ config }) =>
      /"(password|token|secret|secrets|key|api_key|private_key)":/.test(JSON.stringify(config.properties)),
    )
    .map(({ kind, name }) => `${kind} ${name}`);
  expect(secretive.sort()).toEqual([
    'operator infer-pose',
    'sink influxdb',
    'sink kafka',
    'sink line-protocol',
    'sink mqtt',
    'sink nats',
    'sink postgresql',
    'sink webhook',
    'source http',
    'source kafka',
    'source mqtt',
  ]);
});
