import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../base/error-text.js';
import { withTemporaryFolder } from '../base/temporary-folders.js';
import { FormatError, RawBuilder } from '../formats/index.js';
import { MAX_ARRAY_BYTES } from '../formats/tables/allowance.js';
import { describeArray, type Table } from '../formats/tables/arrays.js';
import { framesOf, TableDamage } from '../formats/tables/frames.js';
import { readTable, type TableKind } from '../formats/tables/kinds.js';
import { MappingError, type TableMapping } from '../formats/tables/mapping.js';
import type { TableFrames, TableRecords } from '../formats/tables/table-frames.js';
import { recordsOf } from '../formats/tables/table-frame.js';
import { intelTrace } from '../formats/devices/intel/intel5300-trace.js';
import type { Recording, RecordingBatch, RecordingPosition } from './recorded.js';
import { isGzipDamage, isWrongChecksum, unpackedFile } from './unpacked.js';

/**
 * Opens a file of arrays. Each frame becomes a record of the format `table-frame`, or of the format that a program saved
 * as structures; positions count frames.
 * @throws FormatError if the file cannot be read, or the mapping does not fit it
 */
export async function openTable(
  path: string,
  kind: TableKind,
  packed: boolean,
  mapping: TableMapping,
): Promise<Recording> {
  const { size } = await stat(path);
  const table = await read(path, kind, packed, size, mapping);
  const isUnmapped = Object.keys(mapping).length === 0;
  const isOwn = table.frames !== undefined && isUnmapped;
  const trace = isUnmapped ? intelTrace(table) : null;
  const frames = trace ?? recordsOf(isOwn ? own(path, table.frames) : mapped(path, table, mapping));
  // Frames of several layouts form no array, but are read all the same.
  const unread = [...(table.damaged ?? []), ...(isOwn || trace ? [] : table.unread)];
  return {
    path,
    kind: kind.name,
    format: frames.format,
    origin: frames.origin ?? 'replay',
    meta: { arrays: table.arrays.map(describeArray), frames: frames.count },
    size,
    batches: (count, position) => batches(path, frames, unread, count, position ?? null),
  };
}

async function read(
  path: string,
  kind: TableKind,
  packed: boolean,
  size: number,
  { sender }: TableMapping,
): Promise<Table> {
  const texts = sender === undefined ? [] : [sender];
  const tooLarge = () =>
    new FormatError(
      'table.size',
      path,
      `files of arrays are read as a whole, up to ${MAX_ARRAY_BYTES} bytes: split it, or record a capture`,
    );
  if (size > MAX_ARRAY_BYTES) throw tooLarge();
  if (!packed) return readTable(kind, await readFile(path), path, texts);
  const { bytes, damage } = await unpack(path, tooLarge);
  const certain = damage !== null && kind.inLines ? wholeLines(bytes) : bytes;
  const table = await readUnpacked(kind, certain, path, texts).catch((error: unknown) => {
    if (!(error instanceof FormatError)) throw error;
    // The name of the unpacked copy says nothing.
    const reason = error.message.slice(error.location.length + 2);
    throw damage === null
      ? new FormatError(error.code, path, reason)
      : new FormatError('file.gzip', path, `${damage}: ${reason}`);
  });
  return damage === null ? table : { ...table, damaged: [damage, ...(table.damaged ?? [])] };
}

/** A number at the end of a truncated text may lack digits. */
const wholeLines = (bytes: Buffer): Buffer =>
  bytes.subarray(0, Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r')) + 1);

/** A gzip file as far as it is whole, and where it is damaged, in words. */
async function unpack(
  path: string,
  tooLarge: () => FormatError,
): Promise<{ readonly bytes: Buffer; readonly damage: string | null }> {
  const chunks: Buffer[] = [];
  let length = 0;
  const bytes = () => Buffer.concat(chunks, length);
  try {
    for await (const chunk of unpackedFile(path)) {
      length += chunk.length;
      if (length > MAX_ARRAY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (!isGzipDamage(error)) throw error;
    if (isWrongChecksum(error))
      throw new FormatError('file.gzip', path, 'its checksum is wrong, so any value may be: copy it again');
    return { bytes: bytes(), damage: `byte ${length}: the gzip data is damaged or truncated from here` };
  }
  return { bytes: bytes(), damage: null };
}

/** @param path of the compressed file */
async function readUnpacked(
  kind: TableKind,
  bytes: Buffer,
  path: string,
  texts: readonly string[],
): Promise<Table> {
  if (!kind.needsFile) return readTable(kind, bytes, path, texts);
  return withTemporaryFolder('csiflow-table-', async (folder) => {
    await writeFile(join(folder, 'unpacked'), bytes);
    return readTable(kind, bytes, join(folder, 'unpacked'), texts);
  });
}

function own(path: string, frames: () => TableFrames): TableFrames {
  try {
    return frames();
  } catch (error) {
    throw new FormatError('table.damaged', path, errorText(error));
  }
}

function mapped(path: string, table: Table, mapping: TableMapping): TableFrames {
  try {
    return framesOf(table, mapping);
  } catch (error) {
    if (error instanceof TableDamage) throw new FormatError('table.damaged', path, error.message);
    if (!(error instanceof MappingError)) throw error;
    throw new FormatError(
      'table.mapping',
      path,
      `\`table.${error.field}\` (\`--table '{ ${error.field}: ... }'\`): ${error.message}`,
    );
  }
}

async function* batches(
  path: string,
  frames: TableRecords,
  unread: readonly string[],
  count: number,
  position: RecordingPosition | null,
): AsyncGenerator<RecordingBatch, void> {
  const builder = new RawBuilder(count, frames.origin ?? 'replay', position?.newest ?? -Infinity);
  // What is damaged, and arrays that produced no frame, are reported once, at the start.
  if (!position)
    for (const what of unread) {
      const [location, ...reason] = what.split(': ');
      builder.problem({
        code: 'table.unread',
        location: location!,
        message: `not read: ${reason.join(': ')}`,
      });
    }
  const batch = (next: number): RecordingBatch => ({
    raw: builder.take(path),
    position: {
      offset: next,
      cutter: null,
      newest: Number.isFinite(builder.newest) ? builder.newest : null,
    },
    problems: builder.takeProblems(),
  });
  for (let frame = position?.offset ?? 0; frame < frames.count; frame++) {
    const time = frames.time(frame);
    if (typeof time === 'number') {
      builder.begins(NaN, 'frame', frame);
      builder.add(time, frames.record(frame), 0, undefined, frames.sender(frame));
    } else
      builder.problem({
        code: 'table.time',
        location: `frame ${frame}`,
        message: `${path}: ${time}: it is skipped`,
      });
    if (builder.full) yield batch(frame + 1);
  }
  const end = batch(frames.count);
  if (end.raw.count > 0 || end.problems.length > 0) yield end;
}
