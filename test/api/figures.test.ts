import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PersonCount } from '../../api/service/figures/counts.js';
import { GpuProbe, readGpus } from '../../api/service/figures/gpu.js';
import {
  History,
  HISTORY_MINUTES,
  MINUTE_US,
  thinned,
  type Minute,
} from '../../api/service/figures/history.js';
import { memoryUsage, residentBytes, transfers } from '../../api/service/figures/machine.js';
import { SystemProbe } from '../../api/service/figures/system-probe.js';
import { defineOperator } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { Type } from 'typebox';
import { testContext } from '../support/context.js';
import { FakeTopology, person, poseFrame } from '../support/fake-topology.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-figures-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
const { context, recorded } = testContext();

const minute = (number: number, more: Partial<Minute> = {}): Minute => ({
  minute: number,
  framesPerSecond: 100,
  latencyMs: 4,
  cpu: 0.25,
  frames: 6_000,
  failed: 1,
  running: 1,
  ...more,
});
const ALL = [0, Infinity] as const;

describe('the history of figures', () => {
  test('keeps minutes across restarts, in one file of fixed size', async () => {
    const first = new History(folder, context.log);
    const file = join(folder, 'figures.ring');
    const size = statSync(file).size;
    for (const number of [1_000_000, 1_000_001, 1_000_003]) first.add(minute(number));
    await first.close();
    const again = new History(folder, context.log);
    expect(again.range(1_000_001 * MINUTE_US, 1_000_003 * MINUTE_US)).toEqual([minute(1_000_001)]);
    expect(again.range(...ALL).map((one) => one.minute)).toEqual([1_000_000, 1_000_001, 1_000_003]);
    await again.close();
    expect(statSync(file).size).toBe(size);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a minute with a restart has the counts of both runs', async () => {
    const history = new History(folder, context.log);
    history.add(minute(1_000_000, { frames: 10, failed: 1 }));
    history.add(minute(1_000_000, { frames: 20, failed: 2, cpu: 0.5 }));
    expect(history.range(...ALL)).toEqual([minute(1_000_000, { frames: 30, failed: 3, cpu: 0.5 })]);
    await history.close();
  });

  test('a minute replaces the one of seven days before', async () => {
    const history = new History(folder, context.log);
    for (let number = 0; number < HISTORY_MINUTES + 10; number++) history.add(minute(1_000_000 + number));
    const kept = history.range(...ALL);
    expect(kept).toHaveLength(HISTORY_MINUTES);
    expect(kept[0]!.minute).toBe(1_000_010);
    await history.close();
  });

  test('half a row is dropped; a file of another layout is replaced, with a warning', async () => {
    const first = new History(folder, context.log);
    first.add(minute(1_000_000));
    first.add(minute(1_000_001));
    await first.close();
    const file = join(folder, 'figures.ring');
    const bytes = readFileSync(file);
    bytes.writeDoubleLE(NaN, ((1_000_001 % HISTORY_MINUTES) + 1) * 56 + 8);
    writeFileSync(file, bytes);
    const second = new History(folder, context.log);
    expect(second.range(...ALL).map((one) => one.minute)).toEqual([1_000_000]);
    await second.close();
    writeFileSync(file, 'something else');
    const third = new History(folder, context.log);
    expect(third.range(...ALL)).toEqual([]);
    expect(recorded.lines.some(({ message }) => message.includes('starts empty'))).toBe(true);
    await third.close();
  });

  test('long ranges are returned as means of equal spans', () => {
    const all = Array.from({ length: 60 }, (_, index) => minute(1_000_020 + index, { cpu: (index % 2) / 2 }));
    const rows = thinned(all, 60, 6);
    expect(rows).toHaveLength(6);
    expect(rows.every(({ cpu, framesPerSecond }) => cpu === 0.25 && framesPerSecond === 100)).toBe(true);
    expect(rows[1]!.minute - rows[0]!.minute).toBe(10);
    expect(thinned(all, 60, 60)).toBe(all);
  });
});

describe('GPUs', () => {
  test.each([
    ['30, 1024, 4096\n', { usage: 0.3, memory: 0.25, memoryBytes: 2 ** 30 }],
    ['0, 0, 100\n50, 50, 100\n', { usage: 0.25, memory: 0.25, memoryBytes: 50 * 2 ** 20 }],
    ['[N/A], 10, 100\n', { usage: 0, memory: 0.1, memoryBytes: 10 * 2 ** 20 }],
    ['', { usage: 0, memory: 0, memoryBytes: 0 }],
  ])('reads %j', (text, figures) => {
    expect(readGpus(text)).toEqual(figures);
  });

  test('a machine without a GPU is asked once', async () => {
    let asked = 0;
    const probe = new GpuProbe(async () => {
      asked++;
      return null;
    });
    await probe.ready;
    expect(probe.figures).toEqual({ usage: 0, memory: 0, memoryBytes: 0 });
    expect(asked).toBe(1);
    probe.close();
  });

  test('one that fails to answer has no figures until it answers again', async () => {
    const answers = ['40, 1024, 2048\n', '', '60, 512, 2048\n'];
    const shown: number[] = [];
    const probe: GpuProbe = new GpuProbe(async () => {
      // Utilisation according to the previous answer.
      if (answers.length < 3) shown.push(probe.figures.usage);
      return answers.shift() ?? '';
    }, 1);
    await expect.poll(() => shown.slice(0, 3)).toEqual([0.4, 0, 0.6]);
    probe.close();
  });
});

describe('the machine', () => {
  test('memory is a share; written bytes are counted', () => {
    expect(memoryUsage()).toBeGreaterThan(0);
    expect(memoryUsage()).toBeLessThan(1);
    const before = transfers();
    const file = join(folder, 'written');
    writeFileSync(file, Buffer.alloc(1 << 20), { flush: true });
    const after = transfers();
    if (process.platform === 'linux') expect(after.bytesWritten).toBeGreaterThanOrEqual(before.bytesWritten);
  });

  test.runIf(process.platform === 'linux')('measures the resident part of a mapped file', async () => {
    const path = join(folder, 'state.mdb');
    const store = open({ path });
    await store.put('key', 'x'.repeat(100_000));
    expect(store.get('key')).toHaveLength(100_000);
    expect(await residentBytes(path)).toBeGreaterThan(0);
    await store.close();
    expect(await residentBytes(path)).toBe(0);
  });
});

/** Gives poses. */
const poses = defineOperator({
  name: 'poses',
  summary: 'Gives poses.',
  inputs: ['csi'],
  outputs: ['pose'],
  config: Type.Object({}),
  examples: [],
  create: () => ({ process: () => ({ data: [] }) }),
});

const node = (id: string, from: string) => ({
  id,
  component: poses,
  config: {},
  inputs: [{ from, ports: ['pose' as const] }],
  queue: null,
  secrets: [],
  hash: id,
});

test('counts persons at the output of the last operator that emits poses', () => {
  const main = new FakeTopology();
  const topology = { ...main.topology, nodes: [node('infer', 'routers'), node('track', 'infer')] };
  const watchers = new Map<string, (record: Data) => void>();
  const count = new PersonCount(
    { topology, onChange: (listener) => main.onChange(listener) },
    (id, watcher) => {
      watchers.set(id, watcher);
      return () => watchers.delete(id);
    },
  );
  expect([...watchers.keys()]).toEqual(['track']);
  watchers.get('track')!(poseFrame(0, [person(1, 1, 1), person(2, 2, 2)]));
  expect(count.persons).toBe(2);
  count.close();
  expect(watchers.size).toBe(0);
});

test('network bytes count from the start', async () => {
  const before = transfers();
  const probe = new SystemProbe({
    main: new FakeTopology(),
    watch: () => () => undefined,
    stateFolder: folder,
    log: context.log,
    askGpu: async () => '40, 1024, 2048\n',
  });
  // Does not wait for the GPU.
  await probe.resources();
  const { bytesIn, bytesOut, gpu, gpuMemory } = await probe.resources();
  const after = transfers();
  expect(bytesIn).toBeLessThanOrEqual(after.bytesIn - before.bytesIn);
  expect(bytesOut).toBeLessThanOrEqual(after.bytesOut - before.bytesOut);
  expect({ gpu, gpuMemory }).toEqual({ gpu: 0.4, gpuMemory: 0.5 });
  await probe.close();
  expect(probe.history.range(...ALL)).toHaveLength(1);
});

test('noise within the signal is reported as interference, or 0 if no format provides it', async () => {
  const main = new FakeTopology();
  const plain = main.status();
  const heard = (details: Record<string, unknown>) => {
    main.status = () => ({ ...plain, nodes: plain.nodes.map((one) => ({ ...one, details })) });
    return probe.traffic().interference;
  };
  const probe = new SystemProbe({
    main,
    watch: () => () => undefined,
    stateFolder: folder,
    log: context.log,
    askGpu: async () => null,
  });
  expect(heard({ rssi: -45 })).toBe(0);
  expect(heard({ rssi: -45, noise: -95 })).toBe(0);
  expect(heard({ rssi: -45, noise: -70 })).toBe(0.5);
  expect(heard({ rssi: -45, noise: -40 })).toBe(1);
  expect(heard({ rssi: -96, noise: -90 })).toBe(1);
  await probe.close();
});
