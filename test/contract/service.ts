import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { Csiflow } from '../support/csiflow.js';
import { answered } from '../support/waiting.js';
import { complaints } from '../support/openapi.js';
import { misfits, type Shape } from './shapes.js';

export type Form = 'a' | 'b';
export type Role = 'viewer' | 'operator' | 'admin';

export const MINUTE = 60_000;
export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** The last minutes, as range parameters. */
export const lately = (minutes = 10): string =>
  `start_time=${iso(Date.now() - minutes * MINUTE)}&end_time=${iso(Date.now() + MINUTE)}`;

/** The latest pose frame with at least one person. */
export async function latest(service: Service, form: Form): Promise<Answer> {
  const path = form === 'a' ? 'persons.0' : 'data.persons.0';
  return answered(
    'a frame with a person',
    () => service.get(form, '/pose/latest'),
    (found) => found.at(path) !== undefined,
    { limitMs: 20_000 },
  );
}

interface Call {
  /** Default: admin. */
  readonly as?: Role | 'nobody';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response. */
export class Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;

  constructor(response: Response, body: unknown) {
    this.status = response.status;
    this.headers = response.headers;
    this.body = body;
  }

  /** A part of the body: `data.persons.0.track_id`; undefined if it does not exist. */
  at(path: string): unknown {
    return path
      .split('.')
      .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], this.body);
  }

  /** @throws if the body does not have that shape */
  fits(shape: Shape, path?: string): this {
    expect(misfits(path === undefined ? this.body : this.at(path), shape)).toEqual([]);
    return this;
  }
}

/**
 * People walk around in the simulated flat of the demo: the store receives their poses, measures and events.
 */
const topologyText = (store: string) => `
id: contract
environment: environment.json
sources:
  flat:
    type: simulator
    rate_hz: 25
    seed: 7
    people:
      - start: [1, 1]
        script:
          - { activity: walk, to: [5, 0.7], speed: 1.2 }
          - { activity: walk, to: [1, 3.5], speed: 1.2 }
operators:
  clean: { type: denoise, from: flat }
  phase: { type: phase-sanitize, from: clean }
  windows: { type: window, from: phase, length_ms: 2000, hop_ms: 400, points: 100 }
  motion: { type: detect-motion, from: windows }
  poses: { type: infer-pose, from: windows, backend: wasm }
  people: { type: track-persons, from: poses, max_age_ms: 20000 }
  falls: { type: detect-falls, from: [windows, people] }
  acts: { type: detect-activity, from: people }
  zones: { type: watch-zones, from: people, min_stay_ms: 200, min_confidence: 0 }
sinks:
  history: { from: [motion, people, falls, acts, zones], ${store} }
  live: { type: websocket, from: [people, falls, acts, zones] }
settings:
  checkpoint_interval_ms: 500
  state_folder: state
`;

/** The demo's flat with a kitchen zone that covers half of it, so that walkers enter and leave. */
const ENVIRONMENT = {
  id: 'flat',
  name: 'Flat',
  size: { x: 5.6, y: 4.4, z: 2.6 },
  links: [
    { id: 'a', transmitter: [0.03, 0.6, 1.2], receiver: [4.7, 0.03, 1.7], sender: 'node-1' },
    { id: 'b', transmitter: [0.03, 0.6, 1.2], receiver: [2.4, 4.37, 0.6], sender: 'node-2' },
    { id: 'c', transmitter: [4.7, 0.03, 1.7], receiver: [5.57, 3.6, 0.9], sender: 'node-3' },
    { id: 'd', transmitter: [2.4, 4.37, 0.6], receiver: [5.57, 3.6, 0.9], sender: 'node-4' },
  ],
  zones: [
    {
      id: 'kitchen',
      name: 'Kitchen',
      polygon: [
        [2.8, 0],
        [5.6, 0],
        [5.6, 4.4],
        [2.8, 4.4],
      ],
    },
  ],
};

/** A running csiflow, called from outside like any client would. */
export class Service {
  readonly address: string;
  readonly #csiflow: Csiflow;
  readonly #folder: string;
  readonly #keys: Readonly<Record<Role, string>>;

  private constructor(
    csiflow: Csiflow,
    folder: string,
    address: string,
    keys: Readonly<Record<Role, string>>,
  ) {
    this.#csiflow = csiflow;
    this.#folder = folder;
    this.address = address;
    this.#keys = keys;
  }

  /**
   * @param store the fields of the sink that stores results, in YAML: `type: duckdb, path: store.duckdb`
   */
  static async start(store: string): Promise<Service> {
    const folder = mkdtempSync(join(tmpdir(), 'csiflow-contract-'));
    writeFileSync(join(folder, 'topology.yaml'), topologyText(store));
    writeFileSync(join(folder, 'environment.json'), JSON.stringify(ENVIRONMENT));
    const csiflow = new Csiflow(['run', join(folder, 'topology.yaml'), '--port', '0']);
    try {
      const [, address] = await csiflow.printed(/live page +(http:\/\/[\d.:]+)/);
      const [, password] = await csiflow.printed(/admin \/ (\S+)/);
      const keys = await keysOf(address!, password!);
      return new Service(csiflow, folder, address!, keys);
    } catch (error) {
      await csiflow.kill();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#csiflow.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Checks that each response has the `X-RateLimit-*` headers and matches the OpenAPI document. */
  async call(
    form: Form,
    method: string,
    path: string,
    { as = 'admin', body, headers }: Call = {},
  ): Promise<Answer> {
    const whole = `/form-${form}/api/v1${path}`;
    const response = await fetch(this.address + whole, {
      method,
      headers: {
        ...(as !== 'nobody' && { 'X-API-Key': this.#keys[as] }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed: unknown = text === '' ? null : JSON.parse(text);
    expect(complaints(method, whole, response, parsed)).toEqual([]);
    return new Answer(response, parsed);
  }

  get(form: Form, path: string, call: Call = {}): Promise<Answer> {
    return this.call(form, 'GET', path, call);
  }

  post(form: Form, path: string, body?: unknown, call: Call = {}): Promise<Answer> {
    return this.call(form, 'POST', path, { ...call, body });
  }

  put(form: Form, path: string, body: unknown, call: Call = {}): Promise<Answer> {
    return this.call(form, 'PUT', path, { ...call, body });
  }

  /** A client of `/ws/pose` that stores received messages. */
  socket(): Socket {
    return new Socket(`${this.address.replace('http', 'ws')}/ws/pose`, this.#keys.viewer);
  }

  /** Waits until the system is in that state, by polling its health, which has a high rate limit. */
  async reaches(state: 'running' | 'stopped'): Promise<void> {
    const wanted = state === 'running' ? 'healthy' : state;
    await answered(
      `the state ${wanted}`,
      async () => (await this.get('b', '/health')).at('status'),
      (found) => found === wanted,
      { limitMs: 30_000, everyMs: 200 },
    );
  }
}

async function keysOf(address: string, password: string): Promise<Readonly<Record<Role, string>>> {
  const post = async (path: string, body: object, token = ''): Promise<Record<string, string>> => {
    const response = await fetch(`${address}/form-a/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    return (answer['data'] ?? answer) as Record<string, string>;
  };
  const { access_token: token } = await post('token', { username: 'admin', password });
  const keyOf = async (role: Role) => (await post('api-keys', { name: role, role }, token))['key']!;
  return { viewer: await keyOf('viewer'), operator: await keyOf('operator'), admin: await keyOf('admin') };
}

/** Messages of a WebSocket, in order. */
export class Socket {
  readonly messages: Readonly<Record<string, unknown>>[] = [];
  readonly #socket: WebSocket;

  constructor(url: string, key: string) {
    this.#socket = new WebSocket(url, ['pose_v1'], { headers: { 'X-API-Key': key } });
    this.#socket.on('message', (data: Buffer) => {
      this.messages.push(JSON.parse(data.toString()) as Record<string, unknown>);
    });
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Waits for the first matching message of that type. */
  async first(
    type: string,
    isWanted: (message: Readonly<Record<string, unknown>>) => boolean = () => true,
  ): Promise<Readonly<Record<string, unknown>>> {
    const find = () => this.messages.find((message) => message['type'] === type && isWanted(message));
    await expect.poll(find, { timeout: 30_000, interval: 50, message: `a message ${type}` }).toBeDefined();
    return find()!;
  }

  close(): void {
    this.#socket.close();
  }
}
