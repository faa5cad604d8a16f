import { describe, expect, it } from 'vitest';
import { detectFalls } from '../../operators/detect-falls/detect-falls.js';
import {
  groupsOf,
  PARAMETERS,
  PATCH,
  GROUP,
  WIDTH,
} from '../../operators/detect-falls/networks/impact-net.js';
import { CHANNELS } from '../../operators/detect-falls/impacts/changes.js';
import { Suspicion, withdrawalsOf } from '../../operators/detect-falls/verdict/suspicion.js';
import {
  headOf,
  readSeveralWeights,
  readWarningWeights,
} from '../../operators/detect-falls/networks/weights.js';
import { fitLogistic, logitBy } from '../../bench/falls/logistic.js';
import { WARNING_SETTINGS } from '../../bench/falls/train-warning.js';
import type { Operator, Output } from '../../pipeline/component/index.js';
import type { SensedEvent, Window } from '../../pipeline/model/index.js';
import { seeded } from '../../pipeline/base/random.js';
import { fallEvent, FIRST_TIME } from '../support/fake-topology.js';
import { bursts, eventsOf, makeDetector, START, windows } from './hand-made.js';

const SECOND = 1e6;
const suspected = (seconds = 0, score = 0): SensedEvent =>
  fallEvent({
    id: `room-fall_suspected-${seconds}`,
    type: 'fall_suspected',
    time: FIRST_TIME + seconds * SECOND,
    metadata: { score },
  });
const at = (seconds: number): number => FIRST_TIME + seconds * SECOND;

describe('a suspicion', () => {
  it('is withdrawn once the following seconds were judged, and not before', () => {
    const suspicion = new Suspicion();
    expect(suspicion.raise(suspected())).toEqual([suspected()]);
    expect(suspicion.settle(at(10))).toEqual([]);
    expect(suspicion.settle(at(10.2))).toMatchObject([
      {
        id: 'room-fall_withdrawn-0',
        type: 'fall_withdrawn',
        severity: 'low',
        time: at(10.2),
        metadata: { suspected: 'room-fall_suspected-0', reason: 'no_fall' },
      },
    ]);
    expect(suspicion.settle(at(60))).toEqual([]);
  });

  it('waits silently for similar ends of motion, but at most thirty seconds', () => {
    const suspicion = new Suspicion();
    suspicion.raise(suspected());
    for (const seconds of [6, 14, 22, 29]) expect(suspicion.raise(suspected(seconds, 0.9))).toEqual([]);
    expect(suspicion.settle(at(29.9))).toEqual([]);
    expect(suspicion.settle(at(30.4))).toMatchObject([{ time: at(30), metadata: { reason: 'no_fall' } }]);
  });

  it('is replaced by a surer one, which the fall then names', () => {
    const suspicion = new Suspicion();
    suspicion.raise(suspected());
    expect(suspicion.raise(suspected(4, 1))).toMatchObject([
      {
        id: 'room-fall_withdrawn-0',
        time: at(4),
        metadata: { reason: 'surer', replaced_by: 'room-fall_suspected-4' },
      },
      { id: 'room-fall_suspected-4', type: 'fall_suspected' },
    ]);
    expect(suspicion.settle(at(14))).toEqual([]);
    expect(suspicion.confirm()).toBe('room-fall_suspected-4');
  });

  it('ends in a fall, which names it', () => {
    const suspicion = new Suspicion();
    expect(suspicion.confirm()).toBeNull();
    suspicion.raise(suspected());
    expect(suspicion.confirm()).toBe('room-fall_suspected-0');
    expect(suspicion.settle(at(60))).toEqual([]);
  });

  it('is withdrawn if no more windows arrive', () => {
    const suspicion = new Suspicion();
    suspicion.raise(suspected());
    expect(suspicion.expire(at(29.9))).toEqual([]);
    expect(suspicion.expire(Infinity)).toMatchObject([{ time: at(30), metadata: { reason: 'not_judged' } }]);
  });

  it('of a delayed fall is withdrawn when the person walks again', () => {
    const fall = fallEvent({ metadata: { suspected: 'room-fall_suspected-0' } });
    expect(withdrawalsOf([fall, fallEvent()], at(20))).toMatchObject([
      { id: 'room-fall_withdrawn-0', time: at(20), metadata: { reason: 'recovered' } },
    ]);
  });

  it('continues from a snapshot', () => {
    const [one, other] = [new Suspicion(), new Suspicion()];
    one.raise(suspected());
    other.restore(JSON.parse(JSON.stringify(one.snapshot())) as ReturnType<Suspicion['snapshot']>);
    expect(other.settle(at(11))).toEqual(one.settle(at(11)));
    expect(other.snapshot()).toBeNull();
  });
});

describe('detect-falls with warnings', () => {
  /** Every end of motion is suspected. */
  const ANY = { warn: true, warn_threshold: -50, warm_up_ms: 0, cooldown_ms: 0 };
  const records = windows(50, bursts(20)).map((one): Window => ({
    ...one,
    links: [one.links[0]!, { ...one.links[0]!, id: 'link-2' }],
  }));
  const reported = (detector: Operator, from = 0, to = records.length) =>
    records.slice(from, to).flatMap((record, i) =>
      (detector.process(record, 'input') as Output<SensedEvent>).data.map((event) => ({
        event,
        /** Seconds until the end of the window that contained it. */
        after: (START - event.time) / SECOND + from + i + 1,
      })),
    );

  it('reports an end of motion within two seconds and a window, and its fall, which names it', () => {
    const all = reported(makeDetector({ ...ANY, threshold: -50 }, 2));
    const first = all.find(({ event }) => event.type === 'fall_suspected')!;
    expect(first.event).toMatchObject({ severity: 'medium', metadata: { links: 2 } });
    expect(first.after).toBeLessThan(3);
    const fall = all.find(({ event }) => event.metadata['suspected'] === first.event.id)!;
    expect(fall.event.type).toBe('fall_detection');
    const withdrawn = all.filter(({ event }) => event.type === 'fall_withdrawn');
    expect(withdrawn.filter(({ event }) => event.metadata['reason'] !== 'surer')).toEqual([]);
  });

  it('withdraws a false suspicion within thirty seconds, each one once', () => {
    const detector = makeDetector({ ...ANY, threshold: 50 }, 2);
    const whole = reported(detector).map(({ event }) => event);
    // If no more input arrives, an open suspicion is withdrawn by the time of others.
    const all = [...whole, ...(detector.watermark!(START + 200 * SECOND).data as SensedEvent[])];
    const of = (type: string) => all.filter((event) => event.type === type);
    expect(of('fall_detection')).toEqual([]);
    expect(of('fall_suspected').length).toBeGreaterThan(0);
    expect(of('fall_withdrawn').map(({ metadata }) => metadata['suspected'])).toEqual(
      of('fall_suspected').map(({ id }) => id),
    );
    of('fall_withdrawn').forEach(({ time }, i) => {
      expect(time - of('fall_suspected')[i]!.time).toBeLessThanOrEqual(30 * SECOND);
    });
  });

  it('reports the same falls as without warnings, and nothing else unless configured', () => {
    const falls = eventsOf(makeDetector({ ...ANY, warn: false, threshold: -50 }, 2), records);
    expect(new Set(falls.map(({ type }) => type))).toEqual(new Set(['fall_detection']));
    const both = eventsOf(makeDetector({ ...ANY, threshold: -50 }, 2), records);
    const ids = (events: readonly SensedEvent[]) =>
      events.filter(({ type }) => type === 'fall_detection').map(({ id }) => id);
    expect(ids(both)).toEqual(ids(falls));
  });

  it('continues from a state in the middle of a suspicion', () => {
    const whole = reported(makeDetector({ ...ANY, threshold: 50 }, 2));
    const open = 25;
    const [before, after] = [0, 1].map(() => makeDetector({ ...ANY, threshold: 50 }, 2)) as [
      Operator,
      Operator,
    ];
    const first = reported(before, 0, open);
    after.restore!(structuredClone(before.snapshot!()));
    expect([...first, ...reported(after, open)]).toEqual(whole);
  });

  it('is rejected with the rule, which cannot warn', () => {
    expect(detectFalls.check!({ method: 'rule', warn: true } as never)).toMatchObject([{ path: ['warn'] }]);
    expect(detectFalls.check!({ method: 'nets', warn: true } as never)).toEqual([]);
  });
});

describe('the weights for warnings', () => {
  const [weights, several] = [readWarningWeights(), readSeveralWeights()];

  it('belong to these networks and settings, and to simulated rooms', () => {
    expect(headOf(weights, several).every(Number.isFinite)).toBe(true);
    expect(weights.settings).toEqual(WARNING_SETTINGS);
    expect(weights.trainedOn).toContain('simulator');
  });

  it('are rejected by name for other networks', () => {
    expect(() => headOf({ ...weights, of: '1' }, several)).toThrow(
      'falls-warning.json belongs to other networks',
    );
  });
});

it("the networks' result for a group does not depend on what follows it", () => {
  const random = seeded(5);
  const numbers = (count: number) => Float32Array.from({ length: count }, () => random() - 0.5);
  const parameters = numbers(PARAMETERS);
  const steps = PATCH * GROUP * CHANNELS;
  const long = [numbers(3 * steps), numbers(3 * steps)];
  const short = groupsOf(
    parameters,
    long.map((values) => values.slice(0, 2 * steps)),
  );
  expect(short).toHaveLength(4 * WIDTH);
  expect(short.slice(0, 2 * WIDTH)).toEqual(groupsOf(parameters, long).slice(0, 2 * WIDTH));
});

it('a logistic model recovers the law of its examples, less so with a penalty', () => {
  const random = seeded(7);
  const inputs = Array.from({ length: 400 }, () => Float32Array.from([random() - 0.5, 10 * random(), 3]));
  const positive = inputs.map(([x, y]) => random() < 1 / (1 + Math.exp(-(6 * x! - (y! - 5)))));
  const fitted = fitLogistic(inputs, positive, 1e-3);
  expect(fitted.head[0]! / -fitted.head[1]!).toBeCloseTo(6, -0.5);
  // At the optimum the predictions sum to the labels: the bias has no penalty.
  const reported = inputs.reduce((sum, row) => sum + 1 / (1 + Math.exp(-logitBy(fitted, row))), 0);
  expect(reported).toBeCloseTo(positive.filter(Boolean).length, 1);
  expect(Math.abs(fitLogistic(inputs, positive, 1e4).head[0]!)).toBeLessThan(0.1 * fitted.head[0]!);
});
