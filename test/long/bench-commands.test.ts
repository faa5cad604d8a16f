import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Machine } from '../../bench/machine.js';
import type { RouteSpeed } from '../../bench/speed/system/api.js';
import type { IdleCost } from '../../bench/speed/system/idle.js';
import type { Memory } from '../../bench/speed/system/memory.js';
import type { PeerSpeed } from '../../bench/speed/system/peers.js';
import type { Recovery } from '../../bench/speed/system/recovery.js';
import type { Scaled } from '../../bench/speed/system/scale.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { Csiflow } from '../support/csiflow.js';
import { freePorts } from '../support/servers/server.js';

// Benchmarks that start csiflow, with their smallest settings, and a peer that counts datagrams and answers with the count.

const PEER = `
  import { createSocket } from 'node:dgram';
  import { createServer } from 'node:http';
  const [udp, http] = process.argv.slice(2).map(Number);
  let frames = 0;
  createSocket('udp4').on('message', () => frames++).bind(udp, '127.0.0.1');
  createServer(({ url }, response) => {
    const body = JSON.stringify({ frames });
    response.writeHead(url === '/none' ? 404 : 200, { 'Content-Length': body.length }).end(body);
  }).listen(http, '127.0.0.1');
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-peer-'));
  writeFileSync(join(folder, 'peer.mjs'), PEER);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Writes an adapter of the peer; returns its path. */
async function adapterWith(paths: readonly string[] | null): Promise<string> {
  const [udp, http] = await freePorts(2);
  const address = `http://127.0.0.1:${http!}`;
  const adapter = {
    name: 'small server',
    command: [process.execPath, join(folder, 'peer.mjs'), '{port}', String(http)],
    port: udp,
    counter: { url: `${address}/count`, pattern: '"frames":(\\d+)' },
    ...(paths ? { routes: paths.map((path) => address + path) } : {}),
  };
  const file = join(folder, `${http!}.yaml`);
  writeFileSync(file, JSON.stringify(adapter));
  return file;
}

/** Runs a benchmark with `--json`; returns its exit code and all it printed. */
async function benchmark(...args: readonly string[]): Promise<readonly [number | null, string]> {
  const run = new Csiflow(['bench', ...args, '--json']);
  return [await run.ended(), run.output];
}

/** What a benchmark prints as JSON, after its progress. */
async function figuresOf<T>(...args: readonly string[]): Promise<T> {
  const [code, output] = await benchmark(...args);
  expect(code, output).toBe(0);
  const figures = JSON.parse(output.slice(output.indexOf('{'))) as T & { readonly machine: Machine };
  expect(figures.machine.cores).toBeGreaterThan(0);
  return figures;
}

const SHORT = ['--rounds', '1', '--seconds', '1'] as const;
/** Half a minute on a quiet machine. */
const MOST_MS = 600_000;

// At the same time: they mostly wait, and their figures are only checked to be possible.
describe.concurrent('benchmarks of the whole program', () => {
  test(
    'idle',
    async () => {
      const { costs } = await figuresOf<{ costs: readonly IdleCost[] }>(
        ...['idle', ...SHORT, '--warm-up', '1', '--frames', '1000', '--chain', 'motion'],
      );
      expect(costs.map(({ version }) => version)).toEqual(['this version', 'this version, again']);
      expect(costs[0]!.overThis).toBe(1);
      for (const { usPerFrame, system, core, sleepsPerSecond, lost } of costs) {
        expect(usPerFrame![0]).toBeGreaterThan(10);
        expect(core[0]).toBeGreaterThan(0);
        expect(system).toBeLessThanOrEqual(1);
        expect(sleepsPerSecond).toBeGreaterThan(0);
        expect(lost).toBeLessThan(1000);
      }
    },
    MOST_MS,
  );

  test(
    'scale',
    async () => {
      const { scaled } = await figuresOf<{ scaled: readonly Scaled[] }>(
        ...['scale', ...SHORT, '--rooms', '2', '--topologies', '2', '--threads', '0', '--chain', 'motion'],
      );
      expect(scaled.map(({ threads, isControl }) => [threads, isControl])).toEqual([
        [0, false],
        [0, true],
      ]);
      for (const { sent, lost, microseconds, mainMicroseconds, residentMb } of scaled) {
        expect(sent).toBe(160);
        expect(lost).toBeLessThan(sent);
        expect(mainMicroseconds).toBeGreaterThan(0);
        expect(mainMicroseconds).toBeLessThanOrEqual(microseconds);
        expect(residentMb).toBeGreaterThan(50);
      }
    },
    MOST_MS,
  );

  test(
    'recovery',
    async () => {
      const { starts } = await figuresOf<{ starts: readonly Recovery[] }>(
        ...['recovery', '--rounds', '1', '--frames', '1000'],
      );
      expect(starts.map(({ version }) => version)).toEqual([
        'this version',
        'this version, again',
        'this version, idle',
      ]);
      expect(starts[2]!.backlog).toEqual([0, 0, 0]);
      for (const { seconds, cpu, backlog } of starts) {
        expect(seconds[0]).toBeGreaterThan(0.1);
        expect(cpu[0]).toBeGreaterThan(0.1);
        expect(backlog[0]).toBeLessThanOrEqual(3000);
      }
    },
    MOST_MS,
  );

  test(
    'memory',
    async () => {
      const { versions } = await figuresOf<{ versions: readonly (Memory & { readonly version: string })[] }>(
        ...['memory', '--minutes', '0.05', '--frames', '80'],
      );
      expect(versions.map(({ version }) => version)).toEqual(['this version', 'this version, again']);
      for (const { samples, highest, usPerFrame } of versions) {
        expect(samples).toEqual([highest]);
        expect(highest).toBeGreaterThan(50);
        expect(usPerFrame).toBeGreaterThan(10);
      }
    },
    MOST_MS,
  );

  test(
    'peers',
    async () => {
      const { speeds } = await figuresOf<{ speeds: readonly PeerSpeed[] }>(
        ...['peers', await adapterWith(null), ...SHORT, '--rates', '1000', '--chain', 'motion'],
      );
      expect(speeds.map(({ program }) => program)).toEqual(['csiflow', 'csiflow, again', 'small server']);
      expect(speeds.map(({ dropped }) => dropped !== null)).toEqual([true, true, false]);
      expect(speeds[0]!.overCsiflow).toBe(1);
      for (const { lost, microseconds, overCsiflow } of speeds) {
        expect(lost[0]).toBeLessThan(1);
        expect(microseconds![0]).toBeGreaterThanOrEqual(0);
        expect(overCsiflow).toBeGreaterThan(0);
      }
    },
    MOST_MS,
  );
});

describe('bench api --peer', () => {
  test('measures the routes of another program in the same rounds, and its first one again', async () => {
    const { routes } = await figuresOf<{ routes: readonly RouteSpeed[] }>(
      ...['api', '--peer', await adapterWith(['/latest?of=all']), ...SHORT],
    );
    expect(routes.map(({ route }) => route)).toEqual([
      'bare server of Node',
      '/livez',
      '/form-a/api/v1/pose/latest, JWT',
      '/form-b/api/v1/pose/latest, JWT',
      'small server, /latest?of=all',
      'small server, /latest?of=all, again',
      '/form-b/api/v1/pose/latest, JWT, again',
      'bare server of Node, again',
    ]);
    expect(routes[4]!.overPeer).toBe(1);
    expect(routes.every(({ overPeer, bytes }) => overPeer! > 0 && bytes > 0)).toBe(true);
  }, 120_000);

  test('names the address that does not answer with 200', async () => {
    const [code, output] = await benchmark('api', '--peer', await adapterWith(['/none']), ...SHORT);
    expect(code).toBe(1);
    expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+\/none: it answered HTTP\/1\.1 404 Not Found/);
  }, 120_000);

  test('asks for routes where the adapter has none', async () => {
    const [code, output] = await benchmark('api', '--peer', await adapterWith(null), ...SHORT);
    expect(code).toBe(2);
    expect(output).toContain('the adapter of small server has no routes: add the addresses to ask');
  }, 60_000);
});

const POLLING = { timeout: 60_000, interval: 50 };

/** Numbers of the processes that a process has started. */
const childrenOf = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);

test('Ctrl-C ends a benchmark, even if its parent then asks for its end, too', async () => {
  const temporary = join(folder, 'interrupted');
  mkdirSync(temporary);
  const program = packageFile('dist/api/cli/csiflow.js');
  // In a process group of its own, as a shell starts it.
  const run = spawn(process.execPath, [program, 'bench', 'line', '--quick', '--only', 'latency'], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: 'ignore',
    detached: true,
  });
  const ended = once(run, 'exit');
  const children = await vi.waitFor(() => {
    const found = childrenOf(run.pid!);
    expect(found).toHaveLength(1);
    return found;
  }, POLLING);
  expect(readdirSync(temporary)).toHaveLength(1);
  process.kill(-run.pid!, 'SIGINT');
  process.kill(run.pid!, 'SIGTERM');
  const [code] = (await ended) as [number | null];
  expect([130, 143]).toContain(code);
  await vi.waitFor(() => {
    expect(children.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  }, POLLING);
  expect(readdirSync(temporary)).toEqual([]);
}, 130_000);

test('a benchmark that a signal ends leaves no process and no folder behind', async () => {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const run = new Csiflow(['bench', 'memory', '--minutes', '5'], { env: { TMPDIR: temporary } });
  const children = await vi.waitFor(() => {
    const found = childrenOf(run.process.pid!);
    expect(found).toHaveLength(2);
    expect(readdirSync(temporary)).toHaveLength(2);
    return found;
  }, POLLING);
  run.process.kill('SIGTERM');
  expect(await run.ended(), run.output).toBe(143);
  await vi.waitFor(() => {
    expect(children.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  }, POLLING);
  expect(readdirSync(temporary)).toEqual([]);
}, 130_000);
