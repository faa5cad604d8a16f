import { expect, test } from 'vitest';
import { machine, machineText } from '../../bench/machine.js';
import { inTurn } from '../../bench/speed/in-turn.js';
import { operatorCosts } from '../../bench/speed/operator-costs.js';
import { configOf, sinkSpeeds, withoutSecrets } from '../../bench/speed/sinks.js';
import { checkAdapter } from '../../bench/speed/system/adapter.js';
import { ofPoses } from '../../bench/speed/system/scale.js';
import { calibrate } from '../../operators/calibrate/calibrate.js';
import { csiRatio } from '../../operators/csi-ratio/csi-ratio.js';
import { filter } from '../../operators/filter/filter.js';
import { inferPose } from '../../operators/infer-pose/infer-pose.js';
import { join } from '../../operators/join/join.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { throttle } from '../../operators/throttle/throttle.js';
import { trackPersons } from '../../operators/track-persons/track-persons.js';
import type { AnySink, Context } from '../../pipeline/component/index.js';
import type { Measure, PoseFrame } from '../../pipeline/model/index.js';
import { file } from '../../sinks/file.js';

const progress = () => undefined;

test('operators are timed, and those that do nothing with the input are named', async () => {
  const { costs, notMeasured } = await operatorCosts([phaseSanitize, csiRatio, inferPose, calibrate], {
    rounds: 1,
    atLeastMs: 1,
    progress,
  });
  expect(costs).toMatchObject([{ operator: 'phase-sanitize', reads: ['csi'] }]);
  expect(costs[0]!.microseconds[0]).toBeGreaterThan(0);
  expect(notMeasured).toMatchObject([
    { operator: 'csi-ratio', reason: 'it has no results for made-up records' },
    { operator: 'infer-pose', reason: 'it works in a thread' },
    { operator: 'calibrate', reason: expect.stringContaining('does not exist') as string },
  ]);
});

test('operators on results are timed with the kinds that their example reads, unless they only pass them', async () => {
  const passing = { ...filter, examples: [{ title: 'All', config: { where: 'true' } }] };
  const { costs, notMeasured } = await operatorCosts([filter, throttle, join, trackPersons, passing], {
    rounds: 1,
    atLeastMs: 1,
    progress,
  });
  expect(costs.map(({ operator, reads }) => [operator, reads])).toEqual([
    ['filter', ['event']],
    ['throttle', ['event']],
    ['join', ['event', 'measure']],
    ['track-persons', ['pose']],
  ]);
  expect(notMeasured).toEqual([{ operator: 'filter', reason: 'it passes made-up records unchanged' }]);
});

test('a sink is timed and shown with its configuration', async () => {
  const orders = [{ path: 'out.ndjson' }, { path: 'out.parquet' }].map((written) => {
    const config = configOf(file, written);
    if (typeof config === 'string') throw new Error(config);
    return { component: file, config, written };
  });
  const speeds = await sinkSpeeds(orders, { rounds: 1, records: 256, progress });
  expect(speeds).toMatchObject([
    { sink: 'file', config: { path: 'out.ndjson' } },
    { sink: 'file', config: { path: 'out.parquet' } },
  ]);
  for (const { recordsPerSecond } of speeds) expect(recordsPerSecond[0]).toBeGreaterThan(0);
  expect(configOf(file, { path: 7 })).toBe('path must be string');
});

test('each measurement of a sink writes as many records as asked, and later ones', async () => {
  const written: (PoseFrame | Measure)[][] = [];
  const homes: string[] = [];
  const collector = {
    ...file,
    create: (_: unknown, { environments }: Context) => ({
      open: () => {
        homes.push(...environments.map(({ id }) => id));
        written.push([]);
        return Promise.resolve();
      },
      write: (records: readonly (PoseFrame | Measure)[]) => {
        written.at(-1)!.push(...records);
        return Promise.resolve([]);
      },
      flush: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }),
  } as unknown as AnySink;
  const order = { component: collector, config: {}, written: {} };
  await sinkSpeeds([order], { rounds: 1, records: 1000, progress });
  expect(written.map(({ length }) => length)).toEqual([1000, 1000, 1000]);
  // Sinks such as `mqtt` reject records of other rooms than the topology's.
  expect(new Set(written.flat().map(({ environment }) => environment))).toEqual(new Set(homes));
  expect(new Set(written.flat().map(({ port, time }) => `${port} ${time}`)).size).toBe(3000);
});

test('a sink that cannot be opened is closed, and ends the measurement with the reason', async () => {
  let closed = 0;
  const away = {
    ...file,
    create: () => ({
      open: () => Promise.reject(new Error('nothing listens there')),
      close: () => {
        closed++;
        return Promise.resolve();
      },
    }),
  } as unknown as AnySink;
  const order = { component: away, config: {}, written: {} };
  await expect(sinkSpeeds([order], { rounds: 1, records: 1000, progress })).rejects.toMatchObject({
    message: 'file: nothing listens there',
    exitCode: 3,
  });
  expect(closed).toBe(1);
});

test('passwords and tokens are not shown, and of addresses only the host', () => {
  const written = {
    ...{ url: 'https://example.org:8443/hooks/abc?key=def', token: null, path: 'a/b.ndjson' },
    ...{ servers: ['nats://me:word@nats:4222'], sasl: { username: 'me', password: 'word' } },
  };
  expect(withoutSecrets(written)).toEqual({
    ...{ url: 'https://example.org:8443', token: null, path: 'a/b.ndjson' },
    ...{ servers: ['nats://nats:4222'], sasl: { username: 'me', password: '***' } },
  });
});

test('an adapter of a peer names what is wrong with it', () => {
  const adapter = {
    name: 'peer',
    command: ['peer', '{port}'],
    port: 5005,
    counter: { pattern: 'frames (\\d+)' },
  };
  expect(checkAdapter('peer.yaml', adapter)).toEqual(adapter);
  expect(() => checkAdapter('peer.yaml', { ...adapter, port: 70_000, more: 1 })).toThrow(
    /^peer\.yaml is no adapter: .*port must be <= 65535/,
  );
});

test('a machine is described by what its figures depend on', () => {
  expect(machine()).toMatchObject({
    cores: expect.any(Number) as number,
    memoryGb: expect.any(Number) as number,
  });
  const described = {
    cores: 2,
    processor: 'Xeon',
    memoryGb: 25,
    node: '20.20.2',
    platform: 'linux x64',
    load: 0.4,
  };
  expect(machineText(described)).toBe('2 cores (Xeon), 25 GB, Node 20.20.2, linux x64, load 0.4');
  expect(machineText({ ...described, processor: null })).toBe(
    '2 cores, 25 GB, Node 20.20.2, linux x64, load 0.4',
  );
});

test('lags of many rooms are those of windows that frames closed, and a missing one is a gap', () => {
  const arrival = (room: number, end: number, lag: number) => ({ room, end, at: end + lag, networkMs: 1 });
  const arrivals = [
    arrival(0, 9_900_000, 1_500_000), // before the first frame
    arrival(0, 10_500_000, 100_000),
    arrival(1, 11_000_000, 300_000),
    arrival(0, 12_500_000, 200_000),
    arrival(1, 12_000_000, 200_000),
    arrival(1, 12_980_000, 1_900_000), // its last link sends no more
  ];
  const { lag, longestGap } = ofPoses(arrivals, 2, { from: 10_000_000, to: 13_000_000, apart: 50_000 });
  expect(lag).toEqual({ p50: 200, p99: 300, longest: 300 });
  expect(longestGap).toBe(2);
});

test('versions are measured in turn, backwards in every second round', () => {
  expect(inTurn(['a', 'b'], 0)).toEqual([
    [0, 'a'],
    [1, 'b'],
  ]);
  expect(inTurn(['a', 'b'], 1)).toEqual([
    [1, 'b'],
    [0, 'a'],
  ]);
});
