import type { Step } from './activities.js';
import { POSE, type BodySize } from './body.js';
import { cadence } from './gait.js';
import type { Random } from '../shared/random.js';
import { clamp, type Size } from '../shared/room.js';
import { wrapAngle } from '../../../base/angle.js';

/** Walkers keep their pelvis this far from walls, metres. */
export const MARGIN = 0.5;
/** Seconds between two rows of a path. */
const PATH_STEP = 0.02;

/** A walk as columns, with a row for each {@link PATH_STEP}. */
export interface Path {
  readonly count: number;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly heading: Float64Array;
  readonly phase: Float64Array;
  readonly speed: Float64Array;
}

/**
 * Steers from the position in `from` to `step.to`, or from one random target to the next for `step.seconds`.
 */
export function walkPath(
  from: Float64Array,
  size: Size,
  body: BodySize,
  random: Random,
  preferred: number,
  step: Pick<Step, 'to' | 'seconds'>,
  margin = MARGIN,
): Path {
  const limit = Math.ceil((step.to ? 40 : (step.seconds ?? random.uniform(3, 10))) / PATH_STEP) + 1;
  const columns = Array.from({ length: 5 }, () => new Float64Array(limit));
  const [xs, ys, headings, phases, speeds] = columns as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const inside = (value: number, extent: number) => clamp(value, margin, extent - margin);
  let x = from[POSE.x]!;
  let y = from[POSE.y]!;
  let heading = from[POSE.heading]!;
  let speed = step.to || step.seconds === undefined ? 0 : random.uniform(0, preferred);
  let phase = random.next();
  let pace = preferred;
  let pause = 0;
  const turn = random.uniform(1.6, 2.8);
  const target = (): readonly [number, number] => [
    random.uniform(margin, size.x - margin),
    random.uniform(margin, size.y - margin),
  ];
  let to = step.to ? ([inside(step.to[0], size.x), inside(step.to[1], size.y)] as const) : target();
  let count = 0;
  while (count < limit) {
    xs[count] = x;
    ys[count] = y;
    headings[count] = heading;
    phases[count] = phase;
    speeds[count] = speed;
    count++;
    const dx = to[0] - x;
    const dy = to[1] - y;
    const left = Math.hypot(dx, dy);
    if (step.to && left < 0.12 && speed < 0.3) break;
    if (!step.to && left < 0.35) {
      to = target();
      pace = clamp(preferred * random.uniform(0.8, 1.2), 0.4, 1.5);
      if (random.chance(0.15)) pause = random.uniform(0.5, 1.5);
      continue;
    }
    pause -= PATH_STEP;
    const error = wrapAngle(Math.atan2(dy, dx) - heading);
    const aim =
      pause > 0 ? 0 : pace * Math.max(0.08, Math.cos(error)) * (step.to ? Math.min(1, left / 0.5 + 0.1) : 1);
    speed += clamp(aim - speed, -2.5 * PATH_STEP, 1.5 * PATH_STEP);
    if (pause <= 0) heading += clamp(error / 0.25, -turn, turn) * PATH_STEP;
    phase += cadence(body, speed) * PATH_STEP * Math.min(1, speed / 0.1);
    const edge = margin - 0.1;
    x = clamp(x + speed * Math.cos(heading) * PATH_STEP, Math.min(x, edge), Math.max(x, size.x - edge));
    y = clamp(y + speed * Math.sin(heading) * PATH_STEP, Math.min(y, edge), Math.max(y, size.y - edge));
  }
  // A person already at the target still has a path of length 0.
  if (count === 1) for (const column of columns) column[count] = column[0]!;
  return { count: Math.max(count, 2), x: xs, y: ys, heading: headings, phase: phases, speed: speeds };
}

export const pathSeconds = ({ count }: Path): number => (count - 1) * PATH_STEP;

/**
 * Writes position and heading `time` seconds after the start of a path to `pose`; returns phase and speed of
 * the gait.
 */
export function alongPath(path: Path, time: number, pose: Float64Array): { phase: number; speed: number } {
  const scaled = Math.min(time / PATH_STEP, path.count - 1.0001);
  const row = scaled | 0;
  const share = scaled - row;
  const between = (column: Float64Array) => column[row]! + share * (column[row + 1]! - column[row]!);
  pose[POSE.x] = between(path.x);
  pose[POSE.y] = between(path.y);
  pose[POSE.heading] = between(path.heading);
  return { phase: between(path.phase), speed: between(path.speed) };
}
