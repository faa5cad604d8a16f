import { BY_CONTENT } from '../../../pipeline/formats/decoder/by-content.js';
import {
  decoderOf,
  FormatError,
  formatNamed,
  ProblemLog,
  recogniseRecord,
  type FormatOptions,
} from '../../../pipeline/formats/index.js';
import type { TableMapping } from '../../../pipeline/formats/tables/mapping.js';
import type { RawBatch } from '../../../pipeline/component/index.js';
import { openRecording, recordsFormat, type CopiedStream } from '../../../pipeline/sources/recording.js';
import { udp } from '../../../pipeline/sources/udp.js';
import { commandContext } from './context.js';
import { Inspection, type Summary } from './inspect.js';
import { untilStopped } from '../until-stopped.js';
import { stretchOf } from './stretch.js';

/** Contents of a recording or a port. */
export interface Look {
  /** Kind of the file, or `udp`. */
  readonly kind: string;
  /** Format of its records. */
  readonly format: string;
  readonly summary: Summary;
  /** What a file without records holds, for a person. */
  readonly content?: string | undefined;
  /** Why a file could not be read to its end. */
  readonly damage?: FormatError | undefined;
}

/** How to read a recording. */
export interface Reading {
  /** Kind of the file; `auto` recognises it. */
  readonly kind: string;
  /** Format of its records; `auto`: the file's own. */
  readonly format: string;
  /** Mapping of the arrays in a file. */
  readonly table?: TableMapping | undefined;
  /** What its records do not say of themselves. */
  readonly options?: FormatOptions;
  /** Set for a copy of a stream. */
  readonly copied?: CopiedStream | undefined;
  /** First time, included, and last time, excluded; microseconds. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

/** Reads a recording, or what comes before its damage. Problems in it go to stderr. */
export async function lookIntoFile(path: string, reading: Reading): Promise<Look> {
  const recording = await openRecording(path, reading.kind, reading.table, reading.copied);
  const format = recordsFormat(recording, reading.format);
  const inspection = inspectionOf(format, reading.options ?? {});
  const log = new ProblemLog((message) => process.stderr.write(`csiflow: ${recording.path}: ${message}\n`));
  let damage: FormatError | undefined;
  try {
    for await (const { raw, problems } of stretchOf(recording, reading.start, reading.end)) {
      inspection.see(raw);
      for (const problem of problems) log.see(problem);
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    damage = error;
  } finally {
    log.end();
  }
  const summary = inspection.summary();
  if (damage && summary.records === 0) throw damage;
  const isWhole = reading.start === undefined && reading.end === undefined;
  const content = summary.records === 0 && isWhole ? recording.content?.() : undefined;
  return { kind: recording.kind, format, summary, content, damage };
}

/** How to read the input: as its one format, or as any if there are several or none is recognised. */
function formatOf(batches: readonly RawBatch[]): string {
  const names = new Set<string>();
  for (const { count, bytes, offsets } of batches)
    for (let i = 0; i < count; i++) {
      const format = recogniseRecord(bytes.slice(offsets[i], offsets[i + 1]));
      if (format) names.add(format.name);
    }
  const [only = BY_CONTENT, ...others] = names;
  return others.length > 0 ? BY_CONTENT : only;
}

/** Listens for `seconds`, or until Ctrl-C. @param format `auto`: detected from the datagrams, one or any mix */
export async function lookAtUdp(
  address: { readonly host: string; readonly port: number },
  format: string,
  seconds: number,
): Promise<Look & { readonly batches: readonly RawBatch[] }> {
  const batches: RawBatch[] = [];
  formatNamed(format);
  const settings = { receive_buffer_bytes: 8_388_608, block_records: 256, gather_ms: 0, idle_tick_ms: 0 };
  const source = udp.create({ ...address, format: BY_CONTENT, ...settings }, commandContext());
  const stop = untilStopped(seconds);
  let bytes = 0;
  try {
    await source.open(null, {
      signal: stop.signal,
      offer: ({ raw }) => {
        bytes += raw?.bytes.length ?? 0;
        if (raw && bytes <= MAX_BYTES) batches.push(raw);
        return true;
      },
    });
  } finally {
    stop.release();
  }
  if (bytes > MAX_BYTES)
    process.stderr.write(
      `csiflow: more than ${MAX_BYTES} bytes arrived: only the first ones are evaluated\n`,
    );
  return { kind: 'udp', ...summaryOf(format === BY_CONTENT ? formatOf(batches) : format, batches), batches };
}

/** Content of the records of a format. */
export function summaryOf(format: string, batches: readonly RawBatch[], options: FormatOptions = {}) {
  const inspection = inspectionOf(format, options);
  for (const raw of batches) inspection.see(raw);
  return { format, summary: inspection.summary() };
}

/** Datagrams held while it listens. */
const MAX_BYTES = 268_435_456;

function inspectionOf(format: string, options: FormatOptions): Inspection {
  const context = commandContext();
  return new Inspection(context.links, decoderOf(formatNamed(format), context, options));
}
