import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { unseen } from '../state/alerts.js';
import { hasPoses } from '../state/motion.js';
import { isOutdated, shownPoseFrame, shownTime, shownTrails } from '../state/past.js';
import { room, scene, type Room } from '../state/scene.js';
import { shownTheme } from '../state/theme.js';
import { drawRoom, type Contents } from './draw.js';
import { Pen } from './pen.js';
import { FROM_ABOVE, FROM_ASIDE, projectionOf, type Camera } from './projection.js';

const [STEP, MIN_TILT, MAX_TILT] = [0.12, 0.15, 1.4];

/** The room, seen from above or rotated by pointer and arrow keys. */
export function RoomCanvas() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const camera = useSignal<Camera>(FROM_ABOVE);
  useEffect(() => paintForever(canvas.current!, () => camera.peek()), []);
  const turned = camera.value !== FROM_ABOVE;
  const turnBy = (across: number, down: number) => {
    if (turned) camera.value = turnedBy(camera.value, across, down);
  };
  return (
    <div class="stage">
      <canvas
        id="room"
        ref={canvas}
        class={isOutdated.value ? 'stale' : ''}
        role="img"
        tabIndex={0}
        aria-label={`${room.value?.name ?? 'The room'} ${turned ? 'in 3-D: drag it or press the arrow keys to turn it' : 'from above'}. The list of people says who is where.`}
        style={{ touchAction: turned ? 'none' : 'auto' }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          if (event.buttons === 1) turnBy(event.movementX / 200, event.movementY / 200);
        }}
        onKeyDown={(event) => {
          const [across, down] = KEYS[event.key] ?? [0, 0];
          if (across === 0 && down === 0) return;
          event.preventDefault();
          turnBy(across, down);
        }}
      />
      <div class="tools">
        <div class="actions" role="group" aria-label="View of the room">
          <button type="button" aria-pressed={!turned} onClick={() => (camera.value = FROM_ABOVE)}>
            From above
          </button>
          <button type="button" aria-pressed={turned} onClick={() => (camera.value = FROM_ASIDE)}>
            3-D
          </button>
        </div>
        <p class="hint">
          {turned ? 'Drag the room, or press the arrow keys, to turn it. ' : ''}
          {hasPoses.value
            ? 'The ring is as wide as the position is uncertain; a skeleton is drawn where that allows one.'
            : 'The room with its links; the list of people says what is known without poses.'}
        </p>
      </div>
    </div>
  );
}

const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

const turnedBy = ({ turn, tilt, zoom }: Camera, across: number, down: number): Camera => ({
  zoom,
  turn: turn - across,
  tilt: Math.min(MAX_TILT, Math.max(MIN_TILT, tilt + down)),
});

/** Redraws on the next animation frame after a change. Returns a function that stops it. */
function paintForever(canvas: HTMLCanvasElement, camera: () => Camera): () => void {
  const light = matchMedia('(prefers-color-scheme: light)');
  let next = 0;
  let drawn: readonly unknown[] = [];
  const paint = () => {
    fit(canvas);
    const { width, height } = canvas;
    const now = [shownPoseFrame, shownTime, unseen, room, scene, shownTheme].map((one): unknown =>
      one.peek(),
    );
    now.push(camera(), width, height, light.matches);
    if (now.some((value, index) => value !== drawn[index])) draw(canvas, camera());
    drawn = now;
    next = requestAnimationFrame(paint);
  };
  paint();
  return () => {
    cancelAnimationFrame(next);
  };
}

function draw(canvas: HTMLCanvasElement, camera: Camera): void {
  const shown = room.peek();
  const { skeleton } = scene.peek() ?? {};
  if (!shown || !skeleton) return;
  const size = { width: canvas.width / devicePixelRatio, height: canvas.height / devicePixelRatio };
  const contents = {
    persons: shownPoseFrame.peek()?.persons ?? [],
    trails: shownTrails(),
    alarms: shownTime.peek() === null ? alarmsOf(shown) : [],
  };
  const tilted = camera !== FROM_ABOVE;
  drawRoom(new Pen(canvas), { room: shown, skeleton, contents, tilted }, projectionOf(shown, size, camera));
}

/** Locations of new alerts that nobody has acknowledged. */
const alarmsOf = ({ id }: Room): Contents['alarms'] =>
  unseen
    .peek()
    .flatMap(({ environment, location, heardAt }) =>
      environment === id && location && heardAt !== null ? [location] : [],
    );

/**
 * As wide as the page allows, as high as the room or two thirds of the screen, at the screen's resolution.
 */
function fit(canvas: HTMLCanvasElement): void {
  const shown = room.peek();
  if (!shown) return;
  const wide = canvas.clientWidth;
  const high = Math.min(wide * (shown.size.y / shown.size.x), 0.72 * innerHeight);
  const [width, height] = [wide, high].map((pixels) => Math.round(pixels * devicePixelRatio)) as [
    number,
    number,
  ];
  if (width === 0 || (canvas.width === width && canvas.height === height)) return;
  canvas.width = width;
  canvas.height = height;
}
