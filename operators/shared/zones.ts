import type { Person, Point, Zone } from '../../pipeline/model/index.js';
import { depth } from './polygon.js';

/** Part of a {@link Person} that says where in a zone they are. */
type Standing = Pick<Person, 'articulated' | 'keypoints'>;

/** Height of the highest keypoint, metres; null if only the position is known. */
export const heightOf = ({ articulated, keypoints }: Standing): number | null =>
  articulated ? Math.max(...keypoints.map(({ z }) => z)) : null;

/** Whether a height is one of the zone's. A zone without limits has all; an unknown height counts as one. */
export const hasHeight = ({ min_height = 0, max_height = Infinity }: Zone, height: number | null): boolean =>
  height === null || (Math.max(0, height) >= min_height && height <= max_height);

/** Whether a point on the floor is in the zone. */
export const contains = ({ polygon }: Zone, { x, y }: Pick<Point, 'x' | 'y'>): boolean =>
  depth(polygon, x, y) >= 0;

/** Whether a person at this position and of this height is in the zone. */
export const isInZone = (zone: Zone, position: Pick<Point, 'x' | 'y'>, height: number | null): boolean =>
  hasHeight(zone, height) && contains(zone, position);

/** Whether it looks like a pet: in a pet area, and known to be below its `max_height`. */
export const looksLikePet = (
  zones: readonly Zone[],
  position: Pick<Point, 'x' | 'y'>,
  height: number | null,
): boolean =>
  height !== null && zones.some((zone) => zone.kind === 'pet' && isInZone(zone, position, height));

/** Whether lying here, as somebody of this height, is sleep or rest. */
export const isRestful = (
  zones: readonly Zone[],
  position: Pick<Point, 'x' | 'y'>,
  height: number | null,
): boolean =>
  zones.some((zone) => (zone.kind === 'bed' || zone.kind === 'sofa') && isInZone(zone, position, height));
