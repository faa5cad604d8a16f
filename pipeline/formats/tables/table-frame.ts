import { csiLayout, frameSize, type CsiLayout, type LayoutFields } from '../../model/index.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../decoder/frame-decoder.js';
import type { Format } from '../contract/format.js';

/**
 * One frame of a table as a record, so that the journal and captures can store it like any other.
 * Little-endian. Bytes: docs/formats/tables.md.
 */
export const tableFrame: Format = frameFormat(
  { format: 'table-frame', sequenceBits: 32, read: readRecord },
  'A frame of a table (CSV, NumPy, MATLAB, HDF5, Parquet), as csiflow records it.',
);

/** By their numbers in a record, which are 0 in older records. */
const TRAININGS = ['ht-ltf', 'lltf', 'stbc-ht-ltf', 'vht-ltf', 'he-ltf', 'eht-ltf'] as const;
const MEASUREMENTS = ['channel-estimate', 'beamforming-report'] as const;

const MAGIC = 0x46_54_43_01;
const HEADER_BYTES = 20;

/**
 * @param values [rx, tx, subcarrier, (re, im)]
 * @param rssi dBm, NaN if unknown
 */
export function encodeTableFrame(layout: CsiLayout, rssi: number, values: Float32Array): Uint8Array {
  const { rx, tx, subcarriers, bandwidthMhz, centreMhz } = layout;
  const start = valuesAt(subcarriers.length);
  const bytes = new Uint8Array(start + 4 * values.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  bytes.set([rx, tx], 4);
  view.setUint16(6, subcarriers.length, true);
  view.setUint16(8, bandwidthMhz, true);
  bytes.set([TRAININGS.indexOf(layout.training), MEASUREMENTS.indexOf(layout.measurement)], 10);
  view.setFloat32(12, centreMhz, true);
  view.setFloat32(16, rssi, true);
  subcarriers.forEach((index, i) => {
    view.setInt16(HEADER_BYTES + 2 * i, index, true);
  });
  values.forEach((value, i) => {
    view.setFloat32(start + 4 * i, value, true);
  });
  return bytes;
}

/** Values begin at a multiple of four bytes. */
const valuesAt = (carriers: number): number => HEADER_BYTES + 4 * Math.ceil(carriers / 2);

function readRecord(record: Uint8Array): ReadFrame | ReadFault {
  if (record.length < HEADER_BYTES)
    return { fault: 'truncated', reason: `shorter than its header of ${HEADER_BYTES} bytes` };
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  if (view.getUint32(0, true) !== MAGIC)
    return { fault: 'magic', reason: 'it does not begin with the expected bytes' };
  const [rx, tx, carriers] = [view.getUint8(4), view.getUint8(5), view.getUint16(6, true)];
  const length = valuesAt(carriers) + 8 * rx * tx * carriers;
  if (rx * tx * carriers === 0 || record.length !== length)
    return { fault: 'truncated', reason: `${record.length} bytes of ${length}` };
  const subcarriers = Array.from({ length: carriers }, (_, i) => view.getInt16(HEADER_BYTES + 2 * i, true));
  if (subcarriers.some((index, i) => i > 0 && index <= subcarriers[i - 1]!))
    return { fault: 'carriers', reason: 'its carriers do not ascend' };
  const [training, measurement] = [TRAININGS[view.getUint8(10)], MEASUREMENTS[view.getUint8(11)]];
  if (!training || !measurement)
    return { fault: 'layout', reason: 'it names an unknown training field or measurement' };
  const [bandwidthMhz, centreMhz] = [view.getUint16(8, true), view.getFloat32(12, true)];
  const layout = layoutOf({ rx, tx, subcarriers, bandwidthMhz, centreMhz, training, measurement });
  const body = record.slice(valuesAt(carriers));
  return {
    sequence: null,
    rssi: view.getFloat32(16, true),
    noise: NaN,
    parts: [
      {
        layout,
        fill: (values, at) => {
          const numbers = new DataView(body.buffer, body.byteOffset, body.byteLength);
          for (let i = 0; i < frameSize(layout); i++) values[at + i] = numbers.getFloat32(4 * i, true);
        },
      },
    ],
  };
}

/** The most recent one: nearly all frames of a table have the same. */
let known: CsiLayout | null = null;

function layoutOf(fields: Required<LayoutFields>): CsiLayout {
  const { subcarriers, ...rest } = fields;
  const same =
    known?.subcarriers.length === subcarriers.length &&
    Object.entries(rest).every(([name, value]) => known![name as keyof typeof rest] === value) &&
    known.subcarriers.every((index, i) => index === subcarriers[i]);
  if (!same) known = csiLayout(fields);
  return known!;
}
