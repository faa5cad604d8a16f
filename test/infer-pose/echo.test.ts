import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { meanEcho } from '../../operators/infer-pose/inputs/geometry.js';
import {
  readCalibration,
  UNCALIBRATED,
  writeCalibration,
} from '../../operators/infer-pose/model/calibration.js';
import { EchoLearner } from '../../operators/infer-pose/windows/echo.js';
import { requestOf } from '../../operators/infer-pose/windows/request.js';
import { mean } from '../../operators/shared/mean.js';
import { LinkTable } from '../../pipeline/model/index.js';
import { DEVICES } from '../../pipeline/sources/simulator/devices.js';
import { IMPAIRMENTS } from '../../pipeline/sources/simulator/impairments.js';
import { Stage } from '../../pipeline/sources/simulator/stage.js';
import { randomEnvironment } from '../../bench/accuracy/chain/rooms.js';
import { WindowChain } from '../../bench/falls/chain.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';

const RATE_HZ = 50;
const SECONDS = 8;

describe('the echo of one who walks', () => {
  /** A learner of a room in which somebody walks for 8 s, or nobody is. */
  function learnt(seed: number, echoDb: number | null): EchoLearner {
    const environment = randomEnvironment(seed, 4);
    const stage = new Stage(environment, {
      ...{ seed, rateHz: RATE_HZ, layout: DEVICES.esp32, impairments: IMPAIRMENTS },
      echoDb: echoDb ?? 0,
      people: echoDb === null ? [] : [{ script: [{ activity: 'walk', seconds: SECONDS }] }],
    });
    stage.enter(0);
    const chain = new WindowChain(environment);
    const learner = new EchoLearner(environment);
    const blocks = Array.from({ length: SECONDS }, (_, second) =>
      stage.play(second * RATE_HZ, (second + 1) * RATE_HZ, 0, second * RATE_HZ, [0, 1, 2, 3]),
    );
    for (const window of [...blocks.flatMap((block) => [...chain.take(block)]), ...chain.end()])
      learner.add(window);
    return learner;
  }

  it('is as strong as the simulator makes it', () => {
    const seeds = [748_990, 748_991, 748_992];
    const meanOf = (echoDb: number) => mean(seeds.map((seed) => learnt(seed, echoDb).echoDb!));
    const usual = meanOf(0);
    expect(Math.abs(usual), 'rooms differ by chance').toBeLessThan(6);
    expect(Math.abs(meanOf(10) - usual - 10)).toBeLessThan(3);
  });

  it('is unknown while nobody walks', () => {
    const { environment } = simulatedWindow(1);
    expect(new EchoLearner(environment).echoDb, 'before the first window').toBeNull();
    const empty = learnt(748_990, null);
    expect(empty.heardSeconds).toBeGreaterThan(5);
    expect(empty.echoDb).toBeNull();
  });

  it('is that of its own room and of links that are heard', () => {
    const { environment, window } = simulatedWindow(1);
    const learner = new EchoLearner(environment);
    learner.add({ ...window, environment: 'elsewhere' });
    const [first] = window.links;
    learner.add({ ...window, links: [{ ...first!, id: 'unknown' }] });
    learner.add({ ...window, links: [{ ...first!, gaps: new Uint8Array(window.points).fill(1) }] });
    expect(learner.change).toBeNaN();
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

describe('the echo of a room in requests', () => {
  const { environment, window } = simulatedWindow(1);
  const table = new LinkTable([environment]);
  const echoIn = (echoes: Readonly<Record<string, number>>) =>
    new Set(requestOf(window, table, { ...UNCALIBRATED, echoes })!.links.map(({ facts }) => facts.echoDb));

  it('is the one of its environment, from 0 to 15 dB', () => {
    expect(echoIn({})).toEqual(new Set([0]));
    expect(echoIn({ elsewhere: 9 })).toEqual(new Set([0]));
    expect(echoIn({ [environment.id]: 9.5 })).toEqual(new Set([9.5]));
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
