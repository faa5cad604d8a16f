import { Type, type Static } from 'typebox';
import { fromIsoTime } from '../../base/iso-time.js';
import { choice, inputFiles, type Complaint, required } from '../../component/index.js';
import { FILE_KINDS } from '../../formats/file-kinds.js';
import { FORMAT_OPTIONS, FORMATS } from '../../formats/index.js';
import { TABLE_KINDS } from '../../formats/tables/kinds.js';
import { TableMapping } from '../../formats/tables/mapping.js';

export const config = Type.Object(
  {
    path: required(
      inputFiles({
        awaitedWith: 'follow',
        description:
          'The recording, or a pattern (`recordings/*.pcap`) of recordings that are played one after the other, `part-2` before `part-10`; relative to the folder of the topology. May be compressed with gzip.',
      }),
    ),
    format: choice(
      {
        auto: 'Recognised by the first bytes.',
        ...Object.fromEntries(FILE_KINDS.map(({ name, summary }) => [name, summary])),
      },
      { default: 'auto', description: 'The kind of file.' },
    ),
    table: Type.Optional(
      Type.Object(TableMapping.properties, {
        additionalProperties: false,
        description:
          'What the arrays of a CSV, NumPy, MATLAB, HDF5 or Parquet file are: see docs/formats/tables.md. Not for other files.',
      }),
    ),
    records: choice<string>(
      {
        auto: 'As the file says.',
        ...Object.fromEntries(FORMATS.map(({ name, summary }) => [name, summary])),
      },
      {
        default: 'auto',
        description:
          'How its records are read: `intel5300-scaled` scales those of an Intel 5300 to the noise.',
      },
    ),
    ...FORMAT_OPTIONS,
    sender: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'Sender of records whose format names none (Intel 5300, Atheros, tables). A link with this `sender` receives them, so each of several receivers has its own source and link.',
      }),
    ),
    start_time: Type.Optional(
      Type.String({
        description:
          'Time of the first record, ISO 8601: `2026-01-01T00:00:00Z`. Default: as recorded. Set the same time for recordings that started together on receivers whose clocks differ.',
      }),
    ),
    speed: Type.Number({
      minimum: 0,
      maximum: 10_000,
      default: 0,
      description:
        'Multiple of the recorded pace: 1 as recorded, 10 ten times as fast, 0 as fast as possible. If the machine is too slow, the log and `speed_reached` in the details of the source say so.',
    }),
    loop: Type.Boolean({
      default: false,
      description: 'Start again at the end, forever; event time continues.',
    }),
    follow: Type.Boolean({
      default: false,
      description:
        'Read what a program appends to the file, as `tail -F` does: see below. The file need not exist yet.',
    }),
    poll_ms: Type.Integer({
      minimum: 10,
      maximum: 60_000,
      default: 200,
      description: 'How often a followed file is examined at its end.',
    }),
    batch_records: Type.Integer({
      minimum: 1,
      maximum: 4096,
      default: 64,
      description: 'Records per batch. Affects only the speed, never the results.',
    }),
  },
  { additionalProperties: false },
);

export type FileSettings = Static<typeof config>;

/** Rules between the fields. */
export function complaintsOf(settings: FileSettings): readonly Complaint[] {
  const { follow, start_time: start } = settings;
  if (follow) return complaintsOfFollowed(settings);
  if (start === undefined || !Number.isNaN(fromIsoTime(start))) return [];
  return [{ path: ['start_time'], message: `${start} is not a time: use the form 2026-01-01T00:00:00Z` }];
}

function complaintsOfFollowed({
  loop,
  speed,
  start_time: start,
  table,
  format,
}: FileSettings): readonly Complaint[] {
  const isTable = table !== undefined || TABLE_KINDS.some(({ name }) => name === format);
  return [
    ...(loop
      ? [{ path: ['loop'], message: 'a followed file has no end: set `follow` or `loop`, not both' }]
      : []),
    ...(speed > 0 ? [{ path: ['speed'], message: 'a followed file is read as it grows: omit `speed`' }] : []),
    ...(start !== undefined
      ? [
          {
            path: ['start_time'],
            message: 'a followed file is being written now: omit `start_time`',
          },
        ]
      : []),
    ...(isTable
      ? [
          {
            path: [table === undefined ? 'format' : 'table'],
            message: 'files of arrays are read as a whole: they cannot be followed',
          },
        ]
      : []),
  ];
}
