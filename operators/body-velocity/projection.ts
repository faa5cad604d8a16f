import type { Link, Point } from '../../pipeline/model/index.js';

const SPEED_OF_LIGHT = 299_792_458;

/** Height of a walker's trunk, metres. */
const HEIGHT = 1;

/**
 * Change of a link's frequency, hertz, for a body at `at` that moves by one metre per second along x, and
 * along y: its path over the body becomes shorter by the sum of the unit vectors to both ends (Qian et al.,
 * Widar, 2017).
 * @param centreMhz of the channel
 */
export function hertzPerMetre(
  { transmitter, receiver }: Pick<Link, 'transmitter' | 'receiver'>,
  at: Pick<Point, 'x' | 'y'>,
  centreMhz: number,
): readonly [x: number, y: number] {
  const [ax, ay] = direction(transmitter, at);
  const [bx, by] = direction(receiver, at);
  const waves = (centreMhz * 1e6) / SPEED_OF_LIGHT;
  return [(ax + bx) * waves, (ay + by) * waves];
}

/** Unit vector from a body towards one end of a link. */
function direction([x, y, z]: readonly number[], at: Pick<Point, 'x' | 'y'>): readonly [number, number] {
  const [dx, dy, dz] = [x! - at.x, y! - at.y, z! - HEIGHT];
  const length = Math.max(0.1, Math.hypot(dx, dy, dz));
  return [dx / length, dy / length];
}
