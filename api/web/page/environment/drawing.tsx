import { useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { add, type Tool } from './adding.js';
import type { Draft, Point2 } from './draft.js';
import { pointOf } from './dragging.js';
import { committed, selection } from './editing.js';
import { CoverageLayer } from './coverage-layer.js';
import { devicesOf, inside, scaleOf, type Scale } from './geometry.js';
import { DeviceShape, LinkShape, WallHandles, WallShape, ZoneHandles, ZoneShape } from './shapes.js';

/** The room from above, drawn to be changed. */
export function Drawing({ now, tool }: { readonly now: Draft; readonly tool: Signal<Tool> }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(600);
  useEffect(() => {
    const watcher = new ResizeObserver(([entry]) => (width.value = entry!.contentRect.width));
    watcher.observe(box.current!);
    return () => {
      watcher.disconnect();
    };
  }, []);
  const scale = scaleOf(now, width.value, Math.max(280, 0.7 * innerHeight));
  return (
    <div class="drawing" ref={box}>
      <Plan now={now} tool={tool} scale={scale} />
    </div>
  );
}

function Plan({
  now,
  tool,
  scale,
}: {
  readonly now: Draft;
  readonly tool: Signal<Tool>;
  readonly scale: Scale;
}) {
  const drawn = useSignal<readonly [Point2, Point2] | null>(null);
  return (
    <svg
      width={scale.width}
      height={scale.height}
      data-tool={tool.value}
      role="group"
      aria-label={`${now.name ?? now.id} from above. Arrow keys move the focused part, Shift makes the steps larger, Delete removes it.`}
      onPointerDown={(event) => {
        if (tool.value === 'move') {
          selection.value = { part: 'room' };
          return;
        }
        event.currentTarget.setPointerCapture(event.pointerId);
        const from = inside(pointOf(event, scale), now);
        drawn.value = [from, from];
      }}
      onPointerMove={(event) => {
        if (drawn.value) drawn.value = [drawn.value[0], inside(pointOf(event, scale), now)];
      }}
      onPointerUp={() => {
        if (!drawn.value || tool.value === 'move') return;
        add(tool.value, ...drawn.value);
        drawn.value = null;
        tool.value = 'move';
      }}
      onPointerCancel={() => {
        drawn.value = null;
      }}
    >
      <Floor now={now} scale={scale} />
      <CoverageLayer now={now} scale={scale} />
      <AllParts now={now} scale={scale} />
      {drawn.value && <Drawn ends={drawn.value} isZone={tool.value === 'zone'} scale={scale} />}
    </svg>
  );
}

function AllParts({ now, scale }: { readonly now: Draft; readonly scale: Scale }) {
  const { value: chosen } = selection;
  const isChosen = (part: string, index: number) =>
    chosen.part !== 'room' && chosen.part === part && chosen.index === index;
  const { zones, walls } = now;
  const [zone, wall] = (['zones', 'walls'] as const).map((part) =>
    chosen.part === part ? chosen.index : -1,
  ) as [number, number];
  return (
    <g class="parts">
      {zones?.map((item, index) => (
        <ZoneShape key={index} {...{ item, index, scale, isSelected: isChosen('zones', index) }} />
      ))}
      {walls?.map((item, index) => (
        <WallShape key={index} {...{ item, index, scale, isSelected: isChosen('walls', index) }} />
      ))}
      {now.links.map((item, index) => (
        <LinkShape key={index} {...{ item, index, scale, isSelected: isChosen('links', index) }} />
      ))}
      {zones?.[zone] && <ZoneHandles item={zones[zone]} index={zone} scale={scale} />}
      {walls?.[wall] && <WallHandles item={walls[wall]} index={wall} scale={scale} />}
      {/* Devices of the draft before the drag: two at one place would otherwise become one on the way. */}
      {devicesOf(committed.value ?? now).map((device, index) => (
        <DeviceShape key={index} {...{ device, now, scale }} />
      ))}
    </g>
  );
}

/** What is being drawn. */
function Drawn({
  ends: [from, to],
  isZone,
  scale,
}: {
  readonly ends: readonly [Point2, Point2];
  readonly isZone: boolean;
  readonly scale: Scale;
}) {
  const [[x1, y1], [x2, y2]] = [scale.at(from), scale.at(to)];
  if (!isZone) return <line class="drawn" {...{ x1, y1, x2, y2 }} />;
  return (
    <rect
      class="drawn"
      x={Math.min(x1, x2)}
      y={Math.min(y1, y2)}
      width={Math.abs(x2 - x1)}
      height={Math.abs(y2 - y1)}
    />
  );
}

/** With a line and a number for each metre; fewer numbers in large rooms. */
function Floor({ now: { size }, scale }: { readonly now: Draft; readonly scale: Scale }) {
  const every = Math.max(1, Math.ceil(28 / scale.perMetre));
  const metres = (length: number) =>
    Array.from({ length: Math.floor(length / every) + 1 }, (_, index) => index * every);
  const [left, bottom] = scale.at([0, 0]);
  const [right, top] = scale.at([size.x, size.y]);
  const box = { x: left, y: top, width: right - left, height: bottom - top };
  return (
    <g class="floor" aria-hidden="true">
      <rect class="ground" {...box} />
      {metres(size.x).map((x) => {
        const [across] = scale.at([x, 0]);
        return (
          <g key={x}>
            <line x1={across} x2={across} y1={top} y2={bottom} />
            <text x={across} y={bottom + 18}>
              {x}
            </text>
          </g>
        );
      })}
      {metres(size.y).map((y) => {
        const [, down] = scale.at([0, y]);
        return (
          <g key={y}>
            <line x1={left} x2={right} y1={down} y2={down} />
            <text x={left - 14} y={down + 4}>
              {y}
            </text>
          </g>
        );
      })}
      <rect class="outline" {...box} />
    </g>
  );
}
