import { POSTURES } from '../../operators/infer-pose/networks/body.js';
import { CELLS } from '../../operators/infer-pose/inputs/geometry.js';
import { Memory } from '../../operators/infer-pose/memory/memory.js';
import { faded } from '../../operators/infer-pose/memory/memory-after.js';
import {
  BEAT_S,
  CELL_INPUTS,
  memoryNetwork,
  noMemory,
  type MemoryState,
} from '../../operators/infer-pose/networks/memory-layers.js';
import { likeliest } from '../../operators/infer-pose/people/person.js';
import { readInputs } from '../../operators/infer-pose/sights/reading.js';
import type { Scene } from '../../operators/infer-pose/inputs/scene.js';
import type { Estimate } from '../../operators/infer-pose/sights/sight.js';
import { MOVING } from '../../operators/infer-pose/training/generate.js';
import type { Played } from '../accuracy/chain/inputs.js';
import { PEOPLE, TOLD, TRUE, wholes } from '../memory/courses.js';
import type { LabelledPerson, Labels } from './labels.js';
import type { HeardWindow } from './listen.js';

/** A recording that was played, with its labels. */
export interface Labelled {
  readonly played: Played;
  readonly labels: Labels;
  /** Whether label times are dates. */
  readonly absolute: boolean;
}

/** The people present at an event time as played; null if not labelled. */
export function peopleAt(recordings: readonly Labelled[], time: number): readonly LabelledPerson[] | null {
  const recording = recordings.find(({ played: { from, to } }) => time >= from && time <= to);
  if (!recording) return null;
  const { played, labels, absolute } = recording;
  return labels.at((time - (absolute ? played.moved : played.from)) / 1e6);
}

/** A stretch of event time, microseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Training, validation and test spans, in order of time. */
export interface Split {
  readonly trained: readonly Span[];
  readonly watched: readonly Span[];
  readonly judged: readonly Span[];
}

const TRAINED = 0.7;
const WATCHED = 0.15;

/** Splits each recording by its labelled windows. No window is in two parts. */
export function splitOf(windows: readonly HeardWindow[], recordings: readonly Labelled[]): Split {
  const spans = recordings.map(({ played: { from, to } }, index) => {
    const own = windows.filter(
      (window) =>
        window.start >= from && window.end <= to && peopleAt([recordings[index]!], middleOf(window)) !== null,
    );
    const cut = (share: number) => own[Math.floor(share * own.length)]?.start ?? to;
    return { from, first: cut(TRAINED), second: cut(TRAINED + WATCHED), to };
  });
  return {
    trained: spans.map(({ from, first }) => ({ from, to: first })),
    watched: spans.map(({ first, second }) => ({ from: first, to: second })),
    judged: spans.map(({ second, to }) => ({ from: second, to })),
  };
}

export const middleOf = ({ start, end }: Pick<HeardWindow, 'start' | 'end'>): number => (start + end) / 2;

/** Beats between two windows after which the memory starts empty. */
const MAX_BEATS = 1.6;

/** A labelled window, and the start model's memory after it. */
export interface Lesson {
  readonly state: MemoryState;
  /** The window's answer, in the order of OUT. */
  readonly alone: Float32Array;
  readonly people: number;
  /** [PEOPLE, TOLD] */
  readonly truth: Float32Array;
}

/**
 * The labelled windows within spans. For values without labels (joints, and the posture where omitted), the
 * target is the start model's own answer, so that training changes it as little as possible (following Li and
 * Hoiem 2018).
 * @param start weights of the memory network
 */
export function lessonsOf(
  windows: readonly HeardWindow[],
  spans: readonly Span[],
  recordings: readonly Labelled[],
  { start, size }: { readonly start: Float32Array; readonly size: Scene['size'] },
): Lesson[] {
  const network = memoryNetwork(start);
  const memory = new Memory(network);
  const floor = new Float32Array(CELLS * CELL_INPUTS);
  const last = Math.max(...spans.map(({ to }) => to));
  return runsOf(windows.filter(({ end }) => end <= last)).flatMap((run) => {
    let state = noMemory();
    return run.flatMap((window): Lesson[] => {
      const { cells, room, alone } = window;
      const reading = readInputs(network, { cells: wholes(cells, floor), room }, alone);
      const next = memory.step(state, reading, size);
      state = faded(next);
      if (!spans.some(({ from, to }) => window.start >= from && window.end <= to)) return [];
      const people = peopleAt(recordings, middleOf(window));
      if (!people) return [];
      const truth = new Float32Array(PEOPLE * TOLD);
      truth.set(people.flatMap((person) => told(person, next.recall.alone)));
      return [{ state: next.state, alone, people: people.length, truth }];
    });
  });
}

/**
 * Runs of windows one beat apart. If windows overlap more than that, every second, third and so on forms a
 * run of its own.
 */
function runsOf(windows: readonly HeardWindow[]): HeardWindow[][] {
  const beat = BEAT_S * 1e6;
  const runs: HeardWindow[][] = [];
  for (const window of windows) {
    const run = runs.find((one) => {
      const apart = window.start - one.at(-1)!.start;
      return apart >= beat * 0.9 && apart <= beat * MAX_BEATS;
    });
    if (run) run.push(window);
    else runs.push([window]);
  }
  return runs;
}

/** In the order of {@link TRUE}. @param said used where labels give no value */
function told({ place, velocity, posture }: LabelledPerson, said: Estimate): number[] {
  const speed = Math.hypot(...velocity);
  // Walkers face the way they go.
  const heading = speed > MOVING ? velocity.map((part) => part / speed) : said.heading;
  const known = posture ?? POSTURES[likeliest(said.postures)]!;
  const row = Array<number>(TOLD).fill(0);
  const put = (at: number, values: readonly number[]) => row.splice(at, values.length, ...values);
  put(TRUE.place, place);
  put(TRUE.heading, heading);
  put(TRUE.posture, [POSTURES.indexOf(known)]);
  put(TRUE.speed, [speed]);
  put(TRUE.joints, [...said.joints]);
  return row;
}
