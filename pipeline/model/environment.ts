import { Type, type Static } from 'typebox';
import type { Point } from './records.js';

/** A place where people are sensed. The schema of `topologies/environments/*.yaml`; the source of its types, checks and docs. */

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
      description: 'Name of the link, unique over the topology.',
    }),
    transmitter: Position('Antenna of the transmitter'),
    receiver: Position('Antenna of the receiver (of several, their middle)'),
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
        "Who sends this link's frames, as the source names it: `node-1` for ADR-018 node 1 (`node-1@192.168.1.20` from that address only), `*` for the one sender of a format without names.",
    }),
  },
  { additionalProperties: false, description: 'One transmitter and one receiver.' },
);

export const ZoneSchema = Type.Object(
  {
    id: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
    name: Type.Optional(Type.String()),
    polygon: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
      minItems: 3,
      description: 'Corners on the floor, [x, y] in metres, in order.',
    }),
  },
  { additionalProperties: false },
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
    target: Type.Optional(Position('What it looks at; default: the middle of the room at 1 m')),
    width: Type.Integer({ minimum: 16, maximum: 16384, default: 1280, description: 'Pixels' }),
    height: Type.Integer({ minimum: 16, maximum: 16384, default: 720, description: 'Pixels' }),
    field_of_view_deg: Type.Number({ minimum: 10, maximum: 150, default: 75, description: 'Horizontal' }),
  },
  {
    additionalProperties: false,
    description: 'The pinhole camera that keypoints and boxes of the service interface are seen by.',
  },
);

export const EnvironmentSchema = Type.Object(
  {
    id: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$', description: 'Id of the environment.' }),
    name: Type.Optional(Type.String({ description: 'For people.' })),
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
      description: 'Everything measured comes from a link.',
    }),
    walls: Type.Array(WallSchema, { default: [], description: 'Inner walls.' }),
    zones: Type.Array(ZoneSchema, { default: [], description: 'Named parts of the floor.' }),
    view: Type.Optional(ViewSchema),
    assumed: Type.Array(Type.String(), {
      default: [],
      description: 'What in this file was assumed rather than measured, in words. Shown with the results.',
    }),
  },
  { additionalProperties: false, title: 'Environment', description: 'A place where people are sensed.' },
);

/** The file's content after checks and defaults. */
export type Environment = Static<typeof EnvironmentSchema>;
export type Link = Static<typeof LinkSchema>;
export type Zone = Static<typeof ZoneSchema>;

/** `[x, y, z]` of a file as a {@link Point}. */
export const point = (position: readonly number[]): Point => ({
  x: position[0]!,
  y: position[1]!,
  z: position[2]!,
});

/** A link as the data plane knows it. */
export interface LinkEntry {
  /** Value of the column `link` of a {@link CsiBlock}. */
  readonly index: number;
  readonly link: Link;
  readonly environment: Environment;
}

/** All links of a topology. Numbers live in one process only. */
export class LinkTable {
  readonly #entries: LinkEntry[] = [];
  readonly #byId = new Map<string, LinkEntry>();
  readonly #bySender = new Map<string, LinkEntry>();

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

  /** @throws RangeError for an index that no link has. */
  at(index: number): LinkEntry {
    const entry = this.#entries[index];
    if (!entry) throw new RangeError(`no link has the number ${index}; there are ${this.#entries.length}`);
    return entry;
  }

  byId(id: string): LinkEntry | undefined {
    return this.#byId.get(id);
  }

  /** The link that `sender` sends the frames of, else the one declared with `*`, else undefined: an unknown sender. */
  bySender(sender: string): LinkEntry | undefined {
    return this.#bySender.get(sender) ?? this.#bySender.get('*');
  }

  [Symbol.iterator](): IterableIterator<LinkEntry> {
    return this.#entries[Symbol.iterator]();
  }
}
