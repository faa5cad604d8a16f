type Point = readonly [across: number, down: number];

/** A text on the canvas, CSS pixels: `at` is the left end of its base line. */
export interface Label {
  readonly at: Point;
  readonly width: number;
  readonly size: number;
}

/** Space between two texts. */
const GAP = 2;
/** Distances of a person's label from what it names. */
const [BESIDE, ABOVE] = [14, 12];

/**
 * Where each person's label begins: beside what it names, at the first of four places in which it covers neither a
 * zone's name nor an earlier label, otherwise where it would be alone. It only depends on what is drawn, so a label moves
 * with its person, and jumps only past a text.
 * @param fixed texts that keep their places @param canvas its width; labels that leave it are a last resort
 */
export function placeLabels(
  wanted: readonly Label[],
  fixed: readonly Label[],
  canvas: number,
): readonly Point[] {
  const placed = [...fixed];
  return wanted.map((label) => {
    const places = placesOf(label).map((at) => ({ ...label, at }));
    const isFree = (one: Label) => placed.every((other) => !overlap(one, other));
    const isInside = ({ at: [left], width }: Label) => left >= 0 && left + width <= canvas;
    const chosen = places.find((one) => isFree(one) && isInside(one)) ?? places.find(isFree) ?? places[0]!;
    placed.push(chosen);
    return chosen.at;
  });
}

/** Above and below what is named, right and left of it. */
const placesOf = ({ at: [across, down], width, size }: Label): readonly Point[] => {
  const [right, left] = [across + BESIDE, across - BESIDE - width];
  const [above, below] = [down - ABOVE, down + ABOVE + size];
  return [
    [right, above],
    [left, above],
    [right, below],
    [left, below],
  ];
};

/** Letters reach a quarter of the size below the base line. */
const overlap = (one: Label, other: Label): boolean =>
  one.at[0] < other.at[0] + other.width + GAP &&
  other.at[0] < one.at[0] + one.width + GAP &&
  one.at[1] - one.size < other.at[1] + other.size / 4 + GAP &&
  other.at[1] - other.size < one.at[1] + one.size / 4 + GAP;
