import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Terms } from '../../bench/memory/memory-loss.js';
import { stretchOf, type Stretch } from '../../bench/memory/stretch.js';
import { PEOPLE, TOLD, TRUE, type Course } from '../../bench/memory/courses.js';
import { symmetries } from '../../bench/memory/symmetry.js';
import {
  follow,
  lossAndGradient,
  meanLoss,
  trainMemory,
  watchedLoss,
  type MemoryStanding,
} from '../../bench/memory/training.js';
import { seeded } from '../../pipeline/base/random.js';
import { JOINTS } from '../../operators/infer-pose/networks/body.js';
import { CELLS, cellCentre } from '../../operators/infer-pose/inputs/geometry.js';
import { OUT } from '../../operators/infer-pose/networks/layers.js';
import { Memory } from '../../operators/infer-pose/memory/memory.js';
import { readInputs } from '../../operators/infer-pose/sights/reading.js';
import {
  CELL_INPUTS,
  MEMORY,
  MEMORY_LAYERS,
  MEMORY_PARAMETERS,
  MEMORY_OFFSETS,
  memoryNetwork,
  noMemory,
  ROOM_INPUTS,
  type Reading,
} from '../../operators/infer-pose/networks/memory-layers.js';
import { inView, recall, type Remembered } from '../../operators/infer-pose/people/recall.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import { memoryTensors } from '../../operators/infer-pose/training/memory-network.js';

const random = seeded(5);
const weights = Float32Array.from({ length: MEMORY_PARAMETERS }, () => 0.3 * (random() - 0.5));
const size = { x: 6, y: 4 };

/** A course of made-up numbers: of a room with one person, an empty one, or one with two. */
function madeUp(people: number, windows: number, at = size): Course {
  const numbers = (length: number, scale = 1) =>
    Float32Array.from({ length }, () => scale * (random() - 0.5));
  const halves = new Uint16Array(numbers(windows * CELLS * CELL_INPUTS).buffer).filter((_, i) => i % 2 === 1);
  return {
    ...{ seed: 1, kind: 'walk', size: at, windows, cells: halves },
    room: numbers(windows * ROOM_INPUTS),
    alone: numbers(windows * OUT.size),
    people: new Uint8Array(windows).fill(people),
    truth: Float32Array.from({ length: windows * PEOPLE * TOLD }, (_, i) => truthAt(i % TOLD)),
  };
}

const truthAt = (at: number): number =>
  at === TRUE.posture ? Math.floor(3 * random()) : at < TRUE.heading ? 3 * random() : 0.3;

const plain = symmetries[0]!;

/** Terms with gradients everywhere: the term of the scales treats errors as constants. */
const FLOWING: Terms = {
  ...{ floor: 0.3, cells: 0.5, counts: 0.5, postures: 0.5, moving: 0.2 },
  ...{ scales: 0, jointScales: 0 },
  ...{ joints: 2, heading: 0.5 },
};

const lossOf = (of: Float32Array, stretch: Stretch): number =>
  tf.tidy(() => meanLoss(memoryTensors(of), stretch, null, { terms: FLOWING }).dataSync()[0]!);

beforeAll(async () => {
  await loadTrainingBackend('wasm');
});

describe('the network with memory', () => {
  it('gives the same result in plain numbers as with tensors, window after window', () => {
    const course = madeUp(1, 5);
    const said: number[][] = [];
    const stretch = stretchOf([course], [plain], 0, 5);
    tf.tidy(() => {
      follow(memoryTensors(weights), stretch, null, (recalls) => {
        const { cells, counts, place, alone } = recalls;
        const part = (from: number, size: number) => tf.slice(alone, [0, from], [1, size]);
        said.push(
          [
            tf.softmax(cells),
            tf.softmax(counts),
            tf.add(place, part(OUT.offset, 2)),
            tf.exp(part(OUT.rootScale, 1)),
            part(OUT.heading, 2),
            tf.softmax(part(OUT.postures, 3)),
            tf.sigmoid(part(OUT.moving, 1)),
            part(OUT.joints, 3 * JOINTS),
            tf.exp(part(OUT.jointScales, JOINTS)),
          ].flatMap((values) => [...values.dataSync()]),
        );
      });
    });
    const network = memoryNetwork(weights);
    const memory = new Memory(network);
    let state = noMemory();
    for (let w = 0; w < 5; w++) {
      const cells = stretch.cells.subarray(w * CELLS * CELL_INPUTS, (w + 1) * CELLS * CELL_INPUTS);
      const room = stretch.room.subarray(w * ROOM_INPUTS, (w + 1) * ROOM_INPUTS);
      const answer = stretch.alone.subarray(w * OUT.size, (w + 1) * OUT.size);
      const next = memory.step(state, readInputs(network, { cells, room }, answer), size);
      const { cells: likely, counts, alone } = next.recall;
      const { root, scale, heading, postures, moving, joints, jointScales } = alone;
      const reported = [...likely, ...counts, ...root, scale, ...heading, ...postures, moving, ...joints];
      [...reported, ...jointScales].forEach((value, i) => {
        expect(value).toBeCloseTo(said[w]![i]!, 4);
      });
      state = next.state;
    }
  });

  it('is trained along the gradient given by small steps, over all windows', () => {
    const rooms = [madeUp(1, 3), madeUp(0, 3), madeUp(2, 3, { x: 3, y: 5 })];
    const stretch = stretchOf(rooms, [plain, symmetries[3]!, symmetries[6]!], 0, 3);
    const { loss, gradient } = lossAndGradient(weights, stretch, null, FLOWING);
    expect(loss).toBeGreaterThan(0);
    for (const { name } of MEMORY_LAYERS) {
      const { kernel, bias } = MEMORY_OFFSETS.get(name)!;
      for (const i of [kernel, bias]) {
        const moved = (by: number) => lossOf(weights.with(i, weights[i]! + by), stretch);
        expect(gradient[i], name).toBeCloseTo((moved(0.005) - moved(-0.005)) / 0.01, 2);
      }
    }
  });

  const settings = { epochs: 2, batch: 12, reach: 8, rate: 0.003, decay: 0.01 };
  const silent = () => undefined;

  it('learns, and resumes an interrupted training without a difference', () => {
    const rooms = [madeUp(1, 58), madeUp(1, 20)];
    const losses: number[] = [];
    let half: MemoryStanding | undefined;
    const options = { seed: 7, watched: [madeUp(1, 12)], patience: 0 };
    const whole = trainMemory(rooms, settings, {
      ...options,
      progress: ({ epoch, loss }, standing) => {
        losses.push(loss);
        if (epoch === 1) half = standing();
      },
    });
    expect(losses[1]).toBeLessThan(losses[0]!);
    expect(whole.stopped).toBe(false);
    const resumed = trainMemory(rooms, settings, { ...options, standing: half!, progress: silent });
    expect(resumed).toEqual(whole);
  });

  it('stops when validation rooms do not improve, and ends with the best weights', () => {
    const [room, other] = [madeUp(1, 58), madeUp(1, 5)];
    const looks: number[] = [];
    // Steps so large that weights only get worse.
    const spoilt = { ...settings, epochs: 9, rate: 50 };
    const trained = trainMemory([room], spoilt, {
      ...{ seed: 7, start: weights, watched: [other], patience: 1 },
      progress: ({ watched }) => looks.push(watched),
    });
    expect(trained).toMatchObject({ stopped: true, weights });
    expect(looks).toHaveLength(1);
    expect(Math.min(...looks)).toBeGreaterThan(trained.watched);
    expect(trained.watched).toBe(watchedLoss(weights, [other], settings.reach));
  });
});

describe('the eight rotations of a room', () => {
  it.each(symmetries.map((symmetry, i) => [i, symmetry] as const))(
    '%i keeps each cell in place',
    (_, turn) => {
      const turned = turn.size(size);
      turn.cells.forEach((before, cell) => {
        const { x, y } = cellCentre(before, size);
        const after = cellCentre(cell, turned);
        const [px, py] = turn.place(x, y, size);
        expect(Math.hypot(px - after.x, py - after.y)).toBeLessThan(1e-9);
      });
      expect(Math.hypot(...turn.vector(0.6, 0.8))).toBeCloseTo(1, 9);
    },
  );
});

const cells = new Float32Array(CELLS);
cells[9] = 0.5;
cells[54] = 0.5;
const pose = (x: number, y: number, moving: number) => ({
  ...{ root: [x, y] as const, scale: 0.3, heading: [1, 0] as const, postures: [1, 0, 0], moving },
  joints: new Float32Array(51),
  jointScales: new Float32Array(17),
});

describe('the memory', () => {
  const memory = new Memory(memoryNetwork(weights));
  const reading = (value: number): Reading => ({
    cells: new Float32Array(CELLS * MEMORY.cellReading).fill(value),
    room: new Float32Array(MEMORY.roomReading).fill(value),
    alone: new Float32Array(OUT.size),
  });
  const taken = (times: readonly number[]) => {
    let remembered: readonly Remembered[] = [];
    return times.map((time) => {
      const said = recall(memory, remembered, { reading: reading(time % 1), time: time * 1e6, size })!;
      ({ remembered } = said);
      return { ...said.recall, length: remembered.length };
    });
  };

  it('continues from the window a beat before, whatever lies between', () => {
    const close = taken([10, 10.2, 10.4, 10.6, 10.8]);
    const apart = taken([10, 10.4, 10.8]);
    expect(close[4]!.cells).toEqual(apart[2]!.cells);
    expect(close[3]!.cells).toEqual(taken([10.2, 10.6])[1]!.cells);
  });

  it('judges postures together with the windows of the last beat, and everything else by its own sequence', () => {
    const [close, one, other] = [taken([10, 10.2, 10.4, 10.6]), taken([10, 10.4]), taken([10.2, 10.6])];
    const pooled = (each: readonly (readonly number[])[]) => {
      const product = each[0]!.map((_, i) => Math.sqrt(each[0]![i]! * each[1]![i]!));
      const sum = product.reduce((a, b) => a + b, 0);
      return product.map((value) => value / sum);
    };
    const [last, before] = [other[1]!, one[1]!];
    expect(last.alone.postures).not.toEqual(before.alone.postures);
    pooled([last.alone.postures, before.alone.postures]).forEach((odds, i) => {
      expect(close[3]!.alone.postures[i]).toBeCloseTo(odds, 6);
    });
    expect(close[3]!.counts).toEqual(last.counts);
    expect(close[3]!.alone.root).toEqual(last.alone.root);
  });

  it('continues from a memory that an earlier version wrote', () => {
    const first = recall(memory, [], { reading: reading(0.2), time: 10e6, size })!;
    const earlier = first.remembered.map(({ time, state }) => ({ time, state }));
    const next = { reading: reading(0.4), time: 10.2e6, size };
    const alone = recall(memory, [], next)!;
    expect(recall(memory, earlier, next)!.recall.alone.postures).toEqual(alone.recall.alone.postures);
  });

  it('contains only the last beat', () => {
    const many = taken(Array.from({ length: 100 }, (_, i) => 10 + 0.1 * i));
    expect(Math.max(...many.map(({ length }) => length))).toBeLessThanOrEqual(6);
  });

  it('is empty after a gap, and after a clock was set back', () => {
    expect(taken([10, 10.4, 30])[2]!.cells).toEqual(taken([30])[0]!.cells);
    expect(taken([100, 100.4, 30])[2]!.cells).toEqual(taken([30])[0]!.cells);
  });

  it('is not changed by a late window, or a repeated one', () => {
    const late = taken([10, 10.4, 10.2, 10.4, 10.8]);
    expect(late[4]!.cells).toEqual(taken([10, 10.4, 10.8])[2]!.cells);
    expect(late[3]!.length).toBe(2);
  });

  it('fades as far as a person walks', () => {
    for (const value of [0, 0.3, 1]) {
      const { recall: said, remembered } = recall(memory, [], { reading: reading(value), time: 0, size })!;
      const { state } = memory.step(noMemory(), reading(value), size);
      const left = Math.exp((-0.4 * said.alone.moving) / 40);
      expect(said.alone.moving).toBeGreaterThan(0.01);
      state.room.forEach((number, i) => {
        expect(remembered[0]!.state.room[i]).toBeCloseTo(left * number, 6);
      });
      state.cells.forEach((number, i) => {
        expect(remembered[0]!.state.cells[i]).toBeCloseTo(left * number, 6);
      });
    }
  });

  it.each([
    ['five windows a second fade once a beat', 0.2, 0.4],
    ['one window a second fades for a second', 1, 1],
  ])('fades by time: %s', (_, hop, seconds) => {
    const times = Array.from({ length: 6 }, (_, i) => i * hop);
    let remembered: readonly Remembered[] = [];
    for (const time of times) {
      const before = remembered.findLast((one) => one.time <= (time - 0.35) * 1e6);
      const said = recall(memory, remembered, { reading: reading(0.3), time: time * 1e6, size })!;
      const { state } = memory.step(before?.state ?? noMemory(), reading(0.3), size);
      const left = Math.exp((-(before ? seconds : 0.4) * said.recall.alone.moving) / 40);
      const stored = said.remembered.at(-1)!.state.room;
      stored.forEach((number, i) => {
        expect(number).toBeCloseTo(left * state.room[i]!, 6);
      });
      ({ remembered } = said);
    }
  });

  describe('of a person who keeps still', () => {
    /** Counts its windows, and sees what a test says: walking and somebody, by the number of windows so far. */
    const counting = (moving: (windows: number) => number, somebody = 1): Memory =>
      ({
        step: ({ room }: { room: Float32Array }) => {
          const windows = Math.round(room[0]!) + 1;
          const alone = pose(windows, 0, moving(windows));
          const state = { cells: Float32Array.of(0), room: Float32Array.of(windows) };
          return { state, recall: { cells, counts: [1 - somebody, somebody], alone } };
        },
      }) as unknown as Memory;
    /** The number of windows in the memory that judged each, with the memories of a restart in the middle. */
    const judgedBy = (one: Memory, windows: number, restart = -1): number[] => {
      let remembered: readonly Remembered[] = [];
      return Array.from({ length: windows }, (_, i) => {
        if (i === restart) remembered = structuredClone(remembered);
        const time = 1e9 + i * 400_000;
        const said = recall(one, remembered, { reading: reading(0), time, size })!;
        ({ remembered } = said);
        return said.recall.alone.root[0];
      });
    };
    const upTo = (windows: number) => Array.from({ length: windows }, (_, i) => i + 1);

    it.each([-1, 30, 70])('judges by what it held after twenty seconds (restart: %i)', (restart) => {
      const judged = judgedBy(
        counting(() => 0),
        100,
        restart,
      );
      expect(judged).toEqual([...upTo(51), ...Array<number>(49).fill(52)]);
    });

    it('continues where it was once they move, although it did not judge', () => {
      const judged = judgedBy(
        counting((windows) => (windows > 80 ? 0.2 : 0)),
        90,
      );
      expect(judged.slice(51, 80)).toEqual(Array(29).fill(52));
      expect(judged.slice(80)).toEqual(upTo(90).slice(80));
    });

    it('judges an empty room by itself', () => {
      expect(
        judgedBy(
          counting(() => 0, 0.4),
          100,
        ),
      ).toEqual(upTo(100));
    });
  });

  it('ignores input that is not finite', () => {
    const bad = { ...reading(1), room: new Float32Array(MEMORY.roomReading).fill(NaN) };
    expect(recall(memory, [], { reading: bad, time: 0, size })).toBeNull();
  });
});

describe('several people', () => {
  const [near, far] = [pose(1, 1, 0.1), pose(5, 3, 0.9)];
  const scales = { position: { factor: 1, power: 1 }, several: { factor: 2, power: 1 } };
  const recalled = { cells, counts: [0, 0, 1, 0, 0], alone: { ...pose(3, 2, 0.5), scale: 0.4 } };
  const sight = { counts: [0, 1, 0, 0, 0], cells, alone: near };

  it('are placed by the floor, each posed as the windows nearby show', () => {
    const reported = inView({ ...sight, several: [far, near] }, recalled, size, scales);
    expect(reported.map(({ estimate }) => estimate.moving).sort()).toEqual([0.1, 0.9]);
    for (const { estimate, error, drawn } of reported) {
      const { x, y } = cellCentre(estimate.moving < 0.5 ? 9 : 54, size);
      expect(Math.hypot(estimate.root[0] - x, estimate.root[1] - y)).toBeLessThan(0.05);
      expect(error).toBeCloseTo(0.8, 1);
      expect(drawn).toBe(true);
    }
  });

  it("are not drawn with another person's skeleton", () => {
    const reported = inView({ ...sight, several: [] }, recalled, size, scales);
    expect(reported.map(({ drawn }) => drawn).sort()).toEqual([false, true]);
  });
});
