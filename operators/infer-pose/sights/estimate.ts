import { JOINTS, MIRRORED } from '../networks/body.js';
import { axesAt, CELLS, turnBack, type Axes } from '../inputs/geometry.js';
import { boundedLog, COUNTS, OUT, WIDTHS } from '../networks/layers.js';
import type { Network } from '../networks/network.js';
import { TensorParts, type LookBatch, type Parts, type SeenBatch } from '../networks/parts.js';
import { likeliestPlaces, meanPlace, type FloorPlace } from './places.js';
import { sceneBatch, viewBatch, type Scene } from '../inputs/scene.js';
import type { Estimate, Seen, Sight } from './sight.js';
import { softmax } from '../networks/softmax.js';

/** Probability of more than one person from which several are located. */
const SEVERAL = 0.1;

/**
 * Axes for the pose head: it runs in each, and the results are averaged, because the directions of the
 * room's axes are arbitrary. The extra cost is small, because links and grid are computed once.
 */
const AXES: readonly Axes[] = [0, 1, 2, 3].flatMap((quarter) => [
  axesAt((quarter * Math.PI) / 2, 1),
  axesAt((quarter * Math.PI) / 2, -1),
]);

/** A position of a window for the pose head. */
interface Look extends FloorPlace {
  readonly window: number;
}

/**
 * Results for windows with the same number of links.
 * @param features [windows, links, LINK_FEATURES]
 */
export function estimate(network: Network, scenes: readonly Scene[], features: Float32Array): Seen[] {
  if (scenes.length === 0) return [];
  const parts = new TensorParts(network);
  const seen = parts.see(sceneBatch(scenes, features));
  const looks = looksOf(scenes, seen);
  return sightsOf(scenes, seen, looks, parts.look(lookBatch(scenes, seen, looks)));
}

/** The same where the parts must be waited for. */
export async function estimateBy(
  parts: Parts,
  scenes: readonly Scene[],
  features: Float32Array,
): Promise<Seen[]> {
  if (scenes.length === 0) return [];
  const seen = await parts.see(sceneBatch(scenes, features));
  const looks = looksOf(scenes, seen);
  return sightsOf(scenes, seen, looks, await parts.look(lookBatch(scenes, seen, looks)));
}

/** The places at which to look: of each window the one if somebody is alone, then those of several people. */
const looksOf = (scenes: readonly Scene[], { cells, counts }: SeenBatch): Look[] =>
  scenes.flatMap(({ size }, window): Look[] => {
    const floor = cells.subarray(window * CELLS, (window + 1) * CELLS);
    const row = counts.subarray(window * COUNTS, (window + 1) * COUNTS);
    const others = likeliestPlaces(floor, size, likeliestCrowd(row));
    return [meanPlace(floor, size), ...others].map((place) => ({ ...place, window }));
  });

/** The pose head's input: each place in all axes, one after the other. */
function lookBatch(scenes: readonly Scene[], { tokens }: SeenBatch, looks: readonly Look[]): LookBatch {
  const width = tokens.length / scenes.length;
  const heard = new Float32Array(AXES.length * looks.length * width);
  looks.forEach(({ window }, i) => {
    const own = tokens.subarray(window * width, (window + 1) * width);
    for (let f = 0; f < AXES.length; f++) heard.set(own, (f * looks.length + i) * width);
  });
  const views = viewBatch(
    AXES.flatMap(() => looks.map(({ window }) => scenes[window]!)),
    (i) => [looks[i % looks.length]!.x, looks[i % looks.length]!.y],
    (i) => AXES[Math.floor(i / looks.length)]!,
  );
  return { ...views, tokens: heard };
}

/** @param outputs of the pose head, in the order of {@link lookBatch} */
function sightsOf(
  scenes: readonly Scene[],
  seen: SeenBatch,
  looks: readonly Look[],
  outputs: Float32Array,
): Seen[] {
  const answers = looks.map((place, i) =>
    average(
      AXES.map((_, f) => {
        const row = f * looks.length + i;
        return outputs.subarray(row * OUT.size, (row + 1) * OUT.size);
      }),
      place,
    ),
  );
  return scenes.map(({ links }, window): Seen => {
    const [alone, ...several] = answers.filter((_answer, i) => looks[i]!.window === window);
    const sight: Sight = {
      counts: Array.from(row(seen.counts, window, COUNTS)),
      cells: row(seen.cells, window, CELLS),
      alone: alone!,
      several,
    };
    const shown = {
      ...{ counts: sight.counts, cells: sight.cells, alone: alone!, links: links.length },
      joined: row(seen.joined, window, CELLS * WIDTHS.joined),
      tokens: row(seen.heard, window, 2 * WIDTHS.token),
    };
    return { ...sight, shown };
  });
}

/** A copy of one window's numbers. */
const row = (values: Float32Array, window: number, size: number): Float32Array =>
  values.slice(window * size, (window + 1) * size);

/** The most probable number of people above one; 0 if several are improbable. */
function likeliestCrowd(counts: ArrayLike<number>): number {
  let best = 0;
  let sum = 0;
  for (let people = 2; people < COUNTS; people++) {
    sum += counts[people]!;
    if (best === 0 || counts[people]! > counts[best]!) best = people;
  }
  return sum < SEVERAL ? 0 : best;
}

/** One estimate from the outputs in all axes. */
function average(rows: readonly Float32Array[], { x, y, spread }: FloorPlace): Estimate {
  const share = 1 / rows.length;
  const root: [number, number] = [x, y];
  const heading: [number, number] = [0, 0];
  const joints = new Float32Array(3 * JOINTS);
  const jointScales = new Float32Array(JOINTS);
  const logits = new Float64Array(4);
  let scale = 0;
  rows.forEach((row, index) => {
    const axes = AXES[index]!;
    const offset = turnBack(axes, row[OUT.offset]!, row[OUT.offset + 1]!);
    const direction = turnBack(axes, row[OUT.heading]!, row[OUT.heading + 1]!);
    for (let i = 0; i < 2; i++) {
      root[i]! += share * offset[i]!;
      heading[i]! += share * direction[i]!;
    }
    scale += share * boundedLog(row[OUT.rootScale]!);
    for (let i = 0; i < 3; i++) logits[i]! += share * row[OUT.postures + i]!;
    logits[3]! += share * row[OUT.moving]!;
    for (let j = 0; j < JOINTS; j++) {
      const source = axes.sign < 0 ? MIRRORED[j]! : j;
      joints[3 * j]! += share * row[OUT.joints + 3 * source]!;
      joints[3 * j + 1]! += share * axes.sign * row[OUT.joints + 3 * source + 1]!;
      joints[3 * j + 2]! += share * row[OUT.joints + 3 * source + 2]!;
      jointScales[j]! += share * boundedLog(row[OUT.jointScales + source]!);
    }
  });
  return {
    root,
    scale: Math.hypot(Math.exp(scale), spread),
    heading,
    postures: softmax(logits.subarray(0, 3)),
    moving: 1 / (1 + Math.exp(-logits[3]!)),
    joints,
    jointScales: jointScales.map(Math.exp),
  };
}
