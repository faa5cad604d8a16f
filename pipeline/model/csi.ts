/**
 * Channel state information as columns. An object per frame costs more than the mathematics on it,
 * and a column can be handed to a worker or a tensor without a copy.
 */

/** The part of the packet that the channel was estimated from. Blocks of different fields never mix. */
export type TrainingField = 'lltf' | 'ht-ltf' | 'stbc-ht-ltf' | 'vht-ltf' | 'he-ltf';

/** What all frames of a block have in common. Layouts are compared by `key`, never by identity. */
export interface CsiLayout {
  /** Stable text of all the fields below: equal keys mean equal layouts, in all processes. */
  readonly key: string;
  /** Receive antennas. */
  readonly rx: number;
  /** Transmit streams. */
  readonly tx: number;
  /** Index of each subcarrier relative to the centre of the channel, ascending; spacing 312.5 kHz (HE: 78.125 kHz). */
  readonly subcarriers: Int16Array;
  readonly bandwidthMhz: number;
  readonly centreMhz: number;
  readonly training: TrainingField;
}

/** Frames of one layout, covering a contiguous range of a source's positions. Immutable. */
export interface CsiBlock {
  readonly port: 'csi';
  readonly layout: CsiLayout;
  readonly count: number;
  /** Event time, microseconds since 1970. */
  readonly time: Float64Array;
  /** Index in the topology's {@link LinkTable}. Lives in one process only: snapshots and stores use link ids. */
  readonly link: Uint16Array;
  /** As sent; gaps are counted as loss by the source. */
  readonly sequence: Uint32Array;
  /** dBm, NaN where the format does not know it. */
  readonly rssi: Float32Array;
  /** dBm, NaN where unknown. */
  readonly noise: Float32Array;
  /** [count, rx, tx, subcarrier, (re, im)], row-major. */
  readonly values: Float32Array;
}

/** Numbers of values of one frame: rx * tx * subcarriers * 2. */
export const frameSize = (layout: CsiLayout): number => layout.rx * layout.tx * layout.subcarriers.length * 2;

/** Spacing of the subcarriers in Hz: HE symbols are four times as long as the older ones (IEEE 802.11ax 27.3). */
export const subcarrierSpacing = (training: TrainingField): number =>
  training === 'he-ltf' ? 78_125 : 312_500;

/** Makes a layout and its key. */
export function csiLayout(
  fields: Omit<CsiLayout, 'key' | 'subcarriers'> & { subcarriers: ArrayLike<number> },
): CsiLayout {
  const subcarriers = Int16Array.from(fields.subcarriers);
  const { rx, tx, bandwidthMhz, centreMhz, training } = fields;
  const key = `${training}/${rx}x${tx}/${bandwidthMhz}@${centreMhz}/${runs(subcarriers)}`;
  return { key, rx, tx, subcarriers, bandwidthMhz, centreMhz, training };
}

/** `-26..-1,1..26`: ascending indices as runs of step 1. */
function runs(indices: Int16Array): string {
  const parts: string[] = [];
  for (let start = 0, end = 0; start < indices.length; start = end + 1) {
    end = start;
    while (end + 1 < indices.length && indices[end + 1] === indices[end]! + 1) end++;
    parts.push(start === end ? `${indices[start]!}` : `${indices[start]!}..${indices[end]!}`);
  }
  return parts.join(',');
}

/** Empty columns for `count` frames, to be filled by a decoder and then no longer changed. */
export function allocateBlock(layout: CsiLayout, count: number): CsiBlock {
  return {
    port: 'csi',
    layout,
    count,
    time: new Float64Array(count),
    link: new Uint16Array(count),
    sequence: new Uint32Array(count),
    rssi: new Float32Array(count).fill(NaN),
    noise: new Float32Array(count).fill(NaN),
    values: new Float32Array(count * frameSize(layout)),
  };
}

/** Frames `start` to `end` (excluded) as a block that shares the columns. */
export function sliceBlock(block: CsiBlock, start: number, end: number): CsiBlock {
  const size = frameSize(block.layout);
  return {
    port: 'csi',
    layout: block.layout,
    count: end - start,
    time: block.time.subarray(start, end),
    link: block.link.subarray(start, end),
    sequence: block.sequence.subarray(start, end),
    rssi: block.rssi.subarray(start, end),
    noise: block.noise.subarray(start, end),
    values: block.values.subarray(start * size, end * size),
  };
}
