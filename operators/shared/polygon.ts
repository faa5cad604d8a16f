/** A simple polygon on the floor: corners in metres, in order. */
export type Polygon = readonly (readonly number[])[];

/** Distance of a point from the edge inside a polygon, metres; negative outside. */
export function depth(polygon: Polygon, x: number, y: number): number {
  let inside = false;
  let nearest = Infinity;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [ax, ay] = polygon[i] as [number, number];
    const [bx, by] = polygon[j] as [number, number];
    // A ray along x crosses the edge.
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
    nearest = Math.min(nearest, distanceToEdge(x, y, ax, ay, bx, by));
  }
  return inside ? nearest : -nearest;
}

function distanceToEdge(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}
