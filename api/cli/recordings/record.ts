import { open } from 'node:fs/promises';
import type { RawBatch } from '../../../pipeline/component/index.js';
import { encodeHeader, encodeRecords, type CaptureMeta } from '../../../pipeline/formats/capture.js';
import { udp } from '../../../pipeline/sources/udp.js';
import { commandContext } from './context.js';

/** What a recording came to. */
export interface Recorded {
  readonly records: number;
  readonly bytes: number;
}

/** Writes batches to a capture, in order, as they are given to `write`. */
export class CaptureWriter {
  readonly #file: Awaited<ReturnType<typeof open>>;
  #records = 0;
  #bytes: number;

  private constructor(file: Awaited<ReturnType<typeof open>>, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** @throws the system's error; EEXIST where the file is there and `overwrite` is false. */
  static async create(path: string, meta: CaptureMeta, overwrite: boolean): Promise<CaptureWriter> {
    const file = await open(path, overwrite ? 'w' : 'wx');
    const header = encodeHeader(meta);
    await file.write(header);
    return new CaptureWriter(file, header.length);
  }

  get recorded(): Recorded {
    return { records: this.#records, bytes: this.#bytes };
  }

  /** Do not call it again before it has resolved. */
  async write(batch: RawBatch): Promise<void> {
    const bytes = encodeRecords(batch);
    await this.#file.writeFile(bytes);
    this.#records += batch.count;
    this.#bytes += bytes.length;
  }

  /** After it the capture is on the disk. */
  async close(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
  }
}

/** Listens on a UDP port and writes all that arrives to `writer` until the signal aborts. */
export async function recordUdp(
  address: { readonly host: string; readonly port: number },
  format: string,
  writer: CaptureWriter,
  signal: AbortSignal,
  progress: (recorded: Recorded) => void,
): Promise<void> {
  const settings = { receive_buffer_bytes: 8_388_608, block_records: 1024, idle_tick_ms: 0 };
  const source = udp.create({ ...address, format, ...settings }, commandContext());
  let last: Promise<unknown> = Promise.resolve();
  const write = async (raw: RawBatch): Promise<boolean> => {
    await writer.write(raw);
    progress(writer.recorded);
    return true;
  };
  await source.open(null, {
    signal,
    offer: ({ raw }) => {
      // After the one before: what was offered at the end is not waited for by the source.
      const written = last.then(() => (raw ? write(raw) : true));
      last = written;
      return written;
    },
  });
  await last;
}
