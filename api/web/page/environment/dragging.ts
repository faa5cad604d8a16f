import type { Draft, Point2 } from './draft.js';
import { change, committed, moving } from './editing.js';
import { snapped, type Scale } from './geometry.js';
import { removeSelected } from './adding.js';

/** Metres by an arrow key, and with Shift. */
const [STEP, FAR] = [0.05, 0.5];

type Handler<E> = (event: E & { readonly currentTarget: SVGElement }) => void;

interface Handlers {
  readonly onPointerDown: Handler<PointerEvent>;
  readonly onPointerMove: Handler<PointerEvent>;
  readonly onPointerUp: Handler<PointerEvent>;
  readonly onPointerCancel: Handler<PointerEvent>;
  readonly onKeyDown: Handler<KeyboardEvent>;
  readonly onFocus: () => void;
}

let start: Point2 | null = null;

export function pointOf(event: PointerEvent, scale: Scale): Point2 {
  const svg = (event.currentTarget as SVGElement).closest('svg')!;
  const { left, top } = svg.getBoundingClientRect();
  return scale.back(event.clientX - left, event.clientY - top);
}

/**
 * A part that pointers and arrow keys move, and Delete removes.
 * @param moved the draft with the part moved by so many metres
 */
export const movable = (
  scale: Scale,
  select: () => void,
  moved: (by: Point2, now: Draft) => Draft,
  remove: () => void = removeSelected,
): Handlers => ({
  onPointerDown: (event) => {
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    start = pointOf(event, scale);
    select();
  },
  onPointerMove: (event) => {
    const now = committed.value;
    if (!start || !now || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const [x, y] = pointOf(event, scale);
    const by: Point2 = [snapped(x - start[0]), snapped(y - start[1])];
    if (moving.value || by[0] !== 0 || by[1] !== 0) moving.value = moved(by, now);
  },
  onPointerUp: () => {
    start = null;
    if (moving.value) change(moving.value);
  },
  onPointerCancel: () => {
    start = null;
    moving.value = null;
  },
  onKeyDown: (event) => {
    const now = committed.value;
    const arrow = ARROWS[event.key];
    if (event.key === 'Delete' || event.key === 'Backspace') remove();
    else if (arrow && now) {
      const by = event.shiftKey ? FAR : STEP;
      change(moved([arrow[0] * by, arrow[1] * by], now));
    } else return;
    event.preventDefault();
  },
  onFocus: select,
});

const ARROWS: Readonly<Record<string, Point2>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};
