import { csiLayout, frameSize, type CsiLayout, type LayoutFields } from '../../model/index.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../decoder/frame-decoder.js';
import type { Format } from '../contract/format.js';
import type { FrameFacts, TableFrames, TableRecords } from './table-frames.js';
import { viewOf } from '../../base/view-of.js';

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
/** With {@link FrameFacts} between header and carriers. */
const MAGIC_WITH_FACTS = 0x46_54_43_02;
const HEADER_BYTES = 20;

/**
 * @param values [rx, tx, subcarrier, (re, im)]
 * @param rssi dBm, NaN if unknown
 * @param facts omitted if nothing else is known
 */
export function encodeTableFrame(
  layout: CsiLayout,
  rssi: number,
  values: Float32Array,
  facts?: FrameFacts,
): Uint8Array {
  const { rx, tx, subcarriers, bandwidthMhz, centreMhz } = layout;
  const carriersAt = HEADER_BYTES + (facts ? factBytes(rx) : 0);
  const start = carriersAt + carrierBytes(subcarriers.length);
  const bytes = new Uint8Array(start + 4 * values.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, facts ? MAGIC_WITH_FACTS : MAGIC, true);
  bytes.set([rx, tx], 4);
  view.setUint16(6, subcarriers.length, true);
  view.setUint16(8, bandwidthMhz, true);
  bytes.set([TRAININGS.indexOf(layout.training), MEASUREMENTS.indexOf(layout.measurement)], 10);
  view.setFloat32(12, centreMhz, true);
  view.setFloat32(16, rssi, true);
  if (facts) writeFacts(new DataView(bytes.buffer, HEADER_BYTES), rx, facts);
  subcarriers.forEach((index, i) => {
    view.setInt16(carriersAt + 2 * i, index, true);
  });
  values.forEach((value, i) => {
    view.setFloat32(start + 4 * i, value, true);
  });
  return bytes;
}

/** The frames of a table, encoded. */
export const recordsOf = (frames: TableFrames): TableRecords => ({
  count: frames.count,
  ...(frames.origin && { origin: frames.origin }),
  format: tableFrame.name,
  time: (frame) => {
    const time = frames.time(frame);
    return Number.isFinite(time) ? time : `its time is ${time}`;
  },
  sender: (frame) => frames.sender(frame),
  record: (frame) =>
    encodeTableFrame(frames.layout(frame), frames.rssi(frame), frames.values(frame), frames.facts?.(frame)),
});

/** Values begin at a multiple of four bytes. */
const carrierBytes = (carriers: number): number => 4 * Math.ceil(carriers / 2);

/** Those of one frame, then gain and connector of each antenna, filled up to a multiple of four bytes. */
const FIXED_FACT_BYTES = 24;
const factBytes = (rx: number): number => FIXED_FACT_BYTES + 4 * rx + 4 * Math.ceil(rx / 4);

function writeFacts(view: DataView, rx: number, facts: FrameFacts): void {
  view.setFloat32(0, facts.noise, true);
  view.setFloat32(4, facts.fftGain, true);
  view.setFloat64(8, facts.deviceTime, true);
  view.setInt32(16, facts.instance, true);
  view.setUint8(20, facts.bits);
  for (let row = 0; row < rx; row++) {
    view.setFloat32(FIXED_FACT_BYTES + 4 * row, facts.agc[row]!, true);
    view.setUint8(FIXED_FACT_BYTES + 4 * rx + row, facts.antennas[row]!);
  }
}

function factsIn(view: DataView, rx: number): FrameFacts {
  return {
    noise: view.getFloat32(0, true),
    fftGain: view.getFloat32(4, true),
    deviceTime: view.getFloat64(8, true),
    instance: view.getInt32(16, true),
    bits: view.getUint8(20),
    agc: Array.from({ length: rx }, (_, row) => view.getFloat32(FIXED_FACT_BYTES + 4 * row, true)),
    antennas: Array.from({ length: rx }, (_, row) => view.getUint8(FIXED_FACT_BYTES + 4 * rx + row)),
  };
}

function readRecord(record: Uint8Array): ReadFrame | ReadFault {
  if (record.length < HEADER_BYTES)
    return { fault: 'truncated', reason: `shorter than its header of ${HEADER_BYTES} bytes` };
  const view = viewOf(record);
  const magic = view.getUint32(0, true);
  if (magic !== MAGIC && magic !== MAGIC_WITH_FACTS)
    return { fault: 'magic', reason: 'it does not begin with the expected bytes' };
  const [rx, tx, carriers] = [view.getUint8(4), view.getUint8(5), view.getUint16(6, true)];
  const carriersAt = HEADER_BYTES + (magic === MAGIC ? 0 : factBytes(rx));
  const start = carriersAt + carrierBytes(carriers);
  const length = start + 8 * rx * tx * carriers;
  if (rx * tx * carriers === 0 || record.length !== length)
    return { fault: 'truncated', reason: `${record.length} bytes of ${length}` };
  const subcarriers = Array.from({ length: carriers }, (_, i) => view.getInt16(carriersAt + 2 * i, true));
  if (subcarriers.some((index, i) => i > 0 && index <= subcarriers[i - 1]!))
    return { fault: 'carriers', reason: 'its carriers do not ascend' };
  const [training, measurement] = [TRAININGS[view.getUint8(10)], MEASUREMENTS[view.getUint8(11)]];
  if (!training || !measurement)
    return { fault: 'layout', reason: 'it names an unknown training field or measurement' };
  const [bandwidthMhz, centreMhz] = [view.getUint16(8, true), view.getFloat32(12, true)];
  const layout = layoutOf({ rx, tx, subcarriers, bandwidthMhz, centreMhz, training, measurement });
  const body = record.slice(start);
  return {
    // Wrapped at an unknown number of bits: loss cannot be computed from it.
    sequence: null,
    rssi: view.getFloat32(16, true),
    noise: NaN,
    ...(magic === MAGIC_WITH_FACTS &&
      factsIn(new DataView(record.buffer, record.byteOffset + HEADER_BYTES), rx)),
    parts: [
      {
        layout,
        fill: (values, at) => {
          const numbers = viewOf(body);
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
