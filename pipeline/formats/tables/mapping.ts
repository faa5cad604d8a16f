import { Type, type Static } from 'typebox';
import { choice } from '../../component/index.js';

/** Meaning of each axis of an array. */
export const AXES = {
  time: 'Frames, first one first; the outer of two such axes comes first.',
  rx: 'Receive antennas.',
  tx: 'Transmit streams.',
  subcarrier: 'Carriers, lowest first unless `subcarriers` sets another order.',
  part: 'Two numbers of a complex value.',
} as const;
export type Axis = keyof typeof AXES;

const arrayName = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 256, description }));

/** Meaning of the arrays of a file. The schema of `table` of the source `file`, and of `--table`. */
export const TableMapping = Type.Object(
  {
    values: arrayName(
      'Array of the measurements; for a CSV or Parquet file, its columns, `csi_*` or `3..54`. Default: the only array of two axes or more; all columns not named in another field.',
    ),
    axes: Type.Optional(
      Type.Array(choice<Axis>(AXES, { description: 'An axis.' }), {
        minItems: 1,
        maxItems: 8,
        description:
          'Meaning of each axis of `values`, in order; axes of length 1 may be omitted. Default for two axes: time, subcarrier.',
      }),
    ),
    numbers: Type.Optional(
      choice(
        {
          auto: 'Complex values if the array contains them, otherwise amplitudes.',
          amplitude: 'Amplitudes.',
          decibels: 'Amplitudes in decibels.',
          'real-imaginary':
            'Real and imaginary parts alternating along the carriers, or along the axis `part`.',
          'imaginary-real': 'The same, the imaginary part first.',
        },
        { default: 'auto', description: 'Meaning of the numbers in `values`.' },
      ),
    ),
    imaginary: arrayName('Array of the imaginary parts; `values` contains the real ones.'),
    phase: arrayName('Array of the phases, radians; `values` contains amplitudes.'),
    time: arrayName('Array of the times, one per frame.'),
    time_unit: Type.Optional(
      choice(
        { s: 'Seconds.', ms: 'Milliseconds.', us: 'Microseconds.', ns: 'Nanoseconds.' },
        { default: 's', description: 'Unit of `time`.' },
      ),
    ),
    rate_hz: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        description: 'Frames per second; used without an array of times.',
      }),
    ),
    start: Type.Optional(
      Type.String({
        default: '1970-01-01T00:00:00Z',
        description: 'Time 0, ISO 8601: the origin of the times, or the time of the first frame.',
      }),
    ),
    sender: arrayName('Array with the sender of each frame: links use its values as `sender`.'),
    rssi: arrayName('Array of the levels, dBm.'),
    subcarriers: Type.Optional(
      Type.Array(Type.Integer({ minimum: -2048, maximum: 2047 }), {
        minItems: 1,
        maxItems: 4096,
        description:
          'Index of each carrier, relative to the centre of the channel, in the order of the array. Default: symmetrical, without 0 if their number is even.',
      }),
    ),
    bandwidth_mhz: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 320,
        description: 'Default: the smallest of 20, 40, 80 and 160 with that many carriers.',
      }),
    ),
    centre_mhz: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 100_000,
        default: 2437,
        description: 'Centre of the channel.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type TableMapping = Static<typeof TableMapping>;

/** A mapping that does not fit the file: `field` is the one to change. */
export class MappingError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'MappingError';
    this.field = field;
  }
}
