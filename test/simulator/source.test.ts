import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import type { Position, SourceBatch } from '../../pipeline/component/index.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { simulator } from '../../pipeline/sources/simulator/source.js';
import { testContext } from '../support/context.js';

type Config = Parameters<typeof simulator.create>[0];

/** With defaults; as fast as possible. */
const settings = (fields: Partial<Config>): Config =>
  Value.Default(simulator.config, { speed: 0, start_time: '2026-01-01T00:00:00Z', ...fields }) as Config;

interface Run {
  readonly batches: SourceBatch[];
  readonly blocks: CsiBlock[];
}

/** Runs a source from a position to its end, or until it has emitted `most` batches. */
async function run(config: Config, position: Position = null, most = Infinity): Promise<Run> {
  const { context } = testContext({ folder: tmpdir() });
  const stop = new AbortController();
  const batches: SourceBatch[] = [];
  await simulator.create(config, context).open(position, {
    signal: stop.signal,
    offer: (batch) => {
      batches.push(batch);
      if (batches.length >= most) stop.abort();
      return true;
    },
  });
  return { batches, blocks: batches.flatMap((batch) => (batch.data ?? []) as CsiBlock[]) };
}

const columns = (blocks: readonly CsiBlock[]) => ({
  time: blocks.flatMap((block) => Array.from(block.time)),
  link: blocks.flatMap((block) => Array.from(block.link)),
  sequence: blocks.flatMap((block) => Array.from(block.sequence)),
  values: blocks.flatMap((block) => Array.from(block.values)),
});

/** Level and RSSI of the first link's frames, dB. */
function levelsOf(blocks: readonly CsiBlock[]) {
  const frames = blocks.flatMap((block) =>
    Array.from({ length: block.count }, (_, frame) => ({ block, frame })).filter(
      ({ frame }) => block.link[frame] === 0,
    ),
  );
  const size = (block: CsiBlock) => block.values.length / block.count;
  return {
    rssi: frames.map(({ block, frame }) => block.rssi[frame]!),
    level: frames.map(({ block, frame }) => {
      const values = block.values.subarray(frame * size(block), (frame + 1) * size(block));
      return 10 * Math.log10(values.reduce((sum, value) => sum + value * value, 0));
    }),
  };
}

interface TruthOfPerson {
  readonly activity: string;
  readonly present: boolean;
  readonly root: readonly [number, number];
  readonly keypoints: readonly (readonly [number, number, number])[];
}

/** The lines of the truth that a run writes. */
async function truthOf(fields: Partial<Config>): Promise<readonly TruthOfPerson[]> {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-'));
  try {
    const truth = join(folder, 'truth.ndjson');
    await run(settings({ ...fields, truth }));
    const text = await readFile(truth, 'utf8');
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TruthOfPerson);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Means over 25 frames. */
const halfSeconds = (values: readonly number[]): number[] =>
  Array.from({ length: Math.floor(values.length / 25) }, (_, i) =>
    values.slice(25 * i, 25 * (i + 1)).reduce((sum, value) => sum + value / 25, 0),
  );

/** Standard deviation. */
function spread(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

describe('the source simulator', () => {
  test('sends each link at its rate, in order of time, with 52 subcarriers', async () => {
    const { blocks } = await run(settings({ duration_s: 4, loss: [0, 0] }));
    const { time, link, sequence } = columns(blocks);
    expect(time).toHaveLength(2 * 4 * 50);
    expect(time[0]).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z') * 1000);
    for (let i = 1; i < time.length; i++) expect(time[i]).toBeGreaterThan(time[i - 1]!);
    expect(link.filter((index) => index === 1)).toHaveLength(200);
    expect(sequence.at(-1)).toBe(199);
    expect(blocks[0]!.layout.subcarriers).toHaveLength(52);
    expect(blocks[0]!.layout.training).toBe('lltf');
    expect(blocks[0]!.rssi[0]).toBeLessThan(-20);
    expect(blocks[0]!.rssi[0]).toBeGreaterThan(-80);
  });

  test.each([
    ['esp32-ht', 56, -28, 'ht-ltf', 20],
    ['esp32-c6', 242, -122, 'he-ltf', 20],
    ['intel-5300', 30, -28, 'ht-ltf', 20],
    ['nexmon', 242, -122, 'vht-ltf', 80],
  ] as const)('sends what %s reports: %d subcarriers', async (device, count, first, training, bandwidth) => {
    const { blocks } = await run(settings({ device, duration_s: 1, loss: [0, 0] }));
    const { layout, values } = blocks[0]!;
    expect(layout.subcarriers).toHaveLength(count);
    expect(layout.subcarriers[0]).toBe(first);
    expect(layout.subcarriers).toEqual(layout.subcarriers.toSorted((a, b) => a - b));
    expect(layout).toMatchObject({ training, bandwidthMhz: bandwidth, rx: 1, tx: 1 });
    expect(values.filter((value) => value !== 0).length).toBeGreaterThan(count);
  });

  test.each([
    ['reflectivity', (times: number) => ({ reflectivity: 0.3 * times, echo_db: 0 })],
    ['echo_db', (times: number) => ({ reflectivity: 0.3, echo_db: 20 * Math.log10(times) })],
  ])('twice the echo by `%s` changes the level twice as much', async (_, echoOf) => {
    const levels = async ({ reflectivity, echo_db }: ReturnType<typeof echoOf>): Promise<number[]> => {
      const people = [{ reflectivity, script: [{ activity: 'walk' as const, seconds: 10 }] }];
      const { blocks } = await run(
        settings({ people, echo_db, seed: 3, duration_s: 4, loss: [0, 0], snr_db: [60, 60] }),
      );
      return levelsOf(blocks).level;
    };
    const blocking = await levels({ reflectivity: 0, echo_db: 0 });
    const reflected = async (times: number): Promise<number> =>
      spread((await levels(echoOf(times))).map((level, frame) => level - blocking[frame]!));
    const ratio = (await reflected(2)) / (await reflected(1));
    expect(ratio).toBeGreaterThan(1.8);
    expect(ratio).toBeLessThan(2.2);
  });

  test('a person has the given height', async () => {
    const people = [{ height_m: 1.1, script: [{ activity: 'stand' as const, seconds: 2 }] }];
    const heights = (await truthOf({ people, duration_s: 2 })).map(({ keypoints }) =>
      Math.max(...keypoints.map(([, , z]) => z)),
    );
    expect(Math.max(...heights)).toBeGreaterThan(1);
    expect(Math.max(...heights)).toBeLessThan(1.1);
  });

  test.each(['steady', 'following'] as const)(
    'with a %s gain, continues from any position as if it had never stopped, even into the next cycle',
    async (gain) => {
      const config = settings({
        gain,
        duration_s: 14,
        people: [{ script: [{ activity: 'arms', seconds: 2 }] }],
      });
      const whole = await run(config);
      const cut = whole.batches.length >> 1;
      const position: unknown = JSON.parse(JSON.stringify(whole.batches[cut - 1]!.position));
      const rest = await run(config, position);
      expect(columns(rest.blocks)).toEqual(
        columns(whole.batches.slice(cut).flatMap((batch) => (batch.data ?? []) as CsiBlock[])),
      );
      const last = whole.batches.at(-1)!.position as { stages: { cycle: number }[] };
      expect(last.stages[0]!.cycle).toBeGreaterThan(0);
    },
  );

  test('hides the level behind a gain that follows it, in steps, and tells it by RSSI', async () => {
    const walker = {
      duration_s: 20,
      loss: [0, 0],
      people: [{ script: [{ activity: 'walk' as const, seconds: 20 }] }],
    };
    const steady = levelsOf((await run(settings(walker))).blocks);
    const following = levelsOf((await run(settings({ ...walker, gain: 'following' }))).blocks);
    expect(spread(halfSeconds(following.level))).toBeLessThan(0.5 * spread(halfSeconds(steady.level)));
    expect(following.rssi).toEqual(steady.rssi);
    const gains = following.level.map((level, i) => level - steady.level[i]!);
    expect(spread(gains)).toBeGreaterThan(0.5);
  });

  test('reports RSSI with an error of each packet, and the same frames otherwise', async () => {
    const exact = levelsOf((await run(settings({ duration_s: 20, people: [] }))).blocks);
    const noisy = levelsOf(
      (await run(settings({ duration_s: 20, people: [], rssi_noise_db: [2, 2] }))).blocks,
    );
    expect(noisy.level).toEqual(exact.level);
    const errors = noisy.rssi.map((rssi, i) => rssi - exact.rssi[i]!);
    expect(spread(errors)).toBeGreaterThan(1.8);
    expect(spread(errors)).toBeLessThan(2.3);
  });

  test('reports one RSSI with all packets if configured, and the same frames otherwise', async () => {
    const measured = levelsOf((await run(settings({ duration_s: 2, people: [] }))).blocks);
    const always = levelsOf((await run(settings({ duration_s: 2, people: [], rssi_dbm: -50 }))).blocks);
    expect(always.level).toEqual(measured.level);
    expect(new Set(always.rssi)).toEqual(new Set([-50]));
  });

  test('gives the same frames at any speed', async () => {
    const fast = await run(settings({ duration_s: 1 }));
    const paced = await run(settings({ duration_s: 1, speed: 40 }));
    expect(columns(paced.blocks)).toEqual(columns(fast.blocks));
  });

  test('shows loss as gaps in the sequence', async () => {
    const { blocks } = await run(settings({ duration_s: 20, loss: [0.2, 0.2] }));
    const count = blocks.reduce((sum, block) => sum + block.count, 0);
    expect(count / 2000).toBeGreaterThan(0.7);
    expect(count / 2000).toBeLessThan(0.9);
  });

  test('starts now by default, and keeps that in its position', async () => {
    const config = settings({ duration_s: 1 });
    delete config.start_time;
    const { batches } = await run(config, null, 1);
    expect(batches[0]!.position).toMatchObject({ start: 1_700_000_000_000_000 });
  });

  test('says once that the machine is too slow for its speed, and which it reaches', async () => {
    let elapsed = 0;
    const clock = { now: () => 0, elapsed: () => elapsed };
    const { context, recorded } = testContext({ folder: tmpdir(), clock });
    const source = simulator.create(settings({ speed: 4, duration_s: 30 }), context);
    // A batch has 40 ms of real time, which the nodes behind it need 100 ms for.
    const offer = () => {
      elapsed += 100;
      return true;
    };
    await source.open(null, { signal: new AbortController().signal, offer });
    expect(recorded.lines).toEqual([
      {
        level: 'warn',
        message: 'this machine, or a sink, is too slow for the speed of the source',
        fields: { speed: 4, reached: expect.closeTo(1.6, 1) as number, behind_s: 5 },
      },
    ]);
    expect(source.describe?.()).toMatchObject({ speed_reached: expect.closeTo(1.6, 1) as number });
  });

  test('continues at the current time after a stop, at real-time speed', async () => {
    const config = {
      ...settings({ speed: 1, rate_hz: 10, duration_s: 0 }),
      start_time: undefined,
    } as unknown as Config;
    const first = await run(config, null, 2);
    const position = first.batches[1]!.position as { start: number; tick: number };
    const ago = { ...position, start: position.start - 40_000_000 };
    const { blocks } = await run(config, ago, 310);
    const times = blocks.flatMap((block) => [...block.time]);
    const steps = times.slice(1).map((time, index) => time - times[index]!);
    // 30 s without pacing, because a kill may have rewound them; then a gap for the rest.
    expect(times[0]! - first.blocks.at(-1)!.time[0]!).toBeLessThan(-39_000_000);
    expect(steps.filter((step) => step > 1_000_000)).toHaveLength(1);
    const gap = steps.findIndex((step) => step > 1_000_000);
    expect(times[gap]! - times[0]!).toBeGreaterThan(29_000_000);
    expect(times.at(-1)! - first.blocks.at(-1)!.time[0]!).toBeGreaterThan(-2_000_000);
    const recorded = await run({ ...config, speed: 0 }, ago, 1);
    expect(recorded.blocks[0]!.time[0]!).toBeLessThan(first.blocks[0]!.time[0]! - 39_000_000);
  });

  test('continues after an environment was added', async () => {
    const config = settings({ duration_s: 3, loss: [0, 0] });
    const position = (await run(config, null, 1)).batches[0]!.position as { tick: number };
    const { blocks } = await run(config, { ...position, stages: [] });
    expect(blocks.reduce((sum, block) => sum + block.count, 0)).toBe(2 * (150 - position.tick));
  });

  test('stops on request', async () => {
    const { batches } = await run(settings({ duration_s: 0 }), null, 3);
    expect(batches).toHaveLength(3);
  });

  test('simulates an empty room', async () => {
    const { blocks } = await run(settings({ people: [], duration_s: 2, loss: [0, 0] }));
    expect(blocks.reduce((sum, block) => sum + block.count, 0)).toBe(200);
  });

  test('writes the truth', async () => {
    const lines = await truthOf({ duration_s: 60 });
    expect(lines).toHaveLength(60 * 20);
    expect(lines[0]!.keypoints).toHaveLength(17);
    const falls = lines.filter((line) => line.activity === 'fall');
    expect(falls.length).toBeGreaterThan(20);
  });

  test('rejects reversed ranges and invalid times', () => {
    const complaints = simulator.check!(settings({ snr_db: [30, 10], start_time: 'noon' }));
    expect(complaints.map(({ path }) => path[0])).toEqual(['snr_db', 'start_time']);
  });

  test.each(['loss', 'rssi_noise_db', 'rssi_outliers'] as const)('rejects a reversed range of %s', (name) => {
    const complaints = simulator.check!(settings({ [name]: [0.4, 0.1] }));
    expect(complaints.map(({ path }) => path[0])).toEqual([name]);
  });

  test('rejects settings that a step does not have, with their place', () => {
    const script = [
      { activity: 'lie' as const, on: 'chair' as const },
      { activity: 'walk' as const, fast: true },
      { activity: 'sit' as const, fall: 'slump' as const },
      { activity: 'sit' as const, on: 'sofa' as const, fast: true },
    ];
    const complaints = simulator.check!(settings({ people: [{ script: [] }, { script }] }));
    expect(complaints.map(({ path }) => path.join('.'))).toEqual([
      'people.1.script.0.on',
      'people.1.script.1.fast',
      'people.1.script.2.fall',
    ]);
    expect(complaints[0]!.message).toBe('nobody can lie on a chair; one of bed, sofa, floor');
  });

  test('lets people leave by the configured door, and reports their absence', async () => {
    const script = [
      { activity: 'walk' as const, seconds: 2 },
      { activity: 'away' as const, seconds: 5 },
    ];
    const lines = await truthOf({ duration_s: 20, people: [{ script }], door: [0, 2] });
    const away = lines.filter(({ present }) => !present);
    expect(away.length).toBeGreaterThan(5 * 20);
    expect(Math.abs(away[0]!.root[1] - 2)).toBeLessThan(0.1);
    expect(away.every(({ root }) => root[0] <= 0)).toBe(true);
    expect(lines.at(-1)!.present).toBe(true);
  });

  test('has valid examples', () => {
    for (const { config } of simulator.examples) {
      expect(Value.Check(simulator.config, Value.Default(simulator.config, structuredClone(config)))).toBe(
        true,
      );
    }
  });
});
