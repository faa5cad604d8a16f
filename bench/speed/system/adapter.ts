import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { InputError } from '../../../pipeline/base/input-error.js';

const closed = { additionalProperties: false } as const;

const AdapterSchema = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    /** Program and arguments; `{port}` stands for the port. It listens for ADR-018 datagrams there. */
    command: Type.Array(Type.String(), { minItems: 1 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    /** Where the number of datagrams that it has processed is read. */
    counter: Type.Object(
      {
        /** An HTTP address; without it, the last match in the program's output counts. */
        url: Type.Optional(Type.String({ pattern: '^https?://' })),
        /** A regular expression; its group is the number. Several matches at an address are added up. */
        pattern: Type.String({ format: 'regex', minLength: 1 }),
      },
      closed,
    ),
  },
  closed,
);

/** How another program is driven. */
export type Adapter = Static<typeof AdapterSchema>;

/** @throws InputError naming the file and each field that is wrong */
export function checkAdapter(file: string, value: unknown): Adapter {
  if (Value.Check(AdapterSchema, value)) return value;
  const faults = Value.Errors(AdapterSchema, value).map(
    ({ instancePath, message }) => `${instancePath.slice(1).replaceAll('/', '.') || 'the file'} ${message}`,
  );
  throw new InputError(`${file} is no adapter: ${faults.join('; ')}`);
}
