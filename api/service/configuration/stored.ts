import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { StateFile } from '../../../pipeline/state/state-file.js';
import type { Value } from './field.js';
import { FIELDS, isStored, storedSchema } from './fields.js';

const closed = { additionalProperties: false } as const;
const ValueSchema = Type.Union([Type.Number(), Type.Boolean(), Type.String()]);
const Overridden = Type.Union([ValueSchema, Type.Null()]);

const RevisionSchema = Type.Object(
  {
    revision: Type.Integer(),
    at: Type.String(),
    by: Type.String(),
    action: Type.Enum(['change', 'undo']),
    /** The revision undone by an `undo`, or the one that undid this one. */
    other: Type.Union([Type.Integer(), Type.Null()]),
    changes: Type.Array(
      Type.Object({ name: Type.String(), from: ValueSchema, to: ValueSchema, before: Overridden }, closed),
    ),
  },
  closed,
);

const FileSchema = Type.Object(
  {
    version: Type.Integer(),
    revision: Type.Integer(),
    /** By field's name; missing fields have the value of the topology's file. */
    values: Type.Unsafe<Readonly<Record<string, Value>>>(
      Type.Object(
        Object.fromEntries(
          FIELDS.filter(isStored).map((field) => [field.name, Type.Optional(storedSchema(field))]),
        ),
        closed,
      ),
    ),
    history: Type.Array(RevisionSchema),
  },
  closed,
);

export type StoredConfiguration = StateFile<typeof FileSchema>;

/** The file of values and of their history in a state folder. */
export const storedConfiguration = (stateFolder: string): StoredConfiguration =>
  new StateFile(join(stateFolder, 'configuration.json'), {
    schema: FileSchema,
    layout: 1,
    initial: { version: 1, revision: 0, values: {}, history: [] },
    fault: historyFault,
    remedy: 'restore it from a backup, or remove it: all fields then have the values of the topology file',
  });

export type Revision = Static<typeof RevisionSchema>;

/** Faults of a history that no call could have written, in the order of the file; null if there are none. */
function historyFault({ revision, history }: Static<typeof FileSchema>): string | null {
  let next = revision + 1;
  for (const [index, entry] of history.entries()) {
    const at = (input: string, why: string) => `/history/${index}/${input} ${why}`;
    if (entry.revision >= next) return at('revision', `must be less than ${next}`);
    if (!isInstant(entry.at)) return at('at', 'must be a time like 2026-01-01T00:00:00.000Z');
    const changed = entry.changes.findIndex((change) => !isPossible(change));
    if (changed >= 0)
      return at(
        `changes/${changed}`,
        `is not a possible change of ${entry.changes[changed]!.name.slice(0, 64)}`,
      );
    next = entry.revision;
  }
  return null;
}

const isInstant = (text: string): boolean =>
  !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/** Old and new values may be those of the topology's file; an undo restores values that a call set. */
function isPossible({ name, from, to, before }: Revision['changes'][number]): boolean {
  const field = FIELDS.find((one) => isStored(one) && one.name === name);
  if (!field) return false;
  const { absent } = field;
  return (
    typeof from === typeof absent &&
    typeof to === typeof absent &&
    (before === null || Check(storedSchema(field), before))
  );
}
