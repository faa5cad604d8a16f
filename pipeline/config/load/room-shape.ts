import type { Environment } from '../../model/index.js';
import type { ProblemCode } from '../problems/codes.js';
import type { Location, Problems } from '../problems/problem.js';
import type { Path } from '../reading/tree.js';

/** Warns of parts of an environment that have no extent, or lie outside its room: mostly typing errors. */
export function warnOfShape(
  { size, zones, walls, links }: Environment,
  at: (path: Path) => Location,
  problems: Problems,
): void {
  const room = `the room, which is ${size.x} x ${size.y} x ${size.z} m`;
  const warn = (code: ProblemCode, path: Path, message: string): void => {
    problems.add(code, at(path), message, { severity: 'warning' });
  };
  zones.forEach(({ id, polygon }, index) => {
    const path = ['zones', index, 'polygon'];
    if (isLine(polygon))
      warn('config.zone.area', path, `\`${id}\` has no area, so nobody is in it: correct its corners`);
    else if (isBeside(polygon, size))
      warn('config.zone.outside', path, `\`${id}\` is outside ${room}, so nobody is in it`);
  });
  walls.forEach(({ from, to }, index) => {
    if (from.every((metre, axis) => metre === to[axis]))
      warn('config.wall.length', ['walls', index, 'to'], 'a wall ends where it begins, so it has no effect');
  });
  links.forEach((link, index) => {
    for (const end of ['transmitter', 'receiver'] as const)
      if (!isWithin(link[end], size))
        warn(
          'config.link.outside',
          ['links', index, end],
          `the ${end} of \`${link.id}\` is outside ${room}: correct it, unless it is in another room`,
        );
  });
}

type Size = Environment['size'];

/** Whether all corners are on one line. The area does not tell: it is 0 if the edges cross so that two halves cancel. */
function isLine(polygon: readonly (readonly number[])[]): boolean {
  const [fromX, fromY] = polygon[0]!;
  const away = polygon.map(([x, y]) => [x! - fromX!, y! - fromY!] as const);
  const along = away.find(([x, y]) => x !== 0 || y !== 0);
  return along === undefined || away.every(([x, y]) => Math.abs(along[0] * y - along[1] * x) < 1e-9);
}

/** Whether the whole polygon is beyond one of the room's walls. */
const isBeside = (polygon: readonly (readonly number[])[], { x, y }: Size): boolean =>
  [x, y].some(
    (length, axis) =>
      polygon.every((corner) => corner[axis]! <= 0) || polygon.every((corner) => corner[axis]! >= length),
  );

/** Metres: a device in the socket, or a size measured between skirting boards, puts antennas a little into a wall. */
const IN_WALL = 0.1;

const isWithin = (position: readonly number[], { x, y, z }: Size): boolean =>
  [x, y, z].every((length, axis) => position[axis]! >= -IN_WALL && position[axis]! <= length + IN_WALL);
