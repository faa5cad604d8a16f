import type { RawBatch } from '../../../component/index.js';
import { allocateBlock, frameSize, type CsiBlock, type CsiLayout } from '../../../model/index.js';
import { CSI_HEADER_BYTES, frameParts, isChannelCentre, knownBins, type FramePart } from './adr018-frame.js';

/** Converts the frames of a batch into one block per layout; reuses its scratch columns for all batches. */
export class FrameColumns {
  readonly #variants = new Map<number, Variant | undefined>();
  readonly #slots = new Map<string, Slot>();
  readonly #used: Slot[] = [];
  #records = new Uint32Array(64);
  #starts = new Uint32Array(64);
  #links = new Uint16Array(64);
  #frameVariants: Variant[] = [];
  /** Datagrams of frames that their records hold compressed, by index of the frame. */
  readonly #made = new Map<number, Uint8Array>();
  #count = 0;
  #lastKey = -1;
  #lastVariant: Variant | undefined;

  begin(records: number): void {
    this.#count = 0;
    this.#used.length = 0;
    this.#made.clear();
    if (records <= this.#records.length) return;
    this.#records = new Uint32Array(records);
    this.#starts = new Uint32Array(records);
    this.#links = new Uint16Array(records);
  }

  /** Layout of frames with these bins, antennas, frequency and order; undefined if there are no such frames. */
  variant(bins: number, antennas: number, mhz: number, ascending: boolean): Variant | undefined {
    const key = (mhz * 1024 + bins) * 16 + antennas * 2 + Number(ascending);
    if (key === this.#lastKey) return this.#lastVariant;
    // Checked before anything is stored: data from a stranger must not make the map grow.
    if (antennas < 1 || antennas > 4 || !knownBins(bins) || !isChannelCentre(mhz)) return undefined;
    let variant = this.#variants.get(key);
    if (!variant) {
      variant = this.#newVariant(bins, antennas, mhz, ascending);
      this.#variants.set(key, variant);
    }
    this.#lastKey = key;
    this.#lastVariant = variant;
    return variant;
  }

  /**
   * Adds the frame of record `record`, whose first pair is at `start` in the batch's bytes.
   * @param made datagram of the frame if the record holds it compressed; `start` is then in it
   */
  add(record: number, start: number, link: number, variant: Variant, made?: Uint8Array): void {
    const index = this.#count++;
    if (made) this.#made.set(index, made);
    this.#records[index] = record;
    this.#starts[index] = start;
    this.#links[index] = link;
    this.#frameVariants[index] = variant;
    for (const slot of variant.slots) if (slot.count++ === 0) this.#used.push(slot);
  }

  blocks(raw: RawBatch): readonly CsiBlock[] {
    const bytes = signed(raw.bytes);
    for (const slot of this.#used) slot.block = allocateBlock(slot.layout, slot.count);
    for (let index = 0; index < this.#count; index++) {
      const made = this.#made.get(index);
      if (made) this.#fill(raw, made, signed(made), 0, index);
      else this.#fill(raw, raw.bytes, bytes, raw.offsets[this.#records[index]!]!, index);
    }
    return this.#used.map((slot) => slot.take());
  }

  /** @param header where the datagram begins in `unsigned` and in `bytes`, which are the same bytes */
  #fill(raw: RawBatch, unsigned: Uint8Array, bytes: Int8Array, header: number, index: number): void {
    const record = this.#records[index]!;
    const variant = this.#frameVariants[index]!;
    const start = this.#starts[index]!;
    const rssi = bytes[header + 16]!;
    const noise = bytes[header + 17]!;
    const sequence =
      (unsigned[header + 12]! |
        (unsigned[header + 13]! << 8) |
        (unsigned[header + 14]! << 16) |
        (unsigned[header + 15]! << 24)) >>>
      0;
    const deviceTime = stampBefore(unsigned, header, start);
    for (let p = 0; p < variant.slots.length; p++) {
      const slot = variant.slots[p]!;
      const block = slot.block!;
      const row = slot.filled++;
      block.time[row] = raw.time[record]!;
      block.link[row] = this.#links[index]!;
      block.sequence[row] = sequence;
      // No receiver measures 0 dBm or more: 0 means that nothing was measured.
      if (rssi < 0) block.rssi[row] = rssi;
      if (noise < 0) block.noise[row] = noise;
      block.deviceTime[row] = deviceTime;
      block.bits[row] = 8;
      copyPairs(bytes, start, variant, variant.parts[p]!.offsets, block.values, row * slot.size);
    }
  }

  #newVariant(bins: number, antennas: number, mhz: number, ascending: boolean): Variant {
    const parts = frameParts(bins, antennas, mhz, ascending)!;
    const slots = parts.map(({ layout }) => {
      const slot = this.#slots.get(layout.key) ?? new Slot(layout);
      this.#slots.set(layout.key, slot);
      return slot;
    });
    return { antennas, stride: bins * 2, parts, slots };
  }
}

const signed = (bytes: Uint8Array): Int8Array =>
  new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The node's own clock, microseconds, if the frame has it between the header and the first pair; otherwise NaN. */
function stampBefore(bytes: Uint8Array, header: number, start: number): number {
  if (start - header === CSI_HEADER_BYTES) return NaN;
  const word = (at: number): number =>
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  return word(start - 8) + word(start - 4) * 2 ** 32;
}

/** (imaginary, real) bytes of the active bins to (re, im) values, subcarriers ascending. */
function copyPairs(
  bytes: Int8Array,
  start: number,
  { antennas, stride }: Variant,
  offsets: Uint16Array,
  values: Float32Array,
  at: number,
): void {
  const { length } = offsets;
  for (let antenna = 0; antenna < antennas; antenna++, start += stride) {
    for (let i = 0; i < length; i++) {
      const from = start + offsets[i]!;
      values[at++] = bytes[from + 1]!;
      values[at++] = bytes[from]!;
    }
  }
}

/** Properties shared by frames with the same bins, antennas and frequency. */
interface Variant {
  readonly antennas: number;
  /** Bytes between the pairs of two antennas. */
  readonly stride: number;
  readonly parts: readonly FramePart[];
  readonly slots: readonly Slot[];
}

/** The block of one layout during the decoding of a batch. */
class Slot {
  readonly layout: CsiLayout;
  readonly size: number;
  count = 0;
  filled = 0;
  block: CsiBlock | undefined;

  constructor(layout: CsiLayout) {
    this.layout = layout;
    this.size = frameSize(layout);
  }

  take(): CsiBlock {
    const block = this.block!;
    this.block = undefined;
    this.count = 0;
    this.filled = 0;
    return block;
  }
}
