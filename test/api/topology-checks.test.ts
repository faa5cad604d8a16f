import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { TopologyChecks } from '../../api/topology-checks.js';
import { Thread, ThreadBusy, ThreadTooSlow } from '../../api/service/threads/thread.js';
import { parseTopology } from '../../pipeline/config/index.js';
import { Csiflow } from '../support/csiflow.js';

const folder = resolve('topologies');
const source = (text: string) => ({ text, shown: 'sent.yaml', file: null, folder });
const GOOD = `
id: sent
environment: environments/ward-1.yaml
sources: { in: { type: udp, port: 5999 } }
operators: { clean: { type: denoise, from: in }, windows: { type: window, from: clean, length_ms: 2000, hop_ms: 200, points: 100 }, motion: { type: detect-motion, from: windows } }
sinks: { out: { type: console, from: motion } }
`;

const checks = new TopologyChecks(components, {
  plugins: [],
  secrets: undefined,
  files: new Set(),
  variables: new Set(),
});
afterAll(() => checks.close());

test('the thread gives the same result as a direct check', async () => {
  const { topology } = parseTopology(source(GOOD), components, { env: {} });
  expect(topology).toBeDefined();
  expect((await checks.check(source(GOOD))).topology).toEqual(topology);
  const bad = GOOD.replace('denoise', 'denoize');
  expect((await checks.check(source(bad))).problems).toEqual(
    parseTopology(source(bad), components, { env: {} }).problems,
  );
}, 60_000);

const threads: Thread<number, number>[] = [];
afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.close()));
});

/** Answers a number by blocking for that many milliseconds. */
function busyThread(limitMs: number, most = 8): Thread<number, number> {
  const code = `
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (ms) => {
      if (ms < 0) throw new Error('broken');
      for (const begun = Date.now(); Date.now() - begun < ms; );
      parentPort.postMessage(ms);
    });
    parentPort.postMessage('ready');
  `;
  const module = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const thread = new Thread<number, number>(module, { limitMs, most, heapMb: 64 });
  threads.push(thread);
  return thread;
}

test('a query that takes too long is ended, and the next one is answered', async () => {
  const thread = busyThread(500);
  const [slow, next] = await Promise.allSettled([thread.ask(60_000), thread.ask(1)]);
  expect(slow).toMatchObject({ status: 'rejected', reason: expect.any(ThreadTooSlow) as unknown });
  expect(next).toEqual({ status: 'fulfilled', value: 1 });
});

test('a thread that crashes reports why, and the next query is answered', async () => {
  const thread = busyThread(5_000);
  await expect(thread.ask(-1)).rejects.toThrow('broken');
  expect(await thread.ask(1)).toBe(1);
});

test("rejects queries beyond the queue's limit", async () => {
  const thread = busyThread(5_000, 2);
  const asked = [thread.ask(1), thread.ask(1)];
  await expect(thread.ask(1)).rejects.toBeInstanceOf(ThreadBusy);
  expect(await Promise.all(asked)).toEqual([1, 1]);
});

test('a request that nobody waits for ends at once, and leaves the queue if it waits there', async () => {
  const thread = busyThread(60_000, 3);
  const gone = new AbortController();
  const asked = Promise.allSettled([thread.ask(50_000, gone.signal), thread.ask(50_000, gone.signal)]);
  const next = thread.ask(1);
  gone.abort(new Error('edited'));
  expect(await asked).toMatchObject([{ reason: new Error('edited') }, { reason: new Error('edited') }]);
  expect(await next).toBe(1);
});

let data: string;
let running: Csiflow;
beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'csiflow-checks-'));
  const canary = `canary-${'c'.repeat(20)}`;
  // It receives no input, so it leaves the processor to concurrent tests.
  cpSync(join(folder, 'environments/ward-1.yaml'), join(data, 'environments/ward-1.yaml'));
  const file = join(data, 'quiet.yaml');
  writeFileSync(file, GOOD.replace('id: sent', 'id: quiet').replace('port: 5999', 'port: 0'));
  running = new Csiflow(['run', file, '--port', '0', '--allow-variable', 'CANARY'], {
    env: { CANARY: canary },
  });
});
afterAll(async () => {
  await running.kill();
  rmSync(data, { recursive: true });
});

test('a plan over the network reads nothing of the host', async () => {
  const [, password] = await running.printed(/admin \/ (\S+)/);
  const [, address] = await running.printed(/live page +(http:\/\/[\d.:]+)/);
  const call = async (path: string, body: object, token = ''): Promise<string> =>
    (
      await fetch(`${address}/form-b/api/v1${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      })
    ).text();
  const login = JSON.parse(await call('/auth/token', { username: 'admin', password })) as {
    data: { access_token: string };
  };
  const plan = (text: string) => call('/topologies/quiet/plan', { topology: text }, login.data.access_token);
  const shadow = await plan('id: quiet\nenvironment: /etc/passwd\nsources: {}\n');
  expect(shadow).toContain('config.file.outside');
  expect(shadow).not.toContain('root:');
  const path = await plan('id: quiet\nenvironment: "${PATH}"\nsources: {}\n');
  expect(path).toContain('config.variable.not_allowed');
  expect(path).not.toContain(process.env['PATH']!.slice(0, 20));
  // Allowed, but not echoed: neither as a path, nor as an id in a conflict.
  const id = await plan(GOOD.replace('id: sent', 'id: "${CANARY}"'));
  expect(id).toContain('not of quiet');
  expect(id).not.toContain('canary-c');
}, 60_000);
