import { useEffect, useRef } from 'preact/hooks';
import type { Span } from '../history/series.js';
import { drawRoom } from '../room/draw.js';
import { Pen } from '../room/pen.js';
import { FROM_ABOVE, projectionOf } from '../room/projection.js';
import { usePolled } from '../state/poll.js';
import { room, type Room } from '../state/scene.js';
import { shownTheme } from '../state/theme.js';
import { Problem } from '../parts/problem.js';
import './heat.css';
import { placesOf, type Places } from './places.js';

const EVERY_MS = 60_000;
const MAX_HEIGHT = 420;
/** Opacity of a cell in which somebody was shortest. */
const FAINTEST = 0.08;

/** Where people were, drawn on the room. */
export function HeatMap({ span }: { readonly span: Span }) {
  const places = usePolled(() => {
    const { id = '', size = { x: 1, y: 1 } } = room.value ?? {};
    return placesOf(id, size, span);
  }, EVERY_MS);
  const { value, problem } = places.value;
  const shown = room.value;
  if (!shown || value?.environment_id !== shown.id) return <Problem text={problem} />;
  const longest = Math.max(0, ...value.cells.map(({ seconds }) => seconds));
  return (
    <figure id="heat" class="card chart">
      <figcaption>
        <h2>Where people were</h2>
        <p class="hint">
          {longest === 0 ? 'Nobody was seen, or nothing was stored.' : inWords(value, shown)}
        </p>
      </figcaption>
      <Problem text={problem} />
      {longest > 0 && (
        <>
          <Picture shown={shown} places={value} longest={longest} />
          <Legend longest={longest} />
        </>
      )}
    </figure>
  );
}

interface PictureProps {
  readonly shown: Room;
  readonly places: Places;
  /** Seconds. */
  readonly longest: number;
}

function Picture({ shown, places, longest }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = shownTheme.value;
  useEffect(() => {
    const element = canvas.current!;
    const paint = (): void => {
      draw(element, { shown, places, longest });
    };
    const observer = new ResizeObserver(paint);
    observer.observe(element.parentElement!);
    paint();
    return () => {
      observer.disconnect();
    };
  }, [shown, places, longest, theme]);
  return <canvas ref={canvas} role="img" aria-label={`Map: ${inWords(places, shown)}`} />;
}

function draw(canvas: HTMLCanvasElement, { shown, places, longest }: PictureProps): void {
  const { size } = shown;
  const width = canvas.parentElement!.clientWidth;
  const height = Math.min(MAX_HEIGHT, (width * size.y) / size.x);
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  canvas.style.height = `${height}px`;
  const pen = new Pen(canvas);
  const projection = projectionOf(shown, { width, height }, FROM_ABOVE);
  const half = places.cell_m / 2;
  const colour = pen.colour('--heat');
  for (const { x, y, seconds } of places.cells) {
    const [left, right] = [x - half, Math.min(x + half, size.x)];
    const [near, far] = [y - half, Math.min(y + half, size.y)];
    const corners = [projection.at(left, near), projection.at(right, near)];
    corners.push(projection.at(right, far), projection.at(left, far));
    pen.area(corners, colour, opacityOf(seconds / longest));
  }
  const contents = { persons: [], trails: new Map(), alarms: [] };
  const emptied = { ...shown, links: [] };
  drawRoom(pen, { room: emptied, skeleton: [], contents, tilted: false }, projection);
}

/** By the root of the time: a bed would hide all other places. */
const opacityOf = (share: number): number => FAINTEST + (1 - FAINTEST) * Math.sqrt(share);

function Legend({ longest }: { readonly longest: number }) {
  return (
    <div class="legend" aria-hidden="true">
      <span>0</span>
      <span class="scale" />
      <span class="middle">{minutesText(longest / 4)}</span>
      <span>{minutesText(longest)} minutes</span>
    </div>
  );
}

const minutesText = (seconds: number): string => (seconds / 60).toFixed(seconds < 600 ? 1 : 0);

function inWords({ cells }: Places, { zones }: Room): string {
  const total = cells.reduce((sum, { seconds }) => sum + seconds, 0);
  const [longest] = cells.toSorted((a, b) => b.seconds - a.seconds);
  const inZones = zones.flatMap(({ id, name, polygon }) => {
    const seconds = cells.reduce((sum, cell) => (isIn(polygon, cell) ? sum + cell.seconds : sum), 0);
    return seconds > 0 ? [`${name ?? id} ${minutesText(seconds)}`] : [];
  });
  return (
    `${minutesText(total)} person-minutes, longest at ${longest!.x.toFixed(1)} / ${longest!.y.toFixed(1)} m ` +
    `(${minutesText(longest!.seconds)} minutes)${inZones.length > 0 ? `; by zone: ${inZones.join(', ')}` : ''}.`
  );
}

/** Whether a point lies in a polygon: a ray from it crosses the outline an odd number of times. */
function isIn(
  polygon: readonly (readonly [number, number])[],
  { x, y }: { readonly x: number; readonly y: number },
): boolean {
  const crossed = polygon.filter(([x1, y1], index) => {
    const [x2, y2] = polygon[(index + 1) % polygon.length]!;
    return y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1);
  });
  return crossed.length % 2 === 1;
}
