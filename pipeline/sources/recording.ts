import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { constants, gunzipSync } from 'node:zlib';
import {
  areSameRecords,
  FILE_FORMATS,
  FormatError,
  HEAD_BYTES,
  LONG_HEAD_BYTES,
  RawBuilder,
  recogniseFile,
  type FileFormat,
  type OpenedFile,
} from '../formats/index.js';
import { FILE_KINDS } from '../formats/file-kinds.js';
import { tableKindOf } from '../formats/tables/kinds.js';
import type { TableMapping } from '../formats/tables/mapping.js';
import { pcapContent } from '../formats/containers/pcap-content.js';
import { foreignFile, nearestTo, tryKinds } from '../formats/tried.js';
import { capture } from '../formats/containers/capture.js';
import { offsetNear } from './capture-seek.js';
import type { Recording, RecordingBatch, RecordingPosition } from './recorded.js';
import { upgradedCutter } from './older-positions.js';
import { openTable } from './table-recording.js';
import { isGzipDamage, isWrongChecksum, unpackedFile } from './unpacked.js';
import { asError } from '../base/error-text.js';

export type { Recording, RecordingBatch, RecordingPosition } from './recorded.js';

/**
 * Opens a recording.
 * @param kind name of its kind; `auto` recognises it by its first bytes.
 * @param table meaning of the arrays in a file of arrays
 * @param copied set for a copy of a stream
 * @throws FormatError if its kind is unknown, or its header cannot be read; the system's error if the file
 * cannot.
 */
export async function openRecording(
  path: string,
  kind = 'auto',
  table: TableMapping = {},
  copied?: CopiedStream,
): Promise<Recording> {
  const name = copied?.name ?? path;
  const size = await sizeOf(path);
  const packed = await isGzip(path);
  const { head, fileFormat } = await recognised(path, packed, kind, copied !== undefined);
  if (head.length === 0) throw emptyFile(name);
  if (!fileFormat) {
    const tableKind = tableKindOf(kind, head, head.length < HEAD_BYTES);
    if (tableKind) return openTable(path, tableKind, packed, table);
    throw unknownKind(name, kind, head);
  }
  const { format, origin, meta } = fileFormat.open(head);
  return {
    path: name,
    kind: fileFormat.name,
    format,
    origin,
    meta,
    size,
    content: () => pcapContent(head),
    ...(fileFormat === capture && !packed && { positionNear: (time: number) => nearIn(path, head, time) }),
    batches: (count, position) =>
      readBatches({ path, name, packed }, fileFormat, fileFormat.open(head), count, position ?? null),
  };
}

/** The kind of a file and its first bytes; more of them if its first record does not fit into the usual number. */
async function recognised(path: string, packed: boolean, kind: string, isJoined: boolean) {
  const head = await readHead(path, packed, HEAD_BYTES);
  const named = FILE_FORMATS.find(({ name }) => name === kind);
  const fileFormat = kind === 'auto' ? recogniseFile(head) : named;
  const isLong =
    !fileFormat && kind === 'auto' && head.length === HEAD_BYTES && !tableKindOf(kind, head, false);
  const longHead = isLong ? await readHead(path, packed, LONG_HEAD_BYTES) : head;
  const found = fileFormat ?? recogniseFile(longHead);
  if (found || !isJoined || kind !== 'auto')
    return { head: found === fileFormat ? head : longHead, fileFormat: found };
  const [nearest] = tryKinds(head);
  return { head, fileFormat: nearest && nearest.records >= ENOUGH_RECORDS ? nearest.kind : undefined };
}

/** A stream that is joined in the middle of a record has the kind in which this many records are found. */
const ENOUGH_RECORDS = 3;

/** The stream of which a file is a copy; it may begin in the middle of a record. */
export interface CopiedStream {
  /** For messages. */
  readonly name: string;
}

/**
 * The format to read a recording's records with.
 * @param asked `auto`, or the format of its records or one that reads them in another way
 * @throws FormatError if `asked` reads other records
 */
export function recordsFormat({ path, format }: Pick<Recording, 'path' | 'format'>, asked: string): string {
  if (asked === 'auto') return format;
  if (areSameRecords(asked, format)) return asked;
  throw new FormatError(
    'file.records',
    path,
    `its records are ${format}, not ${asked}: omit that, or name a format that reads those`,
  );
}

async function nearIn(path: string, head: Uint8Array, time: number): Promise<RecordingPosition> {
  const file = await open(path);
  try {
    const near = await offsetNear(file, capture.open(head).start, (await file.stat()).size, time);
    return { ...near, cutter: { lost: -1 } };
  } finally {
    await file.close();
  }
}

/** Format of the records of a file, by its first bytes; undefined if they do not show it, or cannot be read. */
export function formatOfHead(path: string, kind: string): string | undefined {
  try {
    const head = headNow(path, HEAD_BYTES);
    const longHead = () => (head.length < HEAD_BYTES ? head : headNow(path, LONG_HEAD_BYTES));
    const file =
      kind === 'auto'
        ? (recogniseFile(head) ?? recogniseFile(longHead()))
        : FILE_FORMATS.find(({ name }) => name === kind);
    return file?.open(head).format;
  } catch {
    // Playing the file reports what is wrong with it.
    return undefined;
  }
}

/** The first bytes of a file, decompressed; empty for anything that is not a regular file, such as a pipe. */
function headNow(path: string, most: number): Uint8Array {
  if (!statSync(path).isFile()) return new Uint8Array(0);
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(most);
    const head = bytes.subarray(0, readSync(file, bytes));
    if (head[0] !== 0x1f || head[1] !== 0x8b) return head;
    return gunzipSync(head, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: 128 * most,
    }).subarray(0, most);
  } finally {
    closeSync(file);
  }
}

/** @throws FormatError for an empty file and a folder, and with the system's code for a file that cannot be examined */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw Object.assign(new Error(`${path}: the file does not exist`, { cause: error }), {
      code: error.code,
    });
  });
  if (!found.isFile() && !found.isDirectory())
    throw new FormatError(
      'file.stream',
      path,
      'this is a pipe or a device, not a file: `csiflow inspect` shows what it sends, and the source `serial` reads it',
    );
  if (found.isDirectory()) throw new FormatError('file.folder', path, 'this is a folder, not a recording');
  if (found.size === 0) throw emptyFile(path);
  return found.size;
}

const emptyFile = (path: string): FormatError =>
  new FormatError('file.empty', path, 'the file is empty: it holds no recording');

async function* readBatches(
  { path, name: input, packed }: { readonly path: string; readonly name: string; readonly packed: boolean },
  { name }: FileFormat,
  file: OpenedFile,
  count: number,
  position: RecordingPosition | null,
): AsyncGenerator<RecordingBatch, void> {
  const { cutter } = file;
  if (position) cutter.restore(upgradedCutter(name, position.cutter));
  const builder = new RawBuilder(count, file.origin, position?.newest ?? -Infinity);
  let offset = position?.offset ?? file.start;
  let rest: Uint8Array = new Uint8Array(0);
  const batch = (): RecordingBatch => ({
    raw: builder.take(input),
    position: {
      offset,
      cutter: cutter.snapshot(),
      newest: Number.isFinite(builder.newest) ? builder.newest : null,
    },
    problems: builder.takeProblems(),
  });
  /** True if a batch is full. */
  const cut = (last: boolean): boolean => {
    const taken = cutter.cut(rest, builder, offset, last);
    offset += taken;
    rest = rest.subarray(taken);
    return builder.full;
  };
  try {
    for await (const chunk of chunks(path, packed, offset)) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (cut(false)) yield batch();
    }
    while (cut(true)) yield batch();
  } catch (error) {
    // Records before the damage are valid.
    if (builder.count > 0) yield batch();
    throw damaged(error, input, name, offset);
  }
  const end = batch();
  if (end.raw.count > 0 || end.problems.length > 0) yield end;
}

/** The bytes of the (decompressed) file from `start` on. */
async function* chunks(path: string, packed: boolean, start: number): AsyncGenerator<Uint8Array, void> {
  if (!packed) {
    yield* createReadStream(path, { start, highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
    return;
  }
  let skip = start;
  for await (const chunk of unpackedFile(path)) {
    const from = Math.min(skip, chunk.length);
    skip -= from;
    if (from < chunk.length) yield chunk.subarray(from);
  }
}

const CHUNK_BYTES = 262_144;

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

async function readHead(path: string, packed: boolean, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of chunks(path, packed, 0)) {
      parts.push(chunk);
      length += chunk.length;
      if (length >= most) break;
    }
  } catch (error) {
    // Reading the records before it reports the damage.
    if (length === 0) throw damaged(error, path, 'gzip', length);
  }
  return Buffer.concat(parts).subarray(0, most);
}

export function unknownKind(path: string, kind: string, head: Uint8Array): FormatError {
  if (kind !== 'auto')
    return new FormatError('file.format', path, `unknown kind of file \`${kind}\`. Known kinds:\n${KINDS}`);
  const foreign = foreignFile(head);
  if (foreign !== undefined)
    return new FormatError('file.format', path, `csiflow cannot read it: it is ${foreign}`);
  return new FormatError(
    'file.format',
    path,
    `its first bytes match no kind that csiflow reads; ${nearestTo(head)}. Kinds tried:\n${KINDS}`,
  );
}

const KINDS = FILE_KINDS.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n');

/** Puts the file's name before the message. */
export function damaged(error: unknown, path: string, kind: string, offset: number): Error {
  if (error instanceof FormatError) {
    return error.location.startsWith(path) ? error : new FormatError(error.code, path, error.message);
  }
  if (!isGzipDamage(error)) return asError(error);
  const message = isWrongChecksum(error)
    ? `the checksum of the gzip data is wrong, so any byte of ${kind} may be; ${offset} bytes were read`
    : `the gzip data is damaged or truncated after ${offset} bytes of ${kind}; everything before was read`;
  return new FormatError('file.gzip', path, message);
}
