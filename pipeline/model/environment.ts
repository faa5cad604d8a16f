import { Type, type Static } from 'typebox';
import { ZoneSchema } from './zone.js';

/** A room or flat in which people are sensed. The schema of `topologies/environments/*.yaml`; the source of its types, checks and docs. */

const Metres = (description: string) =>
  Type.Number({ exclusiveMinimum: 0, maximum: 1000, description: `${description}, metres` });

const Position = (description: string) =>
  Type.Array(Type.Number({ minimum: -100, maximum: 1000 }), {
    minItems: 3,
    maxItems: 3,
    description: `${description}: [x, y, z], metres`,
  });

export const LinkSchema = Type.Object(
  {
    id: Type.String({
      pattern: '^[A-Za-z0-9_.-]{1,64}$',
      description: 'Name of the link, unique in the topology.',
    }),
    transmitter: Position('Antenna of the transmitter'),
    receiver: Position('Antenna of the receiver (the middle, if there are several)'),
    antenna_axis: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 3,
        maxItems: 3,
        description: 'Direction of a row of receive antennas, any length.',
      }),
    ),
    sender: Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        "The sender of this link's frames, as the source names it: `node-1` for ADR-018 node 1 (`node-1@192.168.1.20` from that address only), an address (`192.168.1.20`), topic or `router_id` for formats that number no nodes, `*` for any other sender.",
    }),
  },
  { additionalProperties: false, description: 'One transmitter and one receiver.' },
);

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const TimeOfDay = (description: string, midnight: boolean) =>
  Type.String({
    pattern: midnight ? '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$' : '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    description,
  });

export const AuthorisedSchema = Type.Object(
  {
    hours: Type.Optional(
      Type.Array(
        Type.Object(
          {
            days: Type.Array(Type.Enum([...WEEKDAYS], { type: 'string' }), {
              minItems: 1,
              maxItems: 7,
              description: 'Days on which `from` falls: mon, tue, wed, thu, fri, sat, sun.',
            }),
            from: TimeOfDay('First minute, `08:00`', false),
            to: TimeOfDay('End, `18:00` or `24:00`; one not after `from` is on the next day', true),
          },
          { additionalProperties: false },
        ),
        {
          maxItems: 100,
          description: 'When people may be there, in `timezone`. Default: always; an empty list: never.',
        },
      ),
    ),
    persons: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description: 'How many people may be in such a zone at a time in these hours. Default: any number.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Who may be here. Anybody else in zones of the kinds `restricted` and `perimeter`, or anywhere if there are no such zones, is an intruder. Without this field nobody is one.',
  },
);

export const WallSchema = Type.Object(
  {
    from: Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: '[x, y], metres' }),
    to: Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: '[x, y], metres' }),
  },
  { additionalProperties: false, description: 'An inner wall, from floor to ceiling.' },
);

export const ViewSchema = Type.Object(
  {
    position: Type.Optional(
      Position('Where the camera stands; default: outside a corner, above head height'),
    ),
    target: Type.Optional(Position('The point it faces; default: the middle of the room at 1 m')),
    width: Type.Integer({ minimum: 16, maximum: 16384, default: 1280, description: 'Pixels' }),
    height: Type.Integer({ minimum: 16, maximum: 16384, default: 720, description: 'Pixels' }),
    field_of_view_deg: Type.Number({ minimum: 10, maximum: 150, default: 75, description: 'Horizontal' }),
  },
  {
    additionalProperties: false,
    description: 'The pinhole camera through which the service interface projects keypoints and boxes.',
  },
);

export const EnvironmentSchema = Type.Object(
  {
    id: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$', description: 'Id of the environment.' }),
    name: Type.Optional(Type.String({ description: 'Name shown to people.' })),
    size: Type.Object(
      {
        x: Metres('Inner length along x'),
        y: Metres('Inner length along y'),
        z: Metres('Height of the ceiling'),
      },
      { additionalProperties: false, description: 'A box; its corner on the floor is the origin.' },
    ),
    links: Type.Array(LinkSchema, {
      minItems: 1,
      maxItems: 4096,
      description: 'All measurements come from links.',
    }),
    walls: Type.Array(WallSchema, { default: [], description: 'Inner walls.' }),
    zones: Type.Array(ZoneSchema, { default: [], description: 'Named parts of the floor.' }),
    view: Type.Optional(ViewSchema),
    timezone: Type.String({
      default: 'UTC',
      minLength: 1,
      maxLength: 64,
      description: 'IANA name of the time zone, `Europe/Berlin`: figures count local days and hours.',
    }),
    authorised: Type.Optional(AuthorisedSchema),
    crowd_persons: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'This many people at a time are a crowd. Without this field nothing is one.',
      }),
    ),
    assumed: Type.Array(Type.String(), {
      default: [],
      description: 'What in this file was assumed rather than measured, in words. Shown with the results.',
    }),
  },
  {
    additionalProperties: false,
    title: 'Environment',
    description: 'A room or flat in which people are sensed.',
  },
);

/** The file's content, checked and with defaults. */
export type Environment = Static<typeof EnvironmentSchema>;
export type Link = Static<typeof LinkSchema>;

/** `127.0.0.1` of `127.0.0.1:49152`; other text, such as a MAC address, is unchanged. */
export const hostOf = (sender: string): string =>
  MAC_ADDRESS.test(sender) ? sender : sender.replace(/:\d{1,5}$/, '');

/** The address alone, or the last of several: `station/access point`. */
const MAC_ADDRESS = /(^|\/)[\da-f]{2}(:[\da-f]{2}){5}$/i;

/** A link as the data plane knows it. */
export interface LinkEntry {
  /** Value of the column `link` of a {@link CsiBlock}. */
  readonly index: number;
  readonly link: Link;
  readonly environment: Environment;
}

/** Senders of which a table remembers the link. */
const MAX_FOUND = 1024;

/** All links of a topology. Numbers are valid in one process only. */
export class LinkTable {
  readonly #entries: LinkEntry[] = [];
  readonly #byId = new Map<string, LinkEntry>();
  readonly #bySender = new Map<string, LinkEntry>();
  /** What {@link bySender} has found for senders that no link names as they are. Bounded. */
  readonly #found = new Map<string, LinkEntry | undefined>();

  readonly environments: readonly Environment[];

  constructor(environments: readonly Environment[]) {
    this.environments = environments;
    for (const environment of environments) {
      for (const link of environment.links) {
        const entry = { index: this.#entries.length, link, environment };
        this.#entries.push(entry);
        this.#byId.set(link.id, entry);
        this.#bySender.set(link.sender, entry);
      }
    }
  }

  get size(): number {
    return this.#entries.length;
  }

  /** @throws RangeError if no link has this index. */
  at(index: number): LinkEntry {
    const entry = this.#entries[index];
    if (!entry)
      throw new RangeError(`no link has the number ${index}: there are ${this.#entries.length} links`);
    return entry;
  }

  byId(id: string): LinkEntry | undefined {
    return this.#byId.get(id);
  }

  /** The link that names `sender`, otherwise its address without the port, otherwise `*`; undefined: unknown sender. */
  bySender(sender: string): LinkEntry | undefined {
    return (
      this.#bySender.get(sender) ?? (this.#found.has(sender) ? this.#found.get(sender) : this.#find(sender))
    );
  }

  #find(sender: string): LinkEntry | undefined {
    const found = this.#bySender.get(hostOf(sender)) ?? this.#bySender.get('*');
    if (this.#found.size >= MAX_FOUND) this.#found.clear();
    this.#found.set(sender, found);
    return found;
  }

  [Symbol.iterator](): IterableIterator<LinkEntry> {
    return this.#entries[Symbol.iterator]();
  }
}
