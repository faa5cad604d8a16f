import { DuckDBListValue, type DuckDBValue } from '@duckdb/node-api';
import { csiLayout, type CsiLayout, type Measurement, type TrainingField } from '../../model/index.js';
import type { TableFrames } from './table-frames.js';

/**
 * Columns of a Parquet file of frames, one frame per row, as SQL types: written by `csiflow convert`, and
 * read without a mapping. The content of each column: docs/formats/tables.md.
 */
export const FRAME_COLUMNS = {
  time: 'TIMESTAMP',
  sender: 'VARCHAR',
  origin: 'VARCHAR',
  sequence: 'UINTEGER',
  rssi: 'FLOAT',
  noise: 'FLOAT',
  agc: 'FLOAT[]',
  fft_gain: 'FLOAT',
  bits: 'UTINYINT',
  antenna: 'UTINYINT[]',
  device_time_us: 'DOUBLE',
  instance: 'INTEGER',
  training: 'VARCHAR',
  measurement: 'VARCHAR',
  bandwidth_mhz: 'USMALLINT',
  centre_mhz: 'DOUBLE',
  rx: 'UTINYINT',
  tx: 'UTINYINT',
  subcarriers: 'SMALLINT[]',
  csi: 'FLOAT[]',
} as const;
export type FrameColumn = keyof typeof FRAME_COLUMNS;

/** True if a table has the columns that can be read as frames without a mapping. */
export const areFrameColumns = (names: readonly string[]): boolean =>
  Object.keys(FRAME_COLUMNS).every((name) => names.includes(name));

/**
 * Frames of these columns, each with its own layout.
 * @throws Error that names the row whose columns are inconsistent
 */
export function framesOfColumns(columnOf: (name: FrameColumn) => readonly DuckDBValue[]): TableFrames {
  const column = Object.fromEntries(
    Object.keys(FRAME_COLUMNS).map((name) => [name, columnOf(name as FrameColumn)]),
  ) as Readonly<Record<FrameColumn, readonly DuckDBValue[]>>;
  const layouts = column.csi.map((_, row) => layoutIn(column, row));
  return {
    count: column.csi.length,
    origin: column.origin[0] === 'simulated' ? 'simulated' : 'replay',
    layout: (frame) => layouts[frame]!,
    time: (frame) => microseconds(column.time[frame]),
    sender: (frame) => textOf(column.sender[frame]),
    rssi: (frame) => numberOr(column.rssi[frame], NaN),
    facts: (frame) => ({
      noise: numberOr(column.noise[frame], NaN),
      agc: ofAntennas(column.agc[frame], layouts[frame]!, NaN),
      fftGain: numberOr(column.fft_gain[frame], NaN),
      bits: numberOr(column.bits[frame], 0),
      antennas: ofAntennas(column.antenna[frame], layouts[frame]!, 255),
      deviceTime: numberOr(column.device_time_us[frame], NaN),
      instance: numberOr(column.instance[frame], -1),
    }),
    values: (frame) => Float32Array.from(itemsOf(column.csi[frame]), Number),
  };
}

function layoutIn(column: Readonly<Record<FrameColumn, readonly DuckDBValue[]>>, row: number): CsiLayout {
  const layout = csiLayout({
    rx: numberOr(column.rx[row], 0),
    tx: numberOr(column.tx[row], 0),
    subcarriers: itemsOf(column.subcarriers[row]).map(Number),
    bandwidthMhz: numberOr(column.bandwidth_mhz[row], 20),
    centreMhz: numberOr(column.centre_mhz[row], NaN),
    training: textOf(column.training[row]) as TrainingField,
    measurement: textOf(column.measurement[row]) as Measurement,
  });
  const { rx, tx, subcarriers } = layout;
  const expected = rx * tx * subcarriers.length * 2;
  const length = itemsOf(column.csi[row]).length;
  if (expected === 0 || length !== expected)
    throw new Error(
      `row ${row}: \`csi\` holds ${length} numbers, but ${rx} x ${tx} antennas and ${subcarriers.length} carriers make ${expected}`,
    );
  return layout;
}

const numberOr = (value: DuckDBValue | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;
const textOf = (value: DuckDBValue | undefined): string => (typeof value === 'string' ? value : '');

const itemsOf = (value: DuckDBValue | undefined): readonly DuckDBValue[] =>
  value instanceof DuckDBListValue ? value.items : [];

const ofAntennas = (
  value: DuckDBValue | undefined,
  { rx }: CsiLayout,
  otherwise: number,
): readonly number[] => Array.from({ length: rx }, (_, row) => numberOr(itemsOf(value)[row], otherwise));

const microseconds = (value: DuckDBValue | undefined): number =>
  typeof value === 'object' && value !== null && 'micros' in value ? Number(value.micros) : NaN;
