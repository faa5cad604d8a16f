import type { Person } from '../../pipeline/model/index.js';

/**
 * Where a tracked person faces. A network sees the heading of single windows poorly: of a walker over four links, it
 * is wrong by more than a right angle in about one of twenty pose frames. People walk the way they face, so the track's
 * velocity helps, and so do the headings just before (docs/decisions/0148-walkers-face-where-they-go.md).
 */

/** Along the axes of the floor: the mean unit vector of the heading, shorter if it is uncertain. */
export interface Facing {
  readonly x: number;
  readonly y: number;
}

/** In the order of the keypoints. */
const HIPS = { left: 11, right: 12 };

/** As the network sees it in one pose frame; of no length if it does not. */
export function seenFacing(person: Person): Facing {
  const angle = drawnFacing(person);
  if (angle === null) return { x: 0, y: 0 };
  const { headingConfidence } = person;
  return { x: headingConfidence * Math.cos(angle), y: headingConfidence * Math.sin(angle) };
}

/** The heading of the joints, also of one that is not reported because it is too uncertain. Radians; null if there are no joints either. */
function drawnFacing({ heading, keypoints }: Person): number | null {
  const [left, right] = [keypoints[HIPS.left], keypoints[HIPS.right]];
  if (heading !== null || !left || !right) return heading;
  return Math.atan2(right.x - left.x, left.y - right.y);
}

/** Seconds over which the headings just before count. */
const LASTING = 0.7;

/** The mean of the last pose frames, after one more. @param elapsed seconds since the person was last in sight */
export function lastingFacing(before: Facing, seen: Facing, elapsed: number): Facing {
  const share = 1 - Math.exp(-elapsed / LASTING);
  return { x: before.x + share * (seen.x - before.x), y: before.y + share * (seen.y - before.y) };
}

/** Weights of the heading of the pose frame, of those just before, and of a velocity of 1 m/s. */
const WEIGHTS = { seen: 0.7, lasting: 0.3, velocity: 0.4 };

/** Length below which a heading is not reported. */
const KNOWN = 0.25;

/** Turns a person with their joints to where they face. @param velocity metres per second */
export function turned(person: Person, lasting: Facing, velocity: Facing): Person {
  const { position } = person;
  const drawn = drawnFacing(person);
  if (drawn === null) return person;
  const seen = seenFacing(person);
  const along = (axis: 'x' | 'y') =>
    WEIGHTS.seen * seen[axis] + WEIGHTS.lasting * lasting[axis] + WEIGHTS.velocity * velocity[axis];
  const [x, y] = [along('x'), along('y')];
  const length = Math.hypot(x, y);
  if (length === 0) return person;
  const angle = Math.atan2(y, x);
  const [cos, sin] = [Math.cos(angle - drawn), Math.sin(angle - drawn)];
  return {
    ...person,
    heading: length >= KNOWN ? angle : null,
    headingConfidence: Math.min(1, length),
    keypoints: person.keypoints.map((joint) => {
      const [dx, dy] = [joint.x - position.x, joint.y - position.y];
      return { ...joint, x: position.x + cos * dx - sin * dy, y: position.y + sin * dx + cos * dy };
    }),
  };
}
