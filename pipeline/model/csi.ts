import { carrierRuns, carriersIn } from './carrier-runs.js';

/**
 * Channel state information as columns. An object per frame costs more than the mathematics on it,
 * and a column can be handed to a worker or a tensor without a copy.
 */

/** The part of the packet that the channel was estimated from. Blocks of different fields never mix. */
export const TRAINING_FIELDS = ['lltf', 'ht-ltf', 'stbc-ht-ltf', 'vht-ltf', 'he-ltf', 'eht-ltf'] as const;
export type TrainingField = (typeof TRAINING_FIELDS)[number];

/**
 * What was measured. A `channel-estimate` is a receiver's estimate from a training field. A
 * `beamforming-report` is the unitary matrix that a station reports to its access point: it has no absolute
 * amplitude, no common phase and no time of flight. Blocks of different kinds never mix.
 */
export type Measurement = 'channel-estimate' | 'beamforming-report';

/** What all frames of a block have in common. Compare layouts by `key`, never by identity. */
export interface CsiLayout {
  /** Stable text of all the fields below: equal keys mean equal layouts, in every process. */
  readonly key: string;
  /** Receive antennas. */
  readonly rx: number;
  /** Transmit streams. */
  readonly tx: number;
  /** Index of each subcarrier relative to the centre of the channel, ascending; spacing 312.5 kHz (HE, EHT: 78.125 kHz). */
  readonly subcarriers: Int16Array;
  readonly bandwidthMhz: number;
  readonly centreMhz: number;
  readonly training: TrainingField;
  readonly measurement: Measurement;
}

/** Frames of one layout, covering a contiguous range of a source's positions. Immutable. */
export interface CsiBlock {
  readonly port: 'csi';
  readonly layout: CsiLayout;
  readonly count: number;
  /** Event time, microseconds since 1970. */
  readonly time: Float64Array;
  /** Index in the topology's {@link LinkTable}. Valid in one process only: snapshots and stores use link ids. */
  readonly link: Uint16Array;
  /** As sent; gaps are counted as loss by the source. */
  readonly sequence: Uint32Array;
  /** dBm, NaN if the format does not carry it. */
  readonly rssi: Float32Array;
  /** dBm, NaN if unknown. */
  readonly noise: Float32Array;
  /** The receiver's own clock, microseconds, as sent: it can wrap and restart. NaN if unknown. */
  readonly deviceTime: Float64Array;
  /** [count, rx]: gain of the receiver's analogue stages, dB (an index if the format carries only that). NaN if unknown. */
  readonly agc: Float32Array;
  /** Digital gain before the measurement was written (FFT gain of ESP32 boards), dB. NaN if unknown. */
  readonly fftGain: Float32Array;
  /** Bits per number after the sender's quantisation (for a beamforming report, per angle phi). 0 if unknown. */
  readonly bits: Uint8Array;
  /** [count, rx]: number, from 0, of the antenna connector that received each row of `values`. 255 if unknown. */
  readonly antenna: Uint8Array;
  /** The sender's number for a measurement: the dialog token of a sounding, the setup and instance of 802.11bf. -1 if there is none. */
  readonly instance: Int32Array;
  /** [count, rx, tx, subcarrier, (re, im)], row-major. */
  readonly values: Float32Array;
}

/** Number of values in one frame: rx * tx * subcarriers * 2. */
export const frameSize = (layout: CsiLayout): number => layout.rx * layout.tx * layout.subcarriers.length * 2;

/** Spacing of the subcarriers in Hz: HE and EHT symbols are four times as long as the older ones (IEEE 802.11ax 27.3). */
export const subcarrierSpacing = (training: TrainingField): number =>
  training === 'he-ltf' || training === 'eht-ltf' ? 78_125 : 312_500;

/** What makes up a layout. Without `measurement` it is a channel estimate: checkpoints of 0.1.0 know no other. */
export type LayoutFields = Omit<CsiLayout, 'key' | 'subcarriers' | 'measurement'> & {
  readonly subcarriers: ArrayLike<number>;
  readonly measurement?: Measurement;
};

/** Creates a layout and its key. */
export function csiLayout(fields: LayoutFields): CsiLayout {
  const subcarriers = Int16Array.from(fields.subcarriers);
  const { rx, tx, bandwidthMhz, centreMhz, training, measurement = 'channel-estimate' } = fields;
  // Keys of channel estimates match those in checkpoints from before other measurements existed.
  const kind = measurement === 'channel-estimate' ? '' : `/${measurement}`;
  const key = `${training}/${rx}x${tx}/${bandwidthMhz}@${centreMhz}/${carrierRuns(subcarriers)}${kind}`;
  return { key, rx, tx, subcarriers, bandwidthMhz, centreMhz, training, measurement };
}

/** The key of a layout as it is written now: 0.4.0 and before listed carriers with steps one by one. */
export function currentKey(key: string): string {
  const parts = key.split('/');
  const carriers = carriersIn(parts[CARRIERS] ?? '');
  return carriers === null ? key : parts.with(CARRIERS, carrierRuns(carriers)).join('/');
}

/** Their part of a key. */
const CARRIERS = 3;

/** Columns for `count` frames with all values unknown. A decoder fills them once; after that they do not change. */
export function allocateBlock(layout: CsiLayout, count: number): CsiBlock {
  // One allocation for the eleven small columns takes a third of the time of eleven.
  const memory = new ArrayBuffer(count * smallBytes(layout));
  const block = blockIn(layout, count, memory, new Float32Array(count * frameSize(layout)));
  for (const column of [block.deviceTime, block.rssi, block.noise, block.agc, block.fftGain])
    column.fill(NaN);
  block.instance.fill(-1);
  block.antenna.fill(UNKNOWN_ANTENNA);
  return block;
}

/** Bytes of a frame in the columns besides `values`. */
const smallBytes = ({ rx }: CsiLayout): number => 39 + 5 * rx;

/** A block as a thread hands it over: the memory of its columns. */
export interface PackedBlock {
  readonly count: number;
  /** Memory of all columns besides `values`. */
  readonly memory: ArrayBuffer;
  readonly values: ArrayBuffer;
}

/** The memory of a block that {@link allocateBlock} made, of which nothing else has a part; otherwise undefined. */
export function packBlock(block: CsiBlock): PackedBlock | undefined {
  const { layout, count, time, values } = block;
  const memory = time.buffer;
  const isWhole =
    memory.byteLength === count * smallBytes(layout) &&
    values.buffer.byteLength === values.byteLength &&
    COLUMN_NAMES.every((name) => name === 'values' || block[name].buffer === memory);
  return isWhole ? { count, memory: memory as ArrayBuffer, values: values.buffer as ArrayBuffer } : undefined;
}

/** The block of this memory. */
export const unpackBlock = (layout: CsiLayout, { count, memory, values }: PackedBlock): CsiBlock =>
  blockIn(layout, count, memory, new Float32Array(values));

function blockIn(layout: CsiLayout, count: number, memory: ArrayBuffer, values: Float32Array): CsiBlock {
  const { rx } = layout;
  let used = 0;
  const column = <T extends Column>(type: ColumnOf<T>, width = 1): T => {
    const made = new type(memory, used, count * width);
    used += made.byteLength;
    return made;
  };
  // Widest first, so that each column is aligned.
  return {
    port: 'csi',
    layout,
    count,
    time: column(Float64Array),
    deviceTime: column(Float64Array),
    sequence: column(Uint32Array),
    rssi: column(Float32Array),
    noise: column(Float32Array),
    agc: column(Float32Array, rx),
    fftGain: column(Float32Array),
    instance: column(Int32Array),
    link: column(Uint16Array),
    bits: column(Uint8Array),
    antenna: column(Uint8Array, rx),
    values,
  };
}

type Column = Columns[keyof Columns];
type ColumnOf<T> = new (memory: ArrayBuffer, start: number, length: number) => T;

export const UNKNOWN_ANTENNA = 255;

/** Frames `start` to `end` (excluded) as a block that shares the columns. */
export function sliceBlock(block: CsiBlock, start: number, end: number): CsiBlock {
  const { rx } = block.layout;
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
    deviceTime: block.deviceTime.subarray(start, end),
    agc: block.agc.subarray(start * rx, end * rx),
    fftGain: block.fftGain.subarray(start, end),
    bits: block.bits.subarray(start, end),
    antenna: block.antenna.subarray(start * rx, end * rx),
    instance: block.instance.subarray(start, end),
    values: block.values.subarray(start * size, end * size),
  };
}

type Columns = Omit<CsiBlock, 'port' | 'layout' | 'count'>;

/** Values of single frames. */
const COLUMN_NAMES = Object.keys({
  ...{ time: 0, link: 0, sequence: 0, rssi: 0, noise: 0, values: 0 },
  ...{ deviceTime: 0, agc: 0, fftGain: 0, bits: 0, antenna: 0, instance: 0 },
} satisfies Record<keyof Columns, 0>) as readonly (keyof Columns)[];

/** A block as checkpoints and dead letters hold it. Those of 0.1.0 have no columns from `deviceTime` to `instance`. */
export type StoredBlock = Pick<CsiBlock, 'count'> & Partial<Columns> & { readonly layout: LayoutFields };

/**
 * The frames `selected` of a stored block, in new memory. Columns that the writing version did not
 * have are unknown.
 */
export function storedBlock(stored: StoredBlock, selected: readonly number[]): CsiBlock {
  const block = allocateBlock(csiLayout(stored.layout), selected.length);
  for (const name of COLUMN_NAMES) {
    const [from, into] = [stored[name], block[name]];
    if (!from) continue;
    const width = from.length / stored.count;
    for (const [to, frame] of selected.entries())
      into.set(from.subarray(frame * width, (frame + 1) * width), to * width);
  }
  return block;
}
