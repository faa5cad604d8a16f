import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinkMeter } from '../../operators/window/link-quality.js';

const WIDTH = 12;
const EPOCH = 64;

/** The first carrier of each block, while all carriers have a signal. */
function blocksOf(carriers: number): readonly number[] {
  const runs = Math.max(1, Math.floor(carriers / WIDTH));
  const blocks = Math.min(3, runs);
  return Array.from({ length: blocks }, (_, block) => {
    const run = Math.floor(((block + 0.5) * runs) / blocks);
    return Math.floor((run * carriers) / runs);
  });
}

/** The sums of the frames of an epoch as they are defined, one after the other. */
function sumsOf(frames: readonly Float32Array[], carriers: number) {
  const power = new Float64Array(carriers);
  const covariance = new Float64Array(3 * WIDTH * WIDTH * 2);
  const sums = { weight: 0, pairs: 0, repeated: 0, silent: 0, jumps: 0 };
  let before = 0;
  frames.forEach((frame, index) => {
    if (index > 0 && frame.every((value, i) => value === frames[index - 1]![i])) sums.repeated++;
    const total = frame.reduce((sum, value) => sum + value * value, 0);
    if (!(total > 0)) sums.silent++;
    else {
      sums.weight++;
      if (before > 0) {
        sums.pairs++;
        sums.jumps += Math.abs(10 * Math.log10(total / before));
      }
      addFrame(frame, carriers / total, power, covariance);
    }
    before = total;
  });
  return { power, covariance, sums: Float64Array.from(Object.values(sums)) };
}

function addFrame(frame: Float32Array, scale: number, power: Float64Array, covariance: Float64Array): void {
  power.forEach((_, k) => {
    power[k]! += scale * (frame[2 * k]! * frame[2 * k]! + frame[2 * k + 1]! * frame[2 * k + 1]!);
  });
  for (const [block, first] of blocksOf(power.length).entries())
    for (let i = 0; i < Math.min(WIDTH, power.length - first); i++) {
      const [re, im] = [scale * frame[2 * (first + i)]!, scale * frame[2 * (first + i) + 1]!];
      for (let j = 0; j <= i; j++) {
        const [x, y] = [frame[2 * (first + j)]!, frame[2 * (first + j) + 1]!];
        const cell = 2 * ((block * WIDTH + i) * WIDTH + j);
        covariance[cell]! += re * x + im * y;
        covariance[cell + 1]! += im * x - re * y;
      }
    }
}

const value = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.float({ min: -100, max: 100, noNaN: true }),
  fc.float({ noNaN: true, noDefaultInfinity: true }),
);

/** Frames of a link, some silent, some repeated, some with a value that is not a number. */
const course = fc.integer({ min: 4, max: 60 }).chain((carriers) =>
  fc.record({
    carriers: fc.constant(carriers),
    frames: fc.array(
      fc
        .tuple(
          fc.constantFrom('new', 'new', 'new', 'same', 'silent', 'damaged'),
          fc.array(value, { minLength: 5, maxLength: 30 }),
        )
        .map(([kind, values]) =>
          kind === 'new'
            ? Float32Array.from({ length: 2 * carriers }, (_, i) => values[(i * i) % values.length]!)
            : kind === 'silent'
              ? new Float32Array(2 * carriers)
              : kind === 'damaged'
                ? new Float32Array(2 * carriers).fill(NaN, 3, 4)
                : null,
        ),
      { maxLength: EPOCH - 1 },
    ),
    restored: fc.array(fc.nat(EPOCH), { maxLength: 4 }),
  }),
);

const meterOf = (carriers: number) => new LinkMeter({ rx: 1, tx: 1, subcarriers: new Int16Array(carriers) });

/** The meter after these frames, restored from a snapshot before some of them. */
function measured(carriers: number, frames: readonly Float32Array[], restored: readonly number[]): LinkMeter {
  let meter = meterOf(carriers);
  frames.forEach((frame, index) => {
    if (restored.includes(index)) {
      const state = structuredClone(meter.snapshot());
      meter = meterOf(carriers);
      meter.restore(state);
    }
    meter.add(Float32Array.of(NaN, ...frame, NaN), 1);
  });
  return meter;
}

const filled = (frames: readonly (Float32Array | null)[], size: number): readonly Float32Array[] => {
  let last: Float32Array = new Float32Array(size);
  return frames.map((frame) => (last = frame ?? last));
};

test('the sums of a link equal their definition to the last bit, also after restarts', () => {
  fc.assert(
    fc.property(course, ({ carriers, frames: drawn, restored }) => {
      const frames = filled(drawn, 2 * carriers);
      const {
        power,
        covariance,
        sums,
        last,
        frames: count,
      } = measured(carriers, frames, restored).snapshot();
      expect({ power, covariance, sums }).toEqual(sumsOf(frames, carriers));
      expect(last).toEqual(frames.at(-1) ?? new Float32Array(2 * carriers));
      expect(count).toBe(frames.length);
    }),
  );
});

test('restarts change no assessment', () => {
  const [carriers, count] = [30, 5 * EPOCH];
  const frames = Array.from({ length: count }, (_, f) =>
    // A third of the carriers fades away, so that the blocks change.
    Float32Array.from({ length: 2 * carriers }, (_, i) =>
      Math.fround((((f * 7919 + i * 104_729) % 97) - 48) * (i < 20 && f > EPOCH ? 0.01 : 1)),
    ),
  );
  const whole = measured(carriers, frames, []);
  expect(whole.quality.snrDb).not.toBeNaN();
  for (const cut of [1, 5, 63, 64, 65, 131]) {
    const restored = measured(carriers, frames, [cut, cut + 70]);
    expect(restored.quality).toEqual(whole.quality);
    expect(restored.snapshot()).toEqual(whole.snapshot());
  }
});
