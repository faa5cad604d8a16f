import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { components } from '../../api/components.js';
import { playlist, withBadLink, type Fault, type Played } from '../../bench/accuracy/chain/inputs.js';
import { inCeilingCorners, misplaced } from '../../bench/accuracy/chain/layouts.js';
import { randomEnvironment } from '../../bench/accuracy/chain/rooms.js';
import { feed, placedIn, play } from '../../bench/accuracy/chain/scene.js';
import { packageFile } from '../../pipeline/base/paths.js';
import type { AnySource } from '../../pipeline/component/index.js';
import { loadTopology, parseTopology } from '../../pipeline/config/index.js';
import { EnvironmentSchema, type CsiBlock } from '../../pipeline/model/index.js';
import { simulator } from '../../pipeline/sources/simulator/source.js';
import { testContext } from '../support/context.js';
import { frames } from '../support/flow.js';

const demo = loadTopology('topologies/demo.yaml', components, { env: {}, standIn: 'unset' }).topology!;

describe('random rooms', () => {
  it('are valid environments, the same from the same seed', () => {
    for (let seed = 700_000; seed < 700_030; seed++) {
      const links = 2 + (seed % 8);
      const room = randomEnvironment(seed, links);
      expect(Value.Check(EnvironmentSchema, room)).toBe(true);
      expect(room.links).toHaveLength(links);
      expect(randomEnvironment(seed, links)).toEqual(room);
    }
  });
});

describe('a bad link', () => {
  const config = { speed: 0, start_time: '2026-01-01T00:00:00Z', people: [], duration_s: 2, loss: [0, 0] };
  const component = simulator as unknown as AnySource;
  const good = {
    kind: 'source' as const,
    component,
    config: Value.Default(simulator.config, config) as Record<string, unknown>,
  };
  const framesOf = async (fault: Fault | null) => {
    const { context } = testContext();
    const input = fault ? withBadLink(good, 'link-2', fault) : good;
    const blocks: CsiBlock[] = [];
    await input.component.create(input.config as never, context).open(null, {
      signal: new AbortController().signal,
      offer: ({ data }) => {
        blocks.push(...(data as CsiBlock[]));
        return true;
      },
    });
    const of = (link: number) =>
      blocks.flatMap((block) => {
        const size = block.values.length / block.count;
        return Array.from(block.link.keys())
          .filter((frame) => block.link[frame] === link)
          .map((frame) => Array.from(block.values.subarray(frame * size, (frame + 1) * size)));
      });
    return [of(0), of(1)] as const;
  };
  const power = (frame: readonly number[]) => frame.reduce((sum, value) => sum + value * value, 0);

  it('delivers noise of the same power, and does not affect the others', async () => {
    const [clean, spoilt] = [await framesOf(null), await framesOf('noise')];
    expect(spoilt[0]).toEqual(clean[0]);
    expect(spoilt[1]).toHaveLength(clean[1].length);
    const ratio = spoilt[1].map((frame, i) => power(frame) / power(clean[1][i]!));
    expect(ratio.reduce((a, b) => a + b) / ratio.length).toBeCloseTo(1, 0);
    // Two frames have uncorrelated values on the same carriers.
    const [a, b] = [spoilt[1][0]!, spoilt[1][1]!];
    const product = a.reduce((sum, value, i) => sum + value * b[i]!, 0) / Math.sqrt(power(a) * power(b));
    expect(Math.abs(product)).toBeLessThan(0.4);
  });

  it('sends nothing if it is dead', async () => {
    const [clean, dead] = [await framesOf(null), await framesOf('dead')];
    expect(dead[0]).toEqual(clean[0]);
    expect(dead[1]).toEqual([]);
  });
});

describe('a scene', () => {
  const environment = randomEnvironment(700_001, 4);

  it('passes every node, and is joined with its truth', { timeout: 120_000 }, async () => {
    const people = [{ script: [{ activity: 'walk' as const, seconds: 20 }] }];
    const observed = await play(demo, { environment, calibration: null, seed: 700_001, seconds: 8, people });
    expect(observed.poses.length).toBeGreaterThan(20);
    expect(observed.poses.every(({ environment: id }) => id === environment.id)).toBe(true);
    expect(new Set(observed.measures.map(({ name }) => name))).toContain('presence');
    expect(observed.poses.some(({ persons }) => persons.some(({ track }) => track !== null))).toBe(true);
    expect(observed.truth.at(observed.poses[15]!.time)?.people).toHaveLength(1);
    // A part of 50 ms is read as a whole, so the output is known this late at the earliest.
    expect(observed.poses.every(({ givenAt, windowEnd }) => givenAt >= windowEnd - 50_000)).toBe(true);
  });

  it('with a bad link is joined with its truth, too', { timeout: 120_000 }, async () => {
    const people = [{ script: [{ activity: 'walk' as const, seconds: 20 }] }];
    const bad = { link: environment.links[0]!.id, fault: 'noise' as const };
    const scene = { environment, calibration: null, seed: 700_001, seconds: 2, people, bad };
    const observed = await play(demo, scene);
    expect(observed.truth.moments.length).toBeGreaterThan(0);
  });

  it('of nodes that stand elsewhere has the frames of where they stand', { timeout: 120_000 }, async () => {
    const actual = inCeilingCorners(environment, 4);
    const people = [{ script: [{ activity: 'walk' as const, seconds: 20 }] }];
    const scene = { calibration: null, seed: 700_001, seconds: 3, people, windowsOf: 'windows' };
    const there = await play(demo, { ...scene, environment: actual });
    const elsewhere = await play(demo, { ...scene, environment: misplaced(actual, 1, 0.5), actual });
    const values = ({ windows }: typeof there) =>
      windows.map(({ links }) => links.map((link) => link.values));
    expect(values(there).flat().length).toBeGreaterThan(0);
    expect(values(elsewhere)).toEqual(values(there));
    expect(elsewhere.truth.moments).toEqual(there.truth.moments);
  });

  it('tells how much of it was read', { timeout: 120_000 }, async () => {
    const read: number[] = [];
    const scene = { environment, calibration: null, seed: 700_001, seconds: 3, people: [] };
    await play(demo, scene, (ms) => read.push(ms));
    expect(read).toEqual(read.toSorted((a, b) => a - b));
    expect(read.some((ms) => ms > 500 && ms < 2500)).toBe(true);
    expect(read.at(-1)).toBeGreaterThan(2900);
  });

  it('that the simulator rejects gives an error with the reason', async () => {
    const scene = { environment, calibration: null, seed: 700_001, seconds: 8, people: [] };
    await expect(play(demo, { ...scene, simulator: { rate_hz: -3 } })).rejects.toThrow(/rate_hz/);
  });
});

describe('consecutive recordings', () => {
  it.each([
    ['an absolute path', join(tmpdir(), 'no-such-recording.csi')],
    ['a path relative to the current folder', 'no-such-recording.csi'],
  ])('fail with the name of a missing file: %s', { timeout: 60_000 }, async (_, path) => {
    const played: Played[] = [];
    // All of its nodes are cheap to open.
    const text = `id: quiet
environment: environments/demo-flat.yaml
sources: { flat: { type: simulator } }
operators: { windows: { type: window, from: flat, length_ms: 2000, hop_ms: 200, points: 100 }, motion: { type: detect-motion, from: windows } }
sinks: { out: { type: console, from: motion } }
`;
    const source = { text, shown: 'quiet.yaml', file: null, folder: packageFile('topologies') };
    const quiet = parseTopology(source, components, { env: {} }).topology!;
    const placed = placedIn(quiet, { environment: randomEnvironment(700_002, 2), calibration: null });
    await expect(feed(placed, playlist([path], played))).rejects.toThrow(resolve(path));
    expect(played).toEqual([]);
  });

  it.each([
    ['all', Infinity, ['a', 'b'], [256, 44, 256, 44]],
    ['until enough was played', 1, ['a'], [256]],
  ])('are played one after another: %s', async (_, enough, paths, counts) => {
    const played: Played[] = [];
    const offered: CsiBlock[] = [];
    const recordings = ['a', 'b'].map((path) => ({ path, frames: () => frames(0, 300) }));
    const input = playlist(recordings, played, { isEnough: () => offered.length >= enough });
    const { context } = testContext();
    await input.component.create(input.config as never, context).open(null, {
      signal: new AbortController().signal,
      offer: ({ data }) => {
        offered.push(...(data as CsiBlock[]));
        return true;
      },
    });
    expect(played.map(({ path }) => path)).toEqual(paths);
    expect(offered.map(({ count }) => count)).toEqual(counts);
  });
});
