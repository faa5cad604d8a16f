import type { Room } from '../state/scene.js';

export type Point = readonly [across: number, down: number];

/** Position of a camera that looks at the middle of the room. */
export interface Camera {
  /** Radians around the vertical axis; 0 looks along y. */
  readonly turn: number;
  /** Radians above the floor: a right angle looks straight down. */
  readonly tilt: number;
  readonly zoom: number;
}

export const FROM_ABOVE: Camera = { turn: 0, tilt: Math.PI / 2, zoom: 1 };
export const FROM_ASIDE: Camera = { turn: -0.6, tilt: 0.6, zoom: 1 };

export interface Projection {
  /** Metres to pixels. */
  readonly at: (x: number, y: number, z?: number) => Point;
  /** Pixels per metre. */
  readonly scale: number;
}

/** Margin around the room, pixels. */
const MARGIN = 24;

/**
 * Scales the room to fit into `width` times `height` pixels at any rotation. Parallel lines stay parallel, so
 * that distances can be compared.
 */
export function projectionOf(
  { size }: Pick<Room, 'size'>,
  { width, height }: { readonly width: number; readonly height: number },
  { turn, tilt, zoom }: Camera,
): Projection {
  const [cosine, sine] = [Math.cos(turn), Math.sin(turn)];
  const [rise, lean] = [Math.sin(tilt), Math.cos(tilt)];
  const isFlat = tilt >= Math.PI / 2;
  const seen = (x: number, y: number, z: number): Point => {
    const [dx, dy] = [x - size.x / 2, y - size.y / 2];
    const away = -dx * sine + dy * cosine;
    return [dx * cosine + dy * sine, -away * rise - z * lean];
  };
  const corners = [0, size.x].flatMap((x) =>
    [0, size.y].flatMap((y) => (isFlat ? [0] : [0, size.z]).map((z) => seen(x, y, z))),
  );
  const [left, right] = extent(corners.map(([across]) => across));
  const [top, bottom] = extent(corners.map(([, down]) => down));
  const scale =
    zoom * Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (bottom - top));
  const [middle, centre] = [(left + right) / 2, (top + bottom) / 2];
  return {
    scale,
    at: (x, y, z = 0) => {
      const [across, down] = seen(x, y, z);
      return [width / 2 + (across - middle) * scale, height / 2 + (down - centre) * scale];
    },
  };
}

const extent = (values: readonly number[]): readonly [number, number] => [
  Math.min(...values),
  Math.max(...values),
];
