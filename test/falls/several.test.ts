import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { batchOf, examplesOf, inputsOf, noiseOf } from '../../bench/falls/impact-batches.js';
import { lossAndGradient, trainImpacts, type ImpactStanding } from '../../bench/falls/impact-training.js';
import { SCALE } from '../../bench/falls/scenes.js';
import { writeSeveralReport } from '../../bench/falls/several-report.js';
import { digestOf, meanOf, standingOf } from '../../bench/falls/train-several.js';
import { CHANNELS, Changes, LAGS_MS } from '../../operators/detect-falls/impacts/changes.js';
import { DropFinder } from '../../operators/detect-falls/impacts/drops.js';
import {
  LAYERS,
  logitOf,
  PARAMETERS,
  standardised,
  STEPS,
} from '../../operators/detect-falls/networks/impact-net.js';
import { Histogram } from '../../operators/detect-falls/motion/histogram.js';
import { Impacts } from '../../operators/detect-falls/impacts/impacts.js';
import {
  DEPARTURES,
  Profiles,
  SLOW_CHANGES,
  SLOW_LIKENESSES,
} from '../../operators/detect-falls/impacts/profiles.js';
import { seeded } from '../../pipeline/base/random.js';
import { parametersOf, readSeveralWeights } from '../../operators/detect-falls/networks/weights.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import type { Window } from '../../pipeline/model/index.js';
import { detectFalls } from '../../operators/detect-falls/detect-falls.js';
import { withDefaults } from '../kit/definition.js';
import { afterThisTest } from '../support/clean-up.js';
import { testContext } from '../support/context.js';
import { bursts, eventsOf, makeDetector, START, windows } from './hand-made.js';

/** Every candidate is an event. */
const ANY = { threshold: -50, warm_up_ms: 0, cooldown_ms: 0 };

/** Motion at 10 Hz, log10 of power: constant pieces, each up to its end. */
const course = (...pieces: readonly (readonly [number, number])[]): number[] =>
  pieces.flatMap(([seconds, level]) => Array<number>(seconds * 10).fill(level));

/** Step of each drop, and the step in which it is reported. */
function dropsIn(motion: readonly number[], finder = new DropFinder(20)): [number, number][] {
  const found: [number, number][] = [];
  motion.forEach((value, i) => {
    const drop = finder.follow(i, value);
    if (drop !== null) found.push([drop, i]);
  });
  return found;
}

describe('sudden ends of motion', () => {
  it('are found when motion stops, even long motion, and reported after what follows', () => {
    const [[drop, reported], ...others] = dropsIn(course([10, -2], [10, -3.5])) as [[number, number]];
    expect(others).toEqual([]);
    expect(Math.abs(drop - 100)).toBeLessThanOrEqual(5);
    expect(reported).toBe(drop + 20);
  });

  it('are not found when motion starts, continues or is unknown', () => {
    expect(dropsIn(course([10, -3.5], [10, -2]))).toEqual([]);
    expect(dropsIn(course([20, -2]))).toEqual([]);
    const finder = new DropFinder(20);
    for (let i = 0; i < 200; i++) expect(finder.follow(i, i < 100 ? -2 : NaN)).toBeNull();
  });

  it('are the same after a snapshot at any point', () => {
    const motion = course([8, -2], [6, -3.5], [6, -2.5], [6, -3.5]);
    const whole = dropsIn(motion);
    expect(whole).toHaveLength(2);
    for (const cut of [25, 82, 90, 95, 210]) {
      const [before, after] = [new DropFinder(20), new DropFinder(20)];
      const found: [number, number][] = [];
      motion.forEach((value, i) => {
        if (i === cut) after.restore(structuredClone(before.snapshot()));
        const drop = (i < cut ? before : after).follow(i, value);
        if (drop !== null) found.push([drop, i]);
      });
      expect(found).toEqual(whole);
    }
  });
});

describe('detect-falls with several links', () => {
  it('judges them together, ten seconds after the end of the motion', () => {
    const detector = makeDetector(ANY, 2);
    const records = onTwoLinks(windows(40, bursts(20)));
    const decided = records.findIndex((one) => eventsOf(detector, [one]).some(({ time }) => isAt(20, time)));
    expect(decided).toBeGreaterThanOrEqual(29);
    expect(decided).toBeLessThanOrEqual(31);
  });

  it('reports how many links saw it', () => {
    const events = eventsOf(makeDetector(ANY, 2), onTwoLinks(windows(40, bursts(20))));
    expect(events.find(({ time }) => isAt(20, time))?.metadata).toMatchObject({ links: 2 });
  });

  it.each([
    [
      'frames',
      (frames: number) => ({ frames }),
      ...([25, 20] as const),
      'the links of test-room deliver 20 frames a second on average',
    ],
    [
      'signal',
      (snrDb: number) => ({ frames: 25, quality: { snrDb, fault: null } }),
      ...([20, 17] as const),
      'the links of test-room have a signal-to-noise ratio of 17 dB on average',
    ],
  ])('tells once that its links have too few %s', (_, link, enough, few, told) => {
    const { context, recorded } = testContext();
    const detector = detectFalls.create(withDefaults(detectFalls, {}) as never, context);
    const having = (figure: number) =>
      onTwoLinks(windows(80, bursts(20))).map((one) => ({
        ...one,
        links: one.links.map((usual) => ({ ...usual, ...link(figure) })),
      }));
    eventsOf(detector, [...having(enough), ...having(few).slice(0, 29)]);
    expect(recorded.lines).toEqual([]);
    const later = (records: readonly Window[], us: number) =>
      records.map((one) => ({ ...one, start: one.start + us }));
    eventsOf(detector, later(having(few).slice(0, 20), 200e6));
    expect(recorded.lines, 'a hole in between').toEqual([]);
    eventsOf(detector, later(having(few), 400e6));
    expect(recorded.lines.map(({ message }) => message)).toEqual([expect.stringContaining(told)]);
  });

  it.each([
    ['a faulty link', [27, 27, -8], [null, null, 'frozen']],
    ['unknown signal', [NaN, NaN, NaN], [null, null, null]],
    ['one usable link', [27, 17, 27], ['noise', null, 'noise']],
  ] as const)('tells nothing because of %s', (_, snrs, faults) => {
    const { context, recorded } = testContext();
    const detector = detectFalls.create(withDefaults(detectFalls, {}) as never, context);
    const records = windows(80, bursts(20)).map((one) => ({
      ...one,
      links: snrs.map((snrDb, i) => ({
        ...one.links[0]!,
        id: `link-${i}`,
        frames: 50,
        quality: { snrDb, fault: faults[i]! },
      })),
    }));
    eventsOf(detector, records);
    expect(recorded.lines).toEqual([]);
  });

  it('judges the only remaining link as a room of one link', () => {
    const all = onTwoLinks(windows(60, bursts(45)));
    const records = all.map((one, i) => (i < 15 ? one : { ...one, links: one.links.slice(0, 1) }));
    const detector = makeDetector(ANY, 2);
    const decided = records.findIndex((one) => eventsOf(detector, [one]).some(({ time }) => isAt(45, time)));
    expect(decided).toBeGreaterThan(45);
    expect(decided).toBeLessThanOrEqual(50);
  });
});

const isAt = (seconds: number, time: number): boolean => Math.abs((time - START) / 1e6 - seconds) < 1.5;

const onTwoLinks = (records: readonly Window[]): Window[] =>
  records.map((one) => ({ ...one, links: [one.links[0]!, { ...one.links[0]!, id: 'link-2' }] }));

describe('changes of an antenna', () => {
  /** Points every 10 ms: [subcarrier, (re, im)]. */
  const played = (amplitude: (n: number, k: number) => number, points: number): Changes => {
    const changes = new Changes(14, 10_000);
    for (let n = 0; n < points; n++) {
      changes.push(
        Float32Array.from({ length: 28 }, (_, i) => (i % 2 === 0 ? amplitude(n, i >> 1) : 0)),
        0,
        false,
      );
      if (n % 10 === 9) changes.end((n - 9) / 10, 10_000);
    }
    return changes;
  };
  const none = new Float64Array(LAGS_MS.length);

  it('are the mean square of the differences at each lag, whatever the gain', () => {
    // Two halves of the band move in opposite directions: their mean, from which gain is estimated, stays
    // constant.
    const slope = 0.001;
    const changes = played((n, k) => (n % 2 === 0 ? 3 : 40) * (1 + (k < 6 ? slope * n : 0)), 200);
    const [last] = [changes.between(19, 20, none)];
    LAGS_MS.slice(0, -1).forEach((lag, i) => {
      // The change of seven bands' shares, three of which grow.
      const share = (n: number, grows: boolean) => (7 * (grows ? 1 + slope * n : 1)) / (7 + 3 * slope * n);
      const squares = Array.from({ length: 20 }, (_, back) => 199 - back).map((n) =>
        [true, true, true, false, false, false, false].reduce(
          (sum, grows) => sum + (share(n, grows) - share(n - lag / 10, grows)) ** 2 / 7,
          0,
        ),
      );
      const mean = squares.reduce((a, b) => a + b, 0) / squares.length;
      expect(last[i]).toBeCloseTo(Math.log10(mean), 2);
    });
  });

  it('are unknown at lags shorter than the time between frames', () => {
    const changes = new Changes(4, 10_000);
    for (let n = 0; n < 120; n++) changes.push(new Float32Array(8).fill(1), 0, false);
    changes.end(0, 50_000);
    const step = changes.between(0, 1, none);
    LAGS_MS.forEach((lag, i) => {
      expect(Number.isNaN(step[i]!), `${lag} ms`).toBe(lag < 40);
    });
  });

  it('are unknown if nothing was measured', () => {
    const changes = new Changes(4, 10_000);
    for (let n = 0; n < 120; n++) changes.skip();
    changes.end(0, 10_000);
    expect(changes.between(0, 1, none).every(Number.isNaN)).toBe(true);
    expect(changes.learnt).toBe(0);
  });
});

describe('profiles of an antenna', () => {
  const STEPS = 192;
  /** Shares of two bands, and the amplitude's log10, by step; null: unknown. */
  const followed = (profile: (step: number) => readonly number[] | null, steps: number) => {
    const profiles = new Profiles(2, STEPS, () => new Histogram(-8, 2, 250, 1000));
    const slow: Float32Array[] = [];
    for (let step = 0; step < steps; step++) {
      profiles.of(step).set(profile(step) ?? [NaN, NaN, NaN]);
      slow.push(new Float32Array(SLOW_CHANGES).fill(NaN));
      profiles.end(step, slow[step]!, new Float32Array(SLOW_LIKENESSES));
    }
    return { profiles, slow };
  };

  it('describe a slow drift by its distance within each lag', () => {
    const { slow } = followed((step) => [1 + 0.001 * step, 1 - 0.001 * step, 0], 100);
    [5, 10, 20, 20, 40].forEach((lag, i) => {
      expect(slow.at(-1)![i]).toBeCloseTo(2 * Math.log10(0.001 * lag), 3);
    });
  });

  it('say nothing about lags before the first measurement', () => {
    const { slow } = followed((step) => (step < 30 ? null : [1, 1, 0]), 45);
    expect([...slow.at(-1)!].map(Number.isNaN)).toEqual([false, false, true, true, true]);
  });

  it('say how far a step is from the usual and from the last, and how much louder', () => {
    const { profiles } = followed((step) => (step < 100 ? [1, 1, 0] : [1.1, 0.9, 0.5]), 200);
    const out = new Float32Array(DEPARTURES);
    profiles.departuresBefore(200)(199, out);
    expect(out[0]).toBeCloseTo(2 * Math.log10(0.05), 2);
    expect(out[1]).toBe(-9);
    expect(out[2]).toBeCloseTo(0.25, 2);
  });
});

describe('impacts of a room', () => {
  const records = onTwoLinks(windows(60, bursts(20, 40)));
  const taken = (impacts: Impacts, some: readonly Window[]) =>
    some
      .flatMap((one) => impacts.take(one))
      .map(({ antennas, ...impact }) => ({ ...impact, antennas: antennas.map((changes) => changes.join()) }));

  it('have the mean frame rate of the links over the last seconds, silent windows left out', () => {
    const ratesOf = (some: readonly Window[]) => taken(new Impacts(), some).map(({ rateHz }) => rateHz);
    const withFrames = (hz: (window: number) => readonly [number, number]) =>
      records.map((one, at) => ({
        ...one,
        links: one.links.map((link, i) => ({ ...link, frames: (hz(at)[i]! * one.points * one.step) / 1e6 })),
      }));
    for (const rate of ratesOf(withFrames(() => [20, 30]))) expect(rate).toBeCloseTo(25, 5);
    const last = withFrames(() => [20, 20]).map((one, at) => (at % 7 === 3 ? { ...one, links: [] } : one));
    for (const rate of ratesOf(last)) expect(rate).toBeCloseTo(20, 5);
    const odd = ratesOf(withFrames((at) => (at % 10 === 9 ? [50, 5] : [50, 50])));
    for (const rate of odd) expect(rate).toBeGreaterThan(40);
  });

  it('are the same with overlapping windows and after a snapshot at any window', () => {
    const whole = taken(new Impacts(), records);
    expect(whole.length).toBeGreaterThanOrEqual(2);
    expect(
      taken(
        new Impacts(),
        records.flatMap((one) => [one, one]),
      ),
    ).toEqual(whole);
    for (const cut of [1, 20, 31, 45]) {
      const [before, after] = [new Impacts(), new Impacts()];
      const found = taken(before, records.slice(0, cut));
      after.restore(structuredClone(before.snapshot()));
      expect([...found, ...taken(after, records.slice(cut))]).toEqual(whole);
    }
  });

  it('restart after a gap', () => {
    const after = records.slice(30).map((one) => ({ ...one, start: one.start + 3_600_000_000 }));
    const found = taken(new Impacts(), [...records.slice(0, 25), ...after]);
    const seconds = found.map(({ time }) => (time - START) / 1e6);
    expect(seconds.filter((at) => at > 18 && at < 3600)).toEqual([]);
    expect(seconds.filter((at) => at > 3600)).not.toEqual([]);
  });
});

describe('the network of several links', () => {
  const random = seeded(3);
  const parameters = Float32Array.from({ length: PARAMETERS }, () => 0.2 * (random() - 0.5));
  const antenna = () => Float32Array.from({ length: STEPS * CHANNELS }, () => 4 * (random() - 0.5));
  const antennas = [antenna(), antenna(), antenna()];

  it('ignores the order of the antennas', () => {
    const turned = [antennas[2]!, antennas[0]!, antennas[1]!];
    expect(logitOf(parameters, turned)).toBeCloseTo(logitOf(parameters, antennas), 5);
  });

  it('follows the gradient that small steps show', async () => {
    await loadTrainingBackend('wasm');
    const scale = { mean: Array<number>(CHANNELS).fill(0), deviation: Array<number>(CHANNELS).fill(1) };
    const chances = { noise: 0, floorNoise: 0, shift: 0, dropout: 0, hiddenDropout: 0 };
    const impact = {
      time: 0,
      sequences: antennas.map((values) => Int16Array.from(values, (v) => v * SCALE)),
      fall: 0,
      unclear: false,
    };
    const batch = batchOf(examplesOf([impact]), scale, chances, noiseOf(chances, random), () => 0.5);
    const { loss, gradient } = lossAndGradient(parameters, batch);
    const read = inputsOf(impact, scale);
    const asked = (weights: Float32Array) => Math.log1p(Math.exp(-logitOf(weights, read)));
    expect(loss).toBeCloseTo(asked(parameters), 4);
    for (const { at, inputs, outputs } of LAYERS)
      for (const i of [at, at + inputs * outputs - 1, at + inputs * outputs]) {
        const moved = (by: number) => asked(parameters.with(i, parameters[i]! + by));
        expect(gradient[i]).toBeCloseTo((moved(1e-2) - moved(-1e-2)) / 2e-2, 2);
      }
  });

  it('stops when validation rooms do not improve, with the best net', async () => {
    await loadTrainingBackend('wasm');
    const scale = { mean: Array<number>(CHANNELS).fill(0), deviation: Array<number>(CHANNELS).fill(1) };
    const impact = {
      time: 0,
      sequences: antennas.map((values) => Int16Array.from(values, (v) => v * SCALE)),
      fall: 0,
      unclear: false,
    };
    const settings = {
      ...{ epochs: 9, batch: 1, rate: 0.01, weightDecay: 0 },
      ...{ noise: 0, floorNoise: 0, shift: 0, dropout: 0, hiddenDropout: 0 },
    };
    const looks: number[] = [];
    // In other rooms the same is not a fall: the better the fit, the worse it generalises.
    const watch = {
      impacts: [{ ...impact, fall: -1 }],
      patience: 3,
      progress: (_epoch: number, _loss: number, watched: number) => looks.push(watched),
    };
    const { net, watched, stopped } = trainImpacts([impact], scale, settings, 2, watch);
    expect(stopped).toBe(true);
    const best = looks.indexOf(watched);
    expect(looks).toHaveLength(best + 1 + watch.patience);
    expect(watched).toBe(Math.min(...looks));
    expect(Math.log1p(Math.exp(logitOf(net, inputsOf(impact, scale))))).toBeCloseTo(watched, 5);
  });

  it('resumes between two epochs as if it had not been interrupted', async () => {
    await loadTrainingBackend('wasm');
    const scale = { mean: Array<number>(CHANNELS).fill(0), deviation: Array<number>(CHANNELS).fill(1) };
    const impacts = [0, -1].map((fall, index) => ({
      time: index,
      sequences: antennas.map((values) => Int16Array.from(values, (v) => (v + index) * SCALE)),
      fall,
      unclear: false,
    }));
    const settings = {
      ...{ epochs: 2, batch: 1, rate: 0.01, weightDecay: 0.01 },
      ...{ noise: 0.1, floorNoise: 0.1, shift: 1, dropout: 0.2, hiddenDropout: 0.1 },
    };
    const saved: ImpactStanding[] = [];
    const watch = { impacts, patience: 0, progress: () => undefined };
    const whole = trainImpacts(impacts, scale, settings, 2, { ...watch, save: (now) => saved.push(now) });
    expect(saved.map(({ epoch }) => epoch)).toEqual([1, 2]);
    const resumed = trainImpacts(impacts, scale, settings, 2, { ...watch, standing: saved[0]! });
    expect(resumed).toEqual(whole);
  });

  it('begins with the weights that it is to train further', async () => {
    await loadTrainingBackend('wasm');
    const scale = { mean: Array<number>(CHANNELS).fill(0), deviation: Array<number>(CHANNELS).fill(1) };
    const sequences = antennas.map((values) => Int16Array.from(values, (v) => v * SCALE));
    const impacts = [{ time: 0, sequences, fall: 0, unclear: false }];
    const still = {
      ...{ epochs: 1, batch: 1, rate: 0, weightDecay: 0 },
      ...{ noise: 0, floorNoise: 0, shift: 0, dropout: 0, hiddenDropout: 0 },
    };
    const start = Float32Array.from({ length: PARAMETERS }, (_, i) => (i % 7) / 100);
    const { net } = trainImpacts(impacts, scale, still, 2, {
      ...{ impacts, patience: 0, progress: () => undefined, start },
    });
    expect(net).toEqual(start);
  });

  it('keeps a share of the weights that were trained further', () => {
    const [one, other] = [[Float32Array.of(1, -2)], [Float32Array.of(3, -2)]] as const;
    expect(meanOf([one, other], [0.75, 0.25])).toEqual([Float32Array.of(1.5, -2)]);
    expect(meanOf([one, other])).toEqual([Float32Array.of(2, -2)]);
  });

  it('tells a training in other rooms or from other weights by its digest', () => {
    const impact = (value: number) => ({
      ...{ time: 1, fall: 0, unclear: false },
      sequences: [Int16Array.of(value)],
    });
    const trainings = [
      digestOf([impact(1)], null),
      digestOf([impact(2)], null),
      digestOf([impact(1)], [Float32Array.of(1)]),
      digestOf([impact(1)], [Float32Array.of(2)]),
    ];
    expect(new Set(trainings).size).toBe(4);
    expect(digestOf([impact(1)], [Float32Array.of(2)])).toBe(trainings[3]);
  });

  it('refuses the state of another training, and one that it cannot read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'csiflow-falls-'));
    afterThisTest(() => rm(folder, { recursive: true }));
    const file = join(folder, 'falls.state');
    expect(standingOf(file, 1, 'abc')).toBeNull();
    const standing = { seed: 1, digest: 'abc', nets: [new Float32Array(PARAMETERS)], net: null };
    await writeFile(file, serialize(standing));
    expect(standingOf(file, 1, 'abc')).toEqual(standing);
    expect(() => standingOf(file, 2, 'abc')).toThrow(`${file} holds a training with seed 1: name it`);
    expect(() => standingOf(file, 1, 'def')).toThrow('in other rooms or of other first weights');
    await writeFile(file, serialize({ ...standing, nets: [new Float32Array(3)] }));
    expect(() => standingOf(file, 1, 'abc')).toThrow('of another network');
    await writeFile(file, 'nothing');
    expect(() => standingOf(file, 1, 'abc')).toThrow('not a readable training state');
  });

  it('reports the losses of each epoch, and what is found in the tuning rooms', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'csiflow-falls-'));
    afterThisTest(() => rm(folder, { recursive: true }));
    const file = join(folder, 'new', 'training.md');
    writeSeveralReport(file, {
      file: 'falls.json',
      sha256: 'abc',
      trainedOn: 'two rooms',
      settings: { nets: 1, seed: 7 },
      curve: [{ net: 1, epoch: 1, loss: 0.51234, validation: 0.6 }],
      points: [{ rate: 1, threshold: 1.051, found: 3, falls: 4, falseAnHour: 0.9, hours: 2 }],
    });
    const text = await readFile(file, 'utf8');
    expect(text).toContain('Trained on: two rooms. Weights: `falls.json`, SHA-256 `abc`.');
    expect(text).toContain('Settings: nets 1, seed 7.');
    expect(text).toContain('| 1.05 | 3 of 4 | 0.90 |');
    expect(text).toContain('| 1 | 1 | 0.5123 | 0.6000 |');
  });

  it('gives the logits that NumPy gives with the shipped weights', () => {
    const weights = readSeveralWeights();
    const { mean, deviation } = weights;
    const logitsOf = (count: number) => {
      const seen = Array.from({ length: count }, (_, a) =>
        Float32Array.from({ length: STEPS * CHANNELS }, (__, i) => {
          const channel = i % CHANNELS;
          const step = (i - channel) / CHANNELS;
          if ((step + channel + a) % 17 === 0) return NaN;
          return mean[channel]! + deviation[channel]! * 0.5 * Math.sin(0.7 * a + 0.11 * step + 1.3 * channel);
        }),
      );
      const inputs = seen.map((values) => standardised(values, weights));
      return parametersOf(weights).map((net) => logitOf(net, inputs));
    };
    // From the same layers in NumPy 2.4, with the same file.
    const expected = { 2: [-28.0224, -34.61], 3: [-28.4192, -36.2763], 5: [-34.021, -39.1338] };
    for (const [count, logits] of Object.entries(expected))
      logitsOf(Number(count)).forEach((logit, net) => {
        expect(logit, `${count} antennas, net ${net}`).toBeCloseTo(logits[net]!, 2);
      });
  });

  it('reads unknown input as ordinary', () => {
    const scale = { mean: Array<number>(CHANNELS).fill(1), deviation: Array<number>(CHANNELS).fill(0.5) };
    expect([...standardised(Float32Array.of(NaN, 1, 2, 9, -9), scale)]).toEqual([0, 0, 2, 4, -4]);
  });
});
