import type { Draft, DraftWall, DraftZone, Point2 } from './draft.js';
import { movable } from './dragging.js';
import { change, committed, selection, type Selection } from './editing.js';
import {
  inside,
  middleOf,
  polygonMoved,
  withAt,
  withDeviceAt,
  without,
  type Device,
  type Scale,
} from './geometry.js';

interface Shape<T> {
  readonly item: T;
  readonly index: number;
  readonly scale: Scale;
  readonly isSelected: boolean;
}

const points = (scale: Scale, polygon: readonly Point2[]): string =>
  polygon.map((corner) => scale.at(corner).join(',')).join(' ');

const select = (value: Selection) => () => {
  selection.value = value;
};

const placeText = ([x, y]: readonly [number, number, ...number[]]): string =>
  `${x.toFixed(2)} / ${y.toFixed(2)} m`;

export function ZoneShape({ item: zone, index, scale, isSelected }: Shape<DraftZone>) {
  const [across, down] = scale.at(middleOf(zone.polygon));
  const moved = (by: Point2, now: Draft): Draft => {
    const one = now.zones![index]!;
    return {
      ...now,
      zones: withAt(now.zones!, index, { ...one, polygon: polygonMoved(one.polygon, by, now) }),
    };
  };
  const name = zone.name ?? zone.id;
  return (
    <>
      <polygon
        class={`zone ${zone.kind ?? ''} ${isSelected ? 'selected' : ''}`}
        points={points(scale, zone.polygon)}
        tabIndex={0}
        role="button"
        aria-label={`Zone ${name}${zone.kind === undefined ? '' : `, ${zone.kind}`}`}
        {...movable(scale, select({ part: 'zones', index }), moved)}
      />
      <text class="label" x={across} y={down}>
        {name}
        {zone.kind !== undefined && (
          <tspan class="kind" x={across} dy="1.2em">
            {zone.kind}
          </tspan>
        )}
      </text>
    </>
  );
}

/** Corners to move, and between them dots that become corners. */
export function ZoneHandles({ item: zone, index, scale }: Omit<Shape<DraftZone>, 'isSelected'>) {
  const chosen = select({ part: 'zones', index });
  const withCorners = (now: Draft, corners: (polygon: readonly Point2[]) => readonly Point2[]): Draft => {
    const one = now.zones![index]!;
    return { ...now, zones: withAt(now.zones!, index, { ...one, polygon: corners(one.polygon) }) };
  };
  return (
    <>
      {zone.polygon.map((corner, at) => {
        const next = zone.polygon[(at + 1) % zone.polygon.length]!;
        const between: Point2 = [(corner[0] + next[0]) / 2, (corner[1] + next[1]) / 2];
        const [across, down] = scale.at(between);
        const add = (now: Draft, by: Point2 = [0, 0]) =>
          withCorners(now, (polygon) => [
            ...polygon.slice(0, at + 1),
            inside([between[0] + by[0], between[1] + by[1]], now),
            ...polygon.slice(at + 1),
          ]);
        return (
          <circle
            key={`between-${at}`}
            class="between"
            cx={across}
            cy={down}
            r={7}
            tabIndex={0}
            role="button"
            aria-label={`Add a corner after corner ${at + 1}`}
            {...movable(
              scale,
              chosen,
              (by, now) => add(now, by),
              () => undefined,
            )}
          />
        );
      })}
      {zone.polygon.map((corner, at) => (
        <Handle
          key={at}
          at={corner}
          label={`Corner ${at + 1} of ${zone.name ?? zone.id}`}
          scale={scale}
          choose={chosen}
          moved={([dx, dy], now) =>
            withCorners(now, (polygon) =>
              withAt(polygon, at, inside([polygon[at]![0] + dx, polygon[at]![1] + dy], now)),
            )
          }
          remove={(now) =>
            zone.polygon.length > 3 ? withCorners(now, (polygon) => without(polygon, at)) : now
          }
        />
      ))}
    </>
  );
}

interface HandleProps {
  readonly at: Point2;
  readonly label: string;
  readonly scale: Scale;
  readonly choose: () => void;
  readonly moved: (by: Point2, now: Draft) => Draft;
  readonly remove?: (now: Draft) => Draft;
}

function Handle({ at, label, scale, choose, moved, remove }: HandleProps) {
  const [across, down] = scale.at(at);
  const handlers = remove
    ? movable(scale, choose, moved, () => {
        changeTo(remove);
      })
    : movable(scale, choose, moved);
  return (
    <circle
      class="handle"
      cx={across}
      cy={down}
      r={9}
      tabIndex={0}
      role="button"
      aria-label={`${label} at ${placeText(at)}`}
      {...handlers}
    />
  );
}

export function WallShape({ item: wall, index, scale, isSelected }: Shape<DraftWall>) {
  const [[x1, y1], [x2, y2]] = [scale.at(wall.from), scale.at(wall.to)];
  const line = { x1, y1, x2, y2 };
  const moved = (by: Point2, now: Draft): Draft => {
    const { from, to } = now.walls![index]!;
    const [start, end] = polygonMoved([from, to], by, now);
    return { ...now, walls: withAt(now.walls!, index, { ...now.walls![index]!, from: start!, to: end! }) };
  };
  return (
    <>
      <line class={`wall ${isSelected ? 'selected' : ''}`} {...line} />
      <line
        class="grip"
        {...line}
        tabIndex={0}
        role="button"
        aria-label={`Wall ${index + 1} from ${placeText(wall.from)} to ${placeText(wall.to)}`}
        {...movable(scale, select({ part: 'walls', index }), moved)}
      />
    </>
  );
}

export function WallHandles({ item: wall, index, scale }: Omit<Shape<DraftWall>, 'isSelected'>) {
  return (
    <>
      {(['from', 'to'] as const).map((end) => (
        <Handle
          key={end}
          at={wall[end]}
          label={`${end === 'from' ? 'Start' : 'End'} of wall ${index + 1}`}
          scale={scale}
          choose={select({ part: 'walls', index })}
          moved={([dx, dy], now) => {
            const one = now.walls![index]!;
            const to = inside([one[end][0] + dx, one[end][1] + dy], now);
            return { ...now, walls: withAt(now.walls!, index, { ...one, [end]: to }) };
          }}
        />
      ))}
    </>
  );
}

export function LinkShape({ item: link, index, scale, isSelected }: Shape<Draft['links'][number]>) {
  const [[x1, y1], [x2, y2]] = [scale.at(link.transmitter), scale.at(link.receiver)];
  const line = { x1, y1, x2, y2 };
  return (
    <>
      <line class={`link ${isSelected ? 'selected' : ''}`} {...line} />
      <line
        class="grip"
        {...line}
        tabIndex={0}
        role="button"
        aria-label={`Link ${link.id}, sender ${link.sender}`}
        onPointerDown={select({ part: 'links', index })}
        onFocus={select({ part: 'links', index })}
      />
      {isSelected && (
        <text class="label" x={(x1 + x2) / 2} y={(y1 + y2) / 2 - 8}>
          {link.id}
        </text>
      )}
    </>
  );
}

/** A device, at its place in a draft in which it may be moving. */
export function DeviceShape({
  device,
  now,
  scale,
}: {
  readonly device: Device;
  readonly now: Draft;
  readonly scale: Scale;
}) {
  const [first = -1] = device.sends;
  const [other = -1] = device.receives;
  const place = (now.links[first]?.transmitter ?? now.links[other]?.receiver)!;
  const [across, down] = scale.at(place);
  const names = [
    ...device.sends.map((index) => `transmitter of ${now.links[index]!.id}`),
    ...device.receives.map((index) => `receiver of ${now.links[index]!.id}`),
  ];
  const index = first >= 0 ? first : other;
  const isSelected =
    selection.value.part === 'links' &&
    (device.sends.includes(selection.value.index) || device.receives.includes(selection.value.index));
  return (
    <circle
      class={`device ${first >= 0 ? 'sends' : ''} ${isSelected ? 'selected' : ''}`}
      cx={across}
      cy={down}
      r={10}
      tabIndex={0}
      role="button"
      aria-label={`Device at ${placeText(place)}: ${names.join(', ')}`}
      {...movable(
        scale,
        () => {
          if (!isSelected) selection.value = { part: 'links', index };
        },
        ([dx, dy], drawn) => withDeviceAt(drawn, device, [device.place[0] + dx, device.place[1] + dy]),
        () => undefined,
      )}
    />
  );
}

function changeTo(next: (now: Draft) => Draft): void {
  const now = committed.value;
  if (now) change(next(now));
}
