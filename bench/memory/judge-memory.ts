import { OUT } from '../../operators/infer-pose/networks/layers.js';
import { likeliest } from '../../operators/infer-pose/people/person.js';
import { likeliestPlaces } from '../../operators/infer-pose/sights/places.js';
import type { Estimate } from '../../operators/infer-pose/sights/sight.js';
import type { ErrorCalibration } from '../../operators/infer-pose/model/weights.js';
import { jointScale, powerLaw } from '../../operators/infer-pose/training/calibrate.js';
import { PEOPLE, TOLD, TRUE, type Course } from './courses.js';
import type { Kind } from './what-happens.js';
import { recalls } from './recalls.js';
import { mean } from '../../operators/shared/mean.js';

/** Results in rooms of one kind. Places: of a person who is alone, metres. */
export interface MemoryFigures {
  readonly kind: Kind;
  readonly place: number;
  /** From one window alone. */
  readonly window: number;
  readonly countRight: number;
  /** Shares of upright, sitting and lying that are recognised; null if there are none. */
  readonly postures: readonly (number | null)[];
}

interface Said {
  readonly kind: Kind;
  readonly countRight: boolean;
  readonly alone: {
    readonly estimate: Estimate;
    readonly truth: { readonly joints: Float32Array; readonly heading: readonly [number, number] };
    readonly error: number;
    readonly scale: number;
    readonly window: number;
    readonly posture: number;
    readonly postureRight: boolean;
  } | null;
  /**
   * For several people with the correct number: each reported position and the nearest true one. After
   * pairing, errors come out larger; tracks then trust places less, and lag behind people.
   */
  readonly several: readonly { readonly error: number; readonly scale: number }[];
}

/** Windows at the start of a course, before there is anything to remember. */
const BEGINNING = 12;

/** Evaluates trained weights on courses, and fits the distributions of their errors. */
export function judgeMemory(
  weights: Float32Array,
  courses: readonly Course[],
): { readonly figures: readonly MemoryFigures[]; readonly calibration: ErrorCalibration } {
  const said = courses.flatMap((course) => saidOf(weights, course));
  const alone = aloneIn(said);
  const kinds = [...new Set(courses.map(({ kind }) => kind))];
  return {
    figures: kinds.map((kind) => figuresOf(kind, said)),
    calibration: {
      position: powerLaw(alone),
      several: powerLaw(said.flatMap(({ several }) => several)),
      joints: jointScale(alone),
    },
  };
}

const aloneIn = (said: readonly Said[]) => said.flatMap(({ alone }) => (alone ? [alone] : []));

function saidOf(weights: Float32Array, course: Course): Said[] {
  const said: Said[] = [];
  for (const { window: w, recall, alone: answer } of recalls(weights, course)) {
    if (w < BEGINNING) continue;
    const { cells, counts, alone: one } = recall;
    const people = course.people[w]!;
    const told = course.truth.subarray(w * PEOPLE * TOLD, (w + 1) * PEOPLE * TOLD);
    const [x, y] = told;
    const posture = told[TRUE.posture];
    const away = (px: number, py: number) => Math.hypot(px - x!, py - y!);
    const countRight = likeliest(counts) === people;
    const alone = {
      estimate: one,
      truth: {
        joints: told.slice(TRUE.joints, TOLD),
        heading: [told[TRUE.heading]!, told[TRUE.heading + 1]!] as const,
      },
      scale: one.scale,
      posture: posture!,
      postureRight: likeliest(one.postures) === posture,
      error: away(...one.root),
      window: away(answer[OUT.offset]!, answer[OUT.offset + 1]!),
    };
    const several =
      people > 1 && countRight
        ? likeliestPlaces(cells, course.size, people).map(({ x, y, spread }) => ({
            error: Math.min(...placesIn(told, people).map(([px, py]) => Math.hypot(x - px, y - py))),
            scale: Math.hypot(one.scale, spread),
          }))
        : [];
    said.push({ kind: course.kind, countRight, alone: people === 1 ? alone : null, several });
  }
  return said;
}

const placesIn = (told: Float32Array, people: number): [number, number][] =>
  Array.from({ length: Math.min(PEOPLE, people) }, (_, p) => [told[p * TOLD]!, told[p * TOLD + 1]!]);

function figuresOf(kind: Kind, all: readonly Said[]): MemoryFigures {
  const said = all.filter((one) => one.kind === kind);
  const alone = aloneIn(said);
  const right = (posture: number) => {
    const those = alone.filter((one) => one.posture === posture);
    return those.length === 0 ? null : rounded(mean(those.map(({ postureRight }) => Number(postureRight))));
  };
  return {
    kind,
    place: rounded(mean(alone.map(({ error }) => error))),
    window: rounded(mean(alone.map(({ window }) => window))),
    countRight: rounded(mean(said.map(({ countRight }) => Number(countRight)))),
    postures: [0, 1, 2].map(right),
  };
}

const rounded = (value: number): number => Math.round(1000 * value) / 1000;
