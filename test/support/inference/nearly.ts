import type { Answered } from '../../../operators/infer-pose/serving/engine.js';

/** The largest difference of two results, in metres, probabilities and unit vectors; Infinity if one has more people. */
export function differenceOf(a: Answered, b: Answered): number {
  if (a.several.length !== b.several.length) return Infinity;
  const people = [[a.alone, b.alone] as const, ...a.several.map((one, i) => [one, b.several[i]!] as const)];
  const pairs: (readonly [ArrayLike<number>, ArrayLike<number>])[] = [
    [a.counts, b.counts],
    [a.cells, b.cells],
    ...(a.reading && b.reading
      ? ([
          [a.reading.cells, b.reading.cells],
          [a.reading.room, b.reading.room],
        ] as const)
      : []),
    ...people.flatMap(([one, other]) => [
      [one.root, other.root] as const,
      [one.heading, other.heading] as const,
      [one.postures, other.postures] as const,
      [one.joints, other.joints] as const,
      [one.jointScales, other.jointScales] as const,
      [
        [one.scale, one.moving],
        [other.scale, other.moving],
      ] as const,
    ]),
  ];
  return Math.max(...pairs.flatMap(([x, y]) => Array.from(x, (value, i) => Math.abs(value - y[i]!))));
}
