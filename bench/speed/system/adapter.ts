import { readFile } from 'node:fs/promises';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { parse } from 'yaml';
import { errorText } from '../../../pipeline/base/error-text.js';
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
    /** What `bench api` asks it for: addresses that answer GET with 200 and a `Content-Length`. */
    routes: Type.Optional(
      Type.Array(Type.String({ pattern: '^http://127\\.0\\.0\\.1:\\d+/' }), { minItems: 1 }),
    ),
  },
  closed,
);

/** How another program is driven. */
export type Adapter = Static<typeof AdapterSchema>;

/** Reads the description of another program from a YAML file. @throws InputError, or that of the file system */
export async function readAdapter(file: string): Promise<Adapter> {
  const text = await readFile(file, 'utf8');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new InputError(`${file} is no YAML: ${errorText(error)}`, { cause: error });
  }
  return checkAdapter(file, value);
}

/** @throws InputError naming the file and each field that is wrong */
export function checkAdapter(file: string, value: unknown): Adapter {
  if (Value.Check(AdapterSchema, value)) return value;
  const faults = Value.Errors(AdapterSchema, value).map(
    ({ instancePath, message }) => `${instancePath.slice(1).replaceAll('/', '.') || 'the file'} ${message}`,
  );
  throw new InputError(`${file} is no adapter: ${faults.join('; ')}`);
}
