import { resolve } from 'node:path';
import { Type } from 'typebox';
import { choice, defineSink } from '../pipeline/component/index.js';
import { ParquetFiles } from './shared/parquet.js';
import { NdjsonFiles } from './shared/ndjson.js';
import { rotationFields } from './shared/file-series.js';

const Config = Type.Object(
  {
    path: rotationFields.path,
    format: choice(
      {
        ndjson: 'One JSON object a line, appended as records arrive.',
        parquet: 'One file for each table of docs/stores.md, written when it is complete.',
      },
      { default: 'ndjson', description: 'Format of the files.' },
    ),
    rotate_bytes: {
      ...rotationFields.rotate_bytes,
      description: 'A file of this size is followed by the next (NDJSON).',
    },
    rotate_ms: rotationFields.rotate_ms,
  },
  { additionalProperties: false },
);

export const file = defineSink({
  name: 'file',
  summary: 'Writes results to NDJSON or Parquet files, rotated by size and time.',
  description: `Files for other programs. Two runs of the same recording, at any speed, write the same records, byte for byte; the order of their lines can differ in a few places.

- Details of a run (time spent in the network, number of the checkpoint) are not written; DuckDB has them.

- Records of several inputs are written by event time, then \`pose\`, \`event\`, \`measure\`, then in the order of \`from\`. A record waits for the slowest input. Some records are late: a pose carries the middle of its window, a total the start of its minute. A late record is written where it arrives, so its line can move between runs; sort by \`time\` to compare files. If more than 4,096 wait, reading pauses until the slower inputs have caught up. If an input stalls for two seconds meanwhile, the earliest records are written, and its later ones follow them.
- An index (\`.index\`) beside the files holds where each epoch began: after a crash the files are cut back to the checkpoint and written again.
- NDJSON is synced to disk at each checkpoint. A file is complete once the next one has begun.
- Parquet rows wait in a database (\`.staging\`) until later rows came and a checkpoint covers them. Closing writes those of the last period too; a later run that continues rewrites that file. A Parquet file is complete or absent.
- JSON has neither NaN nor Infinity: records with them are rejected, and become dead letters.`,
  inputs: ['pose', 'event', 'measure'],
  recovery: 'rewind',
  ordered: true,
  config: Config,
  examples: [
    { title: 'A line for each record', config: { path: 'data/results-{date}.ndjson' } },
    { title: 'Parquet by the hour', config: { path: 'data/{date}.parquet', format: 'parquet' } },
  ],
  claims: ({ path }, folder) => [{ what: resolve(folder, path), field: 'path' }],
  create: (config, context) =>
    config.format === 'parquet'
      ? new ParquetFiles(resolve(context.folder, config.path), config.rotate_ms, context.log)
      : new NdjsonFiles(config, context),
});
