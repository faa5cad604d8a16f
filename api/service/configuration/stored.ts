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
    /** The revision that an `undo` takes back, or that took this one back. */
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
    /** By field's name; what is not there is as the topology's file has it. */
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
    remedy: 'put it back from a backup, or remove it: all fields are then as the topology file has them',
  });

export type Revision = Static<typeof RevisionSchema>;

/** What of a history no call could have written, in the order of the file; null where there is nothing. */
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
        `is no change of ${entry.changes[changed]!.name.slice(0, 64)} that a call could make`,
      );
    next = entry.revision;
  }
  return null;
}

const isInstant = (text: string): boolean =>
  !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/** What was and what became may be as the topology's file had it; an undo brings back what a call had set. */
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
