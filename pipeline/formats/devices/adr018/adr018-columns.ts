import type { RawBatch } from '../../../component/index.js';
import { allocateBlock, frameSize, type CsiBlock, type CsiLayout } from '../../../model/index.js';
import { LLTF_12_BIT, type EspField } from '../espressif/esp-carriers.js';
import { wordAt } from '../espressif/esp-lltf-bits.js';
import { CSI_HEADER_BYTES, isChannelCentre, partsOf, type FramePart } from './adr018-frame.js';

/** Converts the frames of a batch into one block per layout; reuses its scratch columns for all batches. */
export class FrameColumns {
  readonly #variants = new Map<readonly EspField[], Map<number, Variant>>();
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
  #lastFields: readonly EspField[] | undefined;
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

  /**
   * Layout of frames with these fields, antennas and frequency; undefined if there are no such frames.
   * @param fields those of one kind of frame are the same object each time
   */
  variant(
    fields: readonly EspField[] | undefined,
    bins: number,
    antennas: number,
    mhz: number,
  ): Variant | undefined {
    const key = mhz * 8 + antennas;
    if (fields === this.#lastFields && key === this.#lastKey) return this.#lastVariant;
    // Checked before anything is stored: data from a stranger must not make the map grow.
    if (!fields || antennas < 1 || antennas > 4 || !isChannelCentre(mhz)) return undefined;
    let variants = this.#variants.get(fields);
    if (!variants) this.#variants.set(fields, (variants = new Map<number, Variant>()));
    let variant = variants.get(key);
    if (!variant) variants.set(key, (variant = this.#newVariant(fields, bins, antennas, mhz)));
    this.#lastFields = fields;
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
      block.bits[row] = variant.is12Bit ? 12 : 8;
      const copy = variant.is12Bit ? copyWords : copyPairs;
      copy(bytes, start, variant, variant.parts[p]!, block.values, row * slot.size);
    }
  }

  #newVariant(fields: readonly EspField[], bins: number, antennas: number, mhz: number): Variant {
    const parts = partsOf(fields, antennas, mhz);
    const slots = parts.map(({ layout }) => {
      const slot = this.#slots.get(layout.key) ?? new Slot(layout);
      this.#slots.set(layout.key, slot);
      return slot;
    });
    return { antennas, stride: bins * 2, parts, slots, is12Bit: fields === LLTF_12_BIT };
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
  { offsets, turned }: FramePart,
  values: Float32Array,
  at: number,
): void {
  const { length } = offsets;
  for (let antenna = 0; antenna < antennas; antenna++, start += stride) {
    for (let i = 0; i < turned; i++) {
      const from = start + offsets[i]!;
      // 0 - im, because comparisons of results distinguish -0 from 0.
      values[at++] = 0 - bytes[from]!;
      values[at++] = bytes[from + 1]!;
    }
    for (let i = turned; i < length; i++) {
      const from = start + offsets[i]!;
      values[at++] = bytes[from + 1]!;
      values[at++] = bytes[from]!;
    }
  }
}

/** The same from words of 12 bits, the real part of each pair first. */
function copyWords(
  bytes: Int8Array,
  start: number,
  { antennas, stride }: Variant,
  { offsets }: FramePart,
  values: Float32Array,
  at: number,
): void {
  for (let antenna = 0; antenna < antennas; antenna++, start += stride) {
    for (const offset of offsets) {
      values[at++] = wordAt(bytes, start + offset);
      values[at++] = wordAt(bytes, start + offset + 2);
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
  /** Its bins are words of 12 bits. */
  readonly is12Bit: boolean;
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
