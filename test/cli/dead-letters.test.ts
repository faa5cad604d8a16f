import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DeadLetters, StateStore } from '../../pipeline/state/index.js';
import { Csiflow, csiflow } from '../support/csiflow.js';
import { sensedEvent } from '../support/records.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-letters-'));
const topology = join(folder, 't.yaml');

beforeAll(async () => {
  vi.stubEnv('CSIFLOW_TOKEN', 'any');
  writeFileSync(
    join(folder, 'room.yaml'),
    'id: r\nsize: { x: 5, y: 4, z: 3 }\nlinks: [{ id: l, transmitter: [0, 0, 1], receiver: [4, 4, 1], sender: node-1 }]\n',
  );
  writeFileSync(
    topology,
    `id: t
environment: room.yaml
sources:
  routers: { type: udp }
operators:
  windows: { type: window, from: routers }
  motion: { type: detect-motion, from: windows }
sinks:
  history: { type: duckdb, from: motion, path: a.duckdb }
`,
  );
  const store = openStore();
  const letters = new DeadLetters(store);
  for (const id of [1, 2, 3])
    letters.add({
      node: id === 3 ? 'motion' : 'history',
      stage: 'write',
      code: 'store.value.invalid',
      reason: `value ${id} is not finite`,
      record: sensedEvent(id),
      at: 1_700_000_000_000_000,
      epoch: 1,
    });
  await letters.settled();
  await store.close();
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const openStore = () => new StateStore(join(folder, 'data/t.state'), 't');

const letters = (...words: readonly string[]) => csiflow('dead-letters', ...words);

test('lists those of a node, in pages', async () => {
  const { code, out } = await letters('list', topology, '--node', 'history', '--limit', '1');
  expect([code, out]).toEqual([
    0,
    '1  2023-11-14T22:13:20.000Z  history write store.value.invalid: value 1 is not finite\n1 of 2\n',
  ]);
});

test('shows one with its record, as JSON', async () => {
  const { code, out } = await letters('show', topology, '3', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ id: 3, node: 'motion', record: { id: sensedEvent(3).id } });
  expect((await letters('show', topology, '99')).code).toBe(2);
});

test('replays with the next start, and drops', async () => {
  expect((await letters('replay', topology, '1')).out).toBe(
    '1 dead letters are replayed when the topology starts\n',
  );
  expect((await letters('list', topology)).out).toContain('(to be replayed): value 1');
  expect((await letters('drop', topology, '--node', 'motion')).out).toBe('1 dead letters dropped\n');
  expect((await letters('list', topology)).out).toContain('2 of 2\n');
});

test('rejects replay and drop without a selection', async () => {
  const { code, err } = await letters('drop', topology);
  expect([code, err]).toEqual([2, expect.stringContaining('pass ids, --node or --all')]);
});

test('a state in use can be inspected; changes are sent to the running csiflow', async () => {
  const store = openStore();
  /** Only the state is in use by another process. */
  const beside = async (...words: readonly string[]) => {
    const run = new Csiflow(['dead-letters', ...words]);
    return { code: await run.ended(), output: run.output };
  };
  try {
    const ours = new DeadLetters(store);
    ours.remove([1]);
    await ours.settled();
    expect((await beside('list', topology)).output).toContain('1 of 1\n');
    const { code, output } = await beside('drop', topology, '2');
    // At the default address: a csiflow that happens to run there rejects the token.
    expect(code).not.toBe(0);
    expect(output).toMatch(/no csiflow answers at http:|Send a valid access token/);
  } finally {
    await store.close();
  }
});

test('with an address, the csiflow there is called', async () => {
  const { code, err } = await letters('list', topology, '--url', 'http://127.0.0.1:9');
  expect([code, err]).toEqual([3, expect.stringContaining('no csiflow answers at http://127.0.0.1:9')]);
});
