import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { meanEcho } from '../../operators/infer-pose/inputs/geometry.js';
import {
  readCalibration,
  reducedBy,
  reductionOf,
  UNCALIBRATED,
  writeCalibration,
} from '../../operators/infer-pose/model/calibration.js';
import { EchoLearner } from '../../operators/infer-pose/windows/echo.js';
import { requestOf } from '../../operators/infer-pose/windows/request.js';
import { mean } from '../../operators/shared/mean.js';
import { LinkTable, type Environment, type Window } from '../../pipeline/model/index.js';
import { DEVICES } from '../../pipeline/sources/simulator/devices.js';
import { IMPAIRMENTS } from '../../pipeline/sources/simulator/impairments.js';
import { Stage } from '../../pipeline/sources/simulator/stage.js';
import { randomEnvironment } from '../../bench/accuracy/chain/rooms.js';
import { playWindows } from '../../bench/falls/play-windows.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';

type Link = Window['links'][number];

interface Room {
  readonly environment: Environment;
  readonly windows: readonly Window[];
}

const SECONDS = 8;

/** Windows of a room in which somebody walks, or nobody is. */
function played(seed: number, echoDb: number | null, rateHz = 50): Room {
  const environment = randomEnvironment(seed, 4);
  const stage = new Stage(environment, {
    ...{ seed, rateHz, layout: DEVICES.esp32, impairments: IMPAIRMENTS, echoDb: echoDb ?? 0 },
    people: echoDb === null ? [] : [{ script: [{ activity: 'walk', seconds: SECONDS }] }],
  });
  const windows: Window[] = [];
  playWindows({ environment, stage, rateHz }, SECONDS, (window) => {
    windows.push(window);
  });
  return { environment, windows };
}

/** @param received changes what each link receives */
function learnt({ environment, windows }: Room, received = (link: Link): Link => link): EchoLearner {
  const learner = new EchoLearner(environment);
  for (const window of windows) learner.add({ ...window, links: window.links.map(received) });
  return learner;
}

describe('the echo of one who walks', () => {
  const walk = played(748_990, 0);
  const { echoDb } = learnt(walk);

  it.each([20, 50])('is as strong as the simulator makes it, at %i frames a second', (rateHz) => {
    const seeds = [748_990, 748_991, 748_992];
    const meanOf = (echo: number) =>
      mean(seeds.map((seed) => learnt(played(seed, echo, rateHz)).echoDb ?? NaN));
    expect(Math.abs(meanOf(10) - 10), 'rooms differ by chance').toBeLessThan(2);
    expect(Math.abs(meanOf(0) - 2), 'weaker echoes are measured too strong').toBeLessThan(1.5);
  });

  it('raises doubts if it is stronger than what is taken into account', () => {
    // Logarithms grow slowly at such echoes: in 748_990, to 14 dB only.
    expect(learnt(played(748_991, 20)).doubt).toMatch(/More than 15 dB .* more than one person/);
  });

  it('does not count pauses', () => {
    const still = played(748_990, null).windows;
    const pausing = walk.windows.map((window, i) => (i % 3 === 0 ? still[i]! : window));
    expect(Math.abs(learnt({ ...walk, windows: pausing }).echoDb! - echoDb!)).toBeLessThan(2);
  });

  it('is unknown if the walker mostly pauses', () => {
    const still = played(748_990, null).windows;
    const pausing = walk.windows.map((window, i) => (i % 3 === 0 ? window : still[i]!));
    expect(learnt({ ...walk, windows: pausing }).problem).toMatch(/moved for 3\d % of the time only/);
  });

  it('of a short walk raises doubts', () => {
    expect(learnt(walk).doubt).toMatch(/^A walk of \d s is short: a minute is more exact/);
  });

  it('leaves out faulty links', () => {
    const { id } = walk.environment.links[0]!;
    const stuck = (link: Link): Link =>
      link.id === id
        ? { ...link, values: link.values.fill(1), quality: { ...link.quality, fault: 'frozen' } }
        : link;
    const learner = learnt(played(748_990, 0), stuck);
    expect(learner.isMeasured(id)).toBe(false);
    expect(Math.abs(learner.echoDb! - echoDb!), 'of three links instead of four').toBeLessThan(6);
  });

  it('counts a link by its windows', () => {
    const { id } = walk.environment.links[0]!;
    const louder = (link: Link): Link =>
      link.id === id
        ? { ...link, values: link.values.map((value, i) => value * (1 + 0.9 * Math.sin(i))) }
        : link;
    const once = walk.windows.map((window, i) =>
      i === 3 ? window : { ...window, links: window.links.filter((link) => link.id !== id) },
    );
    const others = learnt(walk, (link) =>
      link.id === id ? { ...link, gaps: link.gaps.map(() => 1) } : link,
    );
    const learner = learnt({ ...walk, windows: once }, louder);
    expect(learner.isMeasured(id)).toBe(true);
    expect(Math.abs(learner.echoDb! - others.echoDb!)).toBeLessThan(1);
  });

  it('leaves out links that are mostly gaps', () => {
    const silent = (link: Link): Link => ({ ...link, gaps: link.gaps.map(() => 1) });
    expect(learnt(walk, silent).problem).toMatch(/no link of .* sent frames: check that they send/);
  });

  it('leaves out links of other rooms', () => {
    const others = (link: Link): Link => ({ ...link, id: `other-${link.id}` });
    expect(learnt(walk, others).problem).toMatch(/no link of .* sent frames/);
  });

  it('is that of its own room', () => {
    const learner = new EchoLearner(walk.environment);
    for (const window of walk.windows) learner.add({ ...window, environment: 'elsewhere' });
    expect(learner.heardSeconds).toBe(0);
  });

  it('cannot be measured without RSSI, where gains pass for movement', () => {
    const learner = learnt(walk, (link) => ({ ...link, rssi: NaN }));
    expect(learner.problem).toMatch(/report no RSSI/);
    expect(learner.echoDb).toBeNull();
  });

  it('is unknown while nobody walks', () => {
    const learner = learnt(played(748_990, null));
    expect(learner.heardSeconds).toBeGreaterThan(5);
    expect(learner.echoDb).toBeNull();
    expect(learner.problem).toMatch(/hardly anything moved in .*: let one person walk about/);
  });

  it('is unknown in windows that the networks do not read', () => {
    const learner = new EchoLearner(walk.environment);
    for (const window of walk.windows) learner.add({ ...window, points: 50 });
    expect(learner.problem).toMatch(/Set length_ms: 2000 and points: 100/);
    expect(learner.echoDb).toBeNull();
  });
});

describe('the mean echo of a floor', () => {
  const link = { transmitter: { x: 0, y: 0, z: 1 }, receiver: { x: 4, y: 0, z: 1 } };

  it('is weaker beside the direct path of a shorter link', () => {
    const short = { ...link, receiver: { x: 1, y: 0, z: 1 } };
    expect(meanEcho(short, { x: 4, y: 4 })).toBeLessThan(meanEcho(link, { x: 4, y: 4 }));
  });

  it('is weaker in a larger room', () => {
    expect(meanEcho(link, { x: 8, y: 8 })).toBeLessThan(meanEcho(link, { x: 4, y: 4 }));
  });
});

it('changes are reduced the more, the stronger the echo, and never by more than it', () => {
  const echo = fc.double({ min: -30, max: 40, noNaN: true });
  fc.assert(
    fc.property(echo, echo, (one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      expect(reductionOf(less)).toBeLessThanOrEqual(reductionOf(more));
      expect(reductionOf(more)).toBeLessThanOrEqual(Math.max(0, more) + 0.05);
    }),
  );
});

describe('the echo of a room in requests', () => {
  const { environment, window } = simulatedWindow(1);
  const table = new LinkTable([environment]);
  const echoIn = (echoes: Readonly<Record<string, number>>) =>
    new Set(requestOf(window, table, { ...UNCALIBRATED, echoes })!.links.map(({ facts }) => facts.reducedDb));

  it('is the one of its environment, from 0 to 15 dB', () => {
    expect(reducedBy(UNCALIBRATED, 'constructor')).toBe(0);
    expect(echoIn({})).toEqual(new Set([0]));
    expect(echoIn({ elsewhere: 9 })).toEqual(new Set([0]));
    expect(echoIn({ [environment.id]: 12.5 })).toEqual(new Set([12.5]));
    expect(echoIn({ [environment.id]: 5 }), 'within the error').toEqual(new Set([0]));
    expect(echoIn({ [environment.id]: 7 })).toEqual(new Set([4]));
    expect(echoIn({ [environment.id]: 10 })).toEqual(new Set([10]));
    expect(echoIn({ [environment.id]: -4 })).toEqual(new Set([0]));
    expect(echoIn({ [environment.id]: 40 })).toEqual(new Set([15]));
  });
});

describe('a calibration file', () => {
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'csiflow-echo-'));
    file = join(folder, 'room.json');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.double({ noNaN: true, noDefaultInfinity: true })),
        (echoes) => {
          writeCalibration(file, { ...UNCALIBRATED, echoes });
          const read = readCalibration(file);
          expect(Object.entries(read.echoes)).toEqual(
            Object.entries(echoes).map(([id, echo]) => [id, echo === 0 ? 0 : echo]),
          );
        },
      ),
      { numRuns: 20 },
    );
  });

  it.each([
    ['{"features": 1, "profiles": {}, "echoes": [9]}', /"echoes" must be an object with a number/],
    ['{"features": 1, "profiles": {}, "echoes": {"ward-3": "9"}}', /the echo of ward-3 must be a number/],
  ])('with other echoes is refused: %s', (content, problem) => {
    writeFileSync(file, content);
    expect(() => readCalibration(file)).toThrow(problem);
  });
});
