import { existsSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import type { RawBatch } from '../../../pipeline/component/index.js';
import {
  capture,
  encodeHeader,
  encodeRecords,
  type CaptureMeta,
} from '../../../pipeline/formats/containers/capture.js';
import { BY_CONTENT } from '../../../pipeline/formats/decoder/by-content.js';
import { FormatError, HEAD_BYTES } from '../../../pipeline/formats/index.js';
import { offsetNear, type Near } from '../../../pipeline/sources/capture-seek.js';
import { openRecording } from '../../../pipeline/sources/recording.js';
import { writingFile } from './errors.js';

/** Totals of a recording. */
export interface Recorded {
  readonly records: number;
  readonly bytes: number;
}

/** A power failure loses at most the records of this time, milliseconds. */
const SYNC_INTERVAL = 1_000;

/** Writes batches to a capture, in the order of the calls of `write`. */
export class CaptureWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  /** Format of the records, as the capture names it. */
  readonly format: string;
  #records = 0;
  #bytes: number;
  /** Time of the newest record, microseconds: times of a capture never decrease. */
  #newest: number;
  #synced = performance.now();

  private constructor(path: string, file: FileHandle, format: string, bytes: number, newest = -Infinity) {
    this.#path = path;
    this.#file = file;
    this.format = format;
    this.#bytes = bytes;
    this.#newest = newest;
  }

  /** @throws the system's error; EEXIST if the file exists and `overwrite` is false. CommandError if the disk is full. */
  static async create(path: string, meta: CaptureMeta, overwrite: boolean): Promise<CaptureWriter> {
    const isNew = !overwrite || !existsSync(path);
    const file = await open(path, overwrite ? 'w' : 'wx');
    const header = encodeHeader(meta);
    try {
      await writingFile(path, () => file.write(header));
    } catch (error) {
      await file.close();
      // Otherwise the next try finds a file, and asks for another name.
      if (isNew) await rm(path, { force: true });
      throw error;
    }
    return new CaptureWriter(path, file, meta.format, header.length);
  }

  /**
   * Appends to an existing capture, after its last complete record; removes a record truncated by a crash.
   * @param wanted without a format, that of the capture
   * @throws FormatError if it is not a capture, is packed, or contains other records
   */
  static async append(path: string, wanted: AppendedRecords): Promise<CaptureWriter> {
    const { format, end, newest } = await endOf(path, wanted);
    const file = await open(path, 'a');
    if ((await file.stat()).size > end) await file.truncate(end);
    return new CaptureWriter(path, file, format, end, newest);
  }

  get recorded(): Recorded {
    return { records: this.#records, bytes: this.#bytes };
  }

  /** Do not call it again before it has resolved. */
  async write(batch: RawBatch): Promise<void> {
    const time = batch.time.map((each) => Math.max(each, this.#newest));
    const bytes = encodeRecords({ ...batch, time });
    await writingFile(this.#path, () => this.#file.writeFile(bytes));
    this.#newest = time.at(-1) ?? this.#newest;
    this.#records += batch.count;
    this.#bytes += bytes.length;
    if (performance.now() - this.#synced < SYNC_INTERVAL) return;
    await writingFile(this.#path, () => this.#file.datasync());
    this.#synced = performance.now();
  }

  /** After it the capture is on the disk. */
  async close(): Promise<void> {
    await writingFile(this.#path, () => this.#file.sync());
    await this.#file.close();
  }
}

/** Records to append to a capture. */
interface AppendedRecords extends Pick<CaptureMeta, 'origin'> {
  readonly format?: string | undefined;
}

/** End of the last complete record of a capture, and its time; microseconds, -Infinity if there is none. */
async function endOf(path: string, wanted: AppendedRecords) {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    if (!capture.recognise(head))
      throw new FormatError(
        'capture.append',
        path,
        'it is not a capture, or it is packed: unpack it, or choose another file',
      );
    const { format, origin, start } = capture.open(head);
    // The records of a capture of `auto` are detected one by one, so any format fits.
    const fits = format === BY_CONTENT || format === (wanted.format ?? format);
    if (!fits || origin !== wanted.origin)
      throw new FormatError(
        'capture.append',
        path,
        `it contains records of ${format}, ${origin}; these are ${wanted.format ?? format}, ${wanted.origin}: choose another file`,
      );
    return { format, ...(await lastRecord(path, await offsetNear(file, start, size, Infinity), size)) };
  } finally {
    await file.close();
  }
}

/** From a record near the end. */
async function lastRecord(path: string, near: Near, size: number) {
  const recording = await openRecording(path, 'capture');
  let newest = near.newest ?? -Infinity;
  let end = size;
  const from = { ...near, cutter: { lost: -1 } };
  for await (const { raw, problems } of recording.batches(1024, from)) {
    newest = raw.time[raw.count - 1] ?? newest;
    // Reads only the end of the file: earlier damage is left unchanged.
    const cut = problems.find(({ code }) => code === 'capture.truncated');
    if (cut) end = Number(cut.location.replace('byte ', ''));
  }
  return { end, newest };
}
