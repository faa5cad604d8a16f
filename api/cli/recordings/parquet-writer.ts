import {
  DuckDBDataChunk,
  DuckDBInstance,
  listValue,
  timestampValue,
  type DuckDBConnection,
  type DuckDBValue,
} from '@duckdb/node-api';
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { FRAME_COLUMNS, type FrameColumn } from '../../../pipeline/formats/tables/frame-columns.js';
import { frameSize, type CsiBlock } from '../../../pipeline/model/index.js';
import { quoted } from '../../../sinks/shared/quoted.js';
import { thereAlready, writingFile } from './errors.js';

/** Rows passed at a time; DuckDB's limit is 2,048. */
const CHUNK_ROWS = 1024;

/** Data about frames that blocks do not contain. */
export interface FrameOrigin {
  readonly origin: string;
  /** The sender of a link, by its number; null if none is named. */
  readonly senderOf: (link: number) => string | null;
}

/**
 * Writes frames as rows of a Parquet file, ordered by time. Rows wait in a database beside it; the file is
 * written atomically.
 */
export class ParquetWriter {
  readonly #path: string;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  #rows = 0;

  private constructor(path: string, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#path = path;
    this.#instance = instance;
    this.#connection = connection;
  }

  /** @throws CommandError if the file exists and `force` is not set; the system's error if it cannot be created */
  static async create(path: string, force: boolean): Promise<ParquetWriter> {
    if (!force && existsSync(path)) throw thereAlready(path);
    await removeParts(path);
    // The system describes problems of the folder more briefly than DuckDB.
    await writeFile(`${path}.part`, '');
    try {
      return await writingFile(path, () => ParquetWriter.#stage(path));
    } catch (error) {
      await removeParts(path);
      throw error;
    }
  }

  static async #stage(path: string): Promise<ParquetWriter> {
    const instance = await DuckDBInstance.create(`${path}.staging`, { memory_limit: '512MB' });
    const connection = await instance.connect();
    const columns = Object.entries(FRAME_COLUMNS).map(([name, type]) => `${name} ${type}`);
    await connection.run(`CREATE TABLE frames (${columns.join(', ')})`);
    return new ParquetWriter(path, instance, connection);
  }

  get rows(): number {
    return this.#rows;
  }

  async write(block: CsiBlock, origin: FrameOrigin): Promise<void> {
    await writingFile(this.#path, () => this.#append(block, origin));
    this.#rows += block.count;
  }

  async #append(block: CsiBlock, origin: FrameOrigin): Promise<void> {
    const appender = await this.#connection.createAppender('frames');
    try {
      const names = Object.keys(FRAME_COLUMNS) as FrameColumn[];
      const types = names.map((_, column) => appender.columnType(column));
      for (let start = 0; start < block.count; start += CHUNK_ROWS) {
        const count = Math.min(CHUNK_ROWS, block.count - start);
        const rows = Array.from({ length: count }, (_, i) => rowOf(block, start + i, origin));
        const chunk = DuckDBDataChunk.create(types, count);
        chunk.setColumns(names.map((name) => rows.map((row) => row[name])));
        appender.appendDataChunk(chunk);
        appender.flushSync();
      }
    } finally {
      appender.closeSync();
    }
  }

  /** Creates the file from all rows. */
  async finish(): Promise<void> {
    const part = `${this.#path}.part`;
    // Frames of one layout come in long runs.
    const copy = `COPY (FROM frames ORDER BY time, rowid) TO ${quoted(part)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 8192)`;
    await writingFile(this.#path, () => this.#connection.run(copy));
    await rename(part, this.#path);
  }

  async close(): Promise<void> {
    this.#connection.closeSync();
    this.#instance.closeSync();
    await removeParts(this.#path);
  }
}

async function removeParts(path: string): Promise<void> {
  for (const end of ['staging', 'staging.wal', 'part']) await rm(`${path}.${end}`, { force: true });
}

function rowOf(
  block: CsiBlock,
  i: number,
  { origin, senderOf }: FrameOrigin,
): Record<FrameColumn, DuckDBValue> {
  const { layout } = block;
  const size = frameSize(layout);
  const ofAntennas = (column: Float32Array | Uint8Array) =>
    column.subarray(i * layout.rx, (i + 1) * layout.rx);
  const antenna = ofAntennas(block.antenna);
  const agc = ofAntennas(block.agc);
  return {
    time: timestampValue(BigInt(Math.round(block.time[i]!))),
    sender: senderOf(block.link[i]!),
    origin,
    sequence: block.sequence[i]!,
    rssi: known(block.rssi[i]!),
    noise: known(block.noise[i]!),
    agc: agc.every((gain) => Number.isNaN(gain)) ? null : listValue([...agc].map(known)),
    fft_gain: known(block.fftGain[i]!),
    bits: block.bits[i] === 0 ? null : block.bits[i]!,
    antenna: antenna.every((each) => each === 255) ? null : listValue([...antenna]),
    device_time_us: known(block.deviceTime[i]!),
    instance: block.instance[i]! < 0 ? null : block.instance[i]!,
    training: layout.training,
    measurement: layout.measurement,
    bandwidth_mhz: layout.bandwidthMhz,
    centre_mhz: layout.centreMhz,
    rx: layout.rx,
    tx: layout.tx,
    subcarriers: listValue([...layout.subcarriers]),
    csi: listValue([...block.values.subarray(i * size, (i + 1) * size)]),
  };
}

/** Null for NaN. */
const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
