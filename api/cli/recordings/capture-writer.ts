import { open, type FileHandle } from 'node:fs/promises';
import type { RawBatch } from '../../../pipeline/component/index.js';
import {
  capture,
  encodeHeader,
  encodeRecords,
  type CaptureMeta,
} from '../../../pipeline/formats/containers/capture.js';
import { FormatError, HEAD_BYTES } from '../../../pipeline/formats/index.js';
import { offsetNear, type Near } from '../../../pipeline/sources/capture-seek.js';
import { openRecording } from '../../../pipeline/sources/recording.js';

/** What a recording came to. */
export interface Recorded {
  readonly records: number;
  readonly bytes: number;
}

/** A power failure loses what came in this time at most, milliseconds. */
const SYNC_INTERVAL = 1_000;

/** Writes batches to a capture, in order, as they are given to `write`. */
export class CaptureWriter {
  readonly #file: FileHandle;
  #records = 0;
  #bytes: number;
  /** Time of the newest record, microseconds: times of a capture never decrease. */
  #newest: number;
  #synced = performance.now();

  private constructor(file: FileHandle, bytes: number, newest = -Infinity) {
    this.#file = file;
    this.#bytes = bytes;
    this.#newest = newest;
  }

  /** @throws the system's error; EEXIST where the file is there and `overwrite` is false. */
  static async create(path: string, meta: CaptureMeta, overwrite: boolean): Promise<CaptureWriter> {
    const file = await open(path, overwrite ? 'w' : 'wx');
    const header = encodeHeader(meta);
    await file.write(header);
    return new CaptureWriter(file, header.length);
  }

  /**
   * Goes on with a capture that is there, behind its last whole record: what a crash left of another one is cut off.
   * @throws FormatError where it is none, is packed, or holds other records
   */
  static async append(path: string, { format, origin }: CaptureMeta): Promise<CaptureWriter> {
    const { end, newest } = await endOf(path, { format, origin });
    const file = await open(path, 'a');
    if ((await file.stat()).size > end) await file.truncate(end);
    return new CaptureWriter(file, end, newest);
  }

  get recorded(): Recorded {
    return { records: this.#records, bytes: this.#bytes };
  }

  /** Do not call it again before it has resolved. */
  async write(batch: RawBatch): Promise<void> {
    const time = batch.time.map((each) => Math.max(each, this.#newest));
    const bytes = encodeRecords({ ...batch, time });
    await this.#file.writeFile(bytes);
    this.#newest = time.at(-1) ?? this.#newest;
    this.#records += batch.count;
    this.#bytes += bytes.length;
    if (performance.now() - this.#synced < SYNC_INTERVAL) return;
    await this.#file.datasync();
    this.#synced = performance.now();
  }

  /** After it the capture is on the disk. */
  async close(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
  }
}

/** Where the last whole record of a capture ends, and its time; microseconds, -Infinity where there is none. */
async function endOf(path: string, wanted: Pick<CaptureMeta, 'format' | 'origin'>) {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    if (!capture.recognise(head))
      throw new FormatError(
        'capture.append',
        path,
        'it is no capture, or packed: unpack it, or choose another file',
      );
    const { format, origin, start } = capture.open(head);
    if (format !== wanted.format || origin !== wanted.origin)
      throw new FormatError(
        'capture.append',
        path,
        `it holds records of ${format}, ${origin}; these are ${wanted.format}, ${wanted.origin}: choose another file`,
      );
    return await lastRecord(path, await offsetNear(file, start, size, Infinity), size);
  } finally {
    await file.close();
  }
}

/** From a record on that is near the end. */
async function lastRecord(path: string, near: Near, size: number) {
  const recording = await openRecording(path, 'capture');
  let newest = near.newest ?? -Infinity;
  let end = size;
  const from = { ...near, cutter: { lost: -1 } };
  for await (const { raw, problems } of recording.batches(1024, from)) {
    newest = raw.time[raw.count - 1] ?? newest;
    // Of the end of the file alone: what is damaged before it is left as it is.
    const cut = problems.find(({ code }) => code === 'capture.truncated');
    if (cut) end = Number(cut.location.replace('byte ', ''));
  }
  return { end, newest };
}
