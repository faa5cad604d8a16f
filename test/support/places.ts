import type { Place, PlaceQuery } from '../../pipeline/component/index.js';
import type { PoseFrame } from '../../pipeline/model/index.js';

/** A reader's `places` in plain loops: for expectations, and for fake readers. */
export function placesOf(frames: readonly PoseFrame[], query: PlaceQuery): Place[] {
  const { environment, start, end, size, cell } = query;
  const found = new Map<string, { x: number; y: number; persons: number }>();
  for (const { persons } of frames.filter(
    (frame) => frame.environment === environment && frame.time >= start && frame.time < end,
  ))
    for (const { position, track } of persons) {
      const inSight = track === null || track.state === 'active';
      const inRoom = position.x >= 0 && position.y >= 0 && position.x < size.x && position.y < size.y;
      if (!inSight || !inRoom) continue;
      const [x, y] = [Math.floor(position.x / cell), Math.floor(position.y / cell)];
      const place = found.get(`${x} ${y}`) ?? { x, y, persons: 0 };
      place.persons++;
      found.set(`${x} ${y}`, place);
    }
  return [...found.values()].sort((a, b) => a.y - b.y || a.x - b.x);
}
