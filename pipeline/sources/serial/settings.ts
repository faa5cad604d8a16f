import { Type, type Static } from 'typebox';
import { choice, commandLine, filePath, type Complaint } from '../../component/index.js';
import { FILE_FORMATS, FORMAT_CHOICES, FORMAT_OPTIONS } from '../../formats/index.js';

export const config = Type.Object(
  {
    device: Type.Optional(
      filePath({
        description:
          'A serial device (`/dev/ttyUSB0`) or a named pipe; relative to the folder of the topology.',
      }),
    ),
    command: Type.Optional(
      commandLine({
        description:
          'A program and its arguments, whose standard output is read instead: `[tcpdump, -U, -w, -]`. It runs without a shell, in the folder of the topology.',
      }),
    ),
    baud: Type.Integer({
      minimum: 50,
      maximum: 10_000_000,
      default: 921_600,
      description: 'Bits a second of a serial device.',
    }),
    format: choice<string>(
      {
        auto: 'Recognised by the first bytes, again after each interruption.',
        ...Object.fromEntries(FILE_FORMATS.map(({ name, summary }) => [name, summary])),
      },
      { default: 'auto', description: 'What the stream is: a file of this kind, as it is written.' },
    ),
    records: choice<string>(FORMAT_CHOICES, {
      default: 'auto',
      description: 'How its records are read: `intel5300-scaled` scales those of an Intel 5300 to the noise.',
    }),
    ...FORMAT_OPTIONS,
    sender: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'Sender of records whose format names none. Default: the `device`, or the program of `command`.',
      }),
    ),
    reconnect_ms: Type.Integer({
      minimum: 10,
      maximum: 3_600_000,
      default: 10_000,
      description:
        'Longest wait before the device is opened, or the command started, again; the first ones are shorter.',
    }),
    block_records: Type.Integer({
      minimum: 1,
      maximum: 4096,
      default: 64,
      description: 'Limit of records per batch; fewer if no more have arrived.',
    }),
    idle_tick_ms: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 1000,
      description:
        'Silence after which event time advances without records, while the device exists or the command runs; 0: it never does.',
    }),
  },
  { additionalProperties: false },
);

export type SerialSettings = Static<typeof config>;

/** Rules between the fields. */
export function complaintsOf({ device, command }: SerialSettings): readonly Complaint[] {
  if ((device === undefined) !== (command === undefined)) return [];
  const message =
    device === undefined
      ? 'set a `device` or a `command` to read from'
      : 'set a `device` or a `command`, not both';
  return [{ path: device === undefined ? [] : ['command'], message }];
}
