import { removeSelected } from './adding.js';
import type { Draft, DraftLink, DraftWall, DraftZone, Point2, Point3 } from './draft.js';
import { change, selection } from './editing.js';
import { NumberField, OptionalNumber, TextField } from './fields.js';
import { withAt, without } from './geometry.js';
import { senders } from './senders.js';

const ID = '[A-Za-z0-9_.\\-]{1,64}';

/** The numbers of what is selected. */
export function Form({ now }: { readonly now: Draft }) {
  const { value } = selection;
  const { links, zones = [], walls = [] } = now;
  if (value.part === 'links' && links[value.index])
    return <LinkForm now={now} link={links[value.index]!} index={value.index} />;
  if (value.part === 'zones' && zones[value.index])
    return <ZoneForm now={now} zone={zones[value.index]!} index={value.index} />;
  if (value.part === 'walls' && walls[value.index])
    return <WallForm now={now} wall={walls[value.index]!} index={value.index} />;
  return <RoomForm now={now} />;
}

function RoomForm({ now }: { readonly now: Draft }) {
  const { size } = now;
  return (
    <fieldset>
      <legend>Room</legend>
      <TextField
        label="Name"
        value={now.name ?? ''}
        placeholder={now.id}
        change={(name) => {
          change({ ...now, name: name === '' ? undefined : name });
        }}
      />
      {(['x', 'y', 'z'] as const).map((axis) => (
        <NumberField
          key={axis}
          label={LENGTHS[axis]}
          value={size[axis]}
          least={0.5}
          change={(metres) => {
            change({ ...now, size: { ...size, [axis]: metres } });
          }}
        />
      ))}
      <p class="hint">Lengths count from the lower left corner of the floor. Measure to ten centimetres.</p>
    </fieldset>
  );
}

const LENGTHS = { x: 'Length x', y: 'Length y', z: 'Ceiling' } as const;
const AXES = ['x', 'y', 'height'] as const;

function LinkForm({
  now,
  link,
  index,
}: {
  readonly now: Draft;
  readonly link: DraftLink;
  readonly index: number;
}) {
  const set = (fields: Partial<DraftLink>) => {
    change({ ...now, links: withAt(now.links, index, { ...link, ...fields }) });
  };
  return (
    <fieldset>
      <legend>Link {link.id}</legend>
      <TextField
        label="Id"
        value={link.id}
        pattern={ID}
        change={(id) => {
          set({ id });
        }}
      />
      <TextField
        label="Sender"
        value={link.sender}
        list={senders.value}
        change={(sender) => {
          set({ sender });
        }}
      />
      {(['transmitter', 'receiver'] as const).map((end) => (
        <div key={end} class="place" role="group" aria-label={end}>
          <p class="end">{end === 'transmitter' ? 'Transmitter' : 'Receiver'}</p>
          {AXES.map((axis, at) => (
            <NumberField
              key={axis}
              label={axis}
              value={link[end][at]!}
              change={(metres) => {
                set({ [end]: withAt(link[end], at, metres) as unknown as Point3 });
              }}
            />
          ))}
        </div>
      ))}
      <Remove what={`link ${link.id}`} disabled={now.links.length === 1} />
      <p class="hint">
        The sender is the device whose records measure the link. Devices in one place move together.
      </p>
    </fieldset>
  );
}

const KINDS = {
  '': 'A named part of the floor, in which people are counted.',
  bed: 'Lying here is sleep: no fall after six seconds, no inactivity.',
  sofa: 'Lying here is rest, not a fall. Inactivity is reported.',
  pet: 'Anyone who stays below the greatest height since they appeared is a pet: not counted, no fall.',
  restricted: 'Anyone here without authority is an intruder.',
  perimeter: 'The same, and people count in the figures of the perimeter.',
} as const;
type Kind = keyof typeof KINDS;

/** Without `max_height`, everybody in a pet area would be a pet. */
const PET_HEIGHT = 0.8;

function ZoneForm({
  now,
  zone,
  index,
}: {
  readonly now: Draft;
  readonly zone: DraftZone;
  readonly index: number;
}) {
  const set = (fields: Partial<DraftZone>) => {
    change({ ...now, zones: withAt(now.zones!, index, { ...zone, ...fields }) });
  };
  return (
    <fieldset>
      <legend>Zone {zone.name ?? zone.id}</legend>
      <TextField
        label="Id"
        value={zone.id}
        pattern={ID}
        change={(id) => {
          set({ id });
        }}
      />
      <TextField
        label="Name"
        value={zone.name ?? ''}
        placeholder={zone.id}
        change={(name) => {
          set({ name: name === '' ? undefined : name });
        }}
      />
      <KindField zone={zone} set={set} />
      <OptionalNumber
        label="Least height"
        value={zone.min_height}
        change={(min) => {
          set({ min_height: min });
        }}
      />
      <OptionalNumber
        label="Greatest height"
        value={zone.max_height}
        change={(max) => {
          set({ max_height: max });
        }}
      />
      <Corners
        polygon={zone.polygon}
        change={(polygon) => {
          set({ polygon });
        }}
      />
      <Remove what={`zone ${zone.id}`} />
    </fieldset>
  );
}

function KindField({
  zone,
  set,
}: {
  readonly zone: DraftZone;
  readonly set: (fields: Partial<DraftZone>) => void;
}) {
  const kind = (zone.kind ?? '') as Kind;
  return (
    <>
      <label class="text">
        <span>Kind</span>
        <select
          value={kind}
          onChange={({ currentTarget: { value } }) => {
            const isPet = value === 'pet' && zone.max_height === undefined;
            set({ kind: value === '' ? undefined : value, ...(isPet && { max_height: PET_HEIGHT }) });
          }}
        >
          {Object.keys(KINDS).map((one) => (
            <option key={one} value={one}>
              {one === '' ? 'none' : one}
            </option>
          ))}
        </select>
      </label>
      <p class="hint">{KINDS[kind]}</p>
    </>
  );
}

function Corners({
  polygon,
  change: set,
}: {
  readonly polygon: readonly Point2[];
  readonly change: (polygon: readonly Point2[]) => void;
}) {
  return (
    <details>
      <summary>{polygon.length} corners</summary>
      <ol class="corners">
        {polygon.map((corner, at) => (
          <li key={at}>
            {(['x', 'y'] as const).map((axis, part) => (
              <NumberField
                key={axis}
                label={axis}
                value={corner[part]!}
                change={(metres) => {
                  set(withAt(polygon, at, withAt(corner, part, metres) as unknown as Point2));
                }}
              />
            ))}
            <button
              type="button"
              class="quiet"
              disabled={polygon.length === 3}
              aria-label={`Remove corner ${at + 1}`}
              onClick={() => {
                set(without(polygon, at));
              }}
            >
              ×
            </button>
          </li>
        ))}
      </ol>
    </details>
  );
}

function WallForm({
  now,
  wall,
  index,
}: {
  readonly now: Draft;
  readonly wall: DraftWall;
  readonly index: number;
}) {
  return (
    <fieldset>
      <legend>Wall {index + 1}</legend>
      {(['from', 'to'] as const).map((end) => (
        <div key={end} class="place" role="group" aria-label={end}>
          <p class="end">{end === 'from' ? 'From' : 'To'}</p>
          {(['x', 'y'] as const).map((axis, at) => (
            <NumberField
              key={axis}
              label={axis}
              value={wall[end][at]!}
              change={(metres) => {
                const moved = { ...wall, [end]: withAt(wall[end], at, metres) as unknown as Point2 };
                change({ ...now, walls: withAt(now.walls!, index, moved) });
              }}
            />
          ))}
        </div>
      ))}
      <Remove what={`wall ${index + 1}`} />
    </fieldset>
  );
}

function Remove({ what, disabled = false }: { readonly what: string; readonly disabled?: boolean }) {
  return (
    <button type="button" disabled={disabled} onClick={removeSelected}>
      Remove {what}
    </button>
  );
}
