import { frameParts, type FramePart } from './adr018-frame.js';
import { xor } from './adr018-delta.js';

/** Which frame a compressed packet is decoded against: the one that fits best, or the newest. */
export type Reference = 'fitting' | 'newest';

/** Frames of a node and a length, beyond which none is the reference of a packet. */
const KNOWN = 8;

/** A result may be this much rougher than the roughest of the known frames. */
const TOLERANCE = 1.2;

/** The newest frames of one node and length, as their pairs in the order of the datagram; oldest first. */
export class KnownFrames {
  readonly #parts: readonly FramePart[];
  readonly #frames: Uint8Array[] = [];

  /** @param bytes length of the pairs, of one antenna: the firmware compresses no others */
  constructor(bytes: number) {
    // The carriers are the same at every frequency.
    this.#parts = frameParts(bytes / 2, 1, 2437) ?? [];
  }

  see(bytes: Uint8Array, start = 0, length = bytes.length): void {
    // Moves the oldest one's memory to the end, and makes no view: this is done for each frame.
    const frame = this.#frames.length < KNOWN ? new Uint8Array(length) : this.#frames.shift()!;
    for (let i = 0; i < length; i++) frame[i] = bytes[start + i]!;
    this.#frames.push(frame);
  }

  /** True if two known frames have this difference: the packet then is a copy of the later one. */
  hasCopy(delta: Uint8Array): boolean {
    return this.#frames.some((later, at) =>
      this.#frames
        .slice(0, at)
        .some((earlier) => later.every((byte, i) => (byte ^ earlier[i]!) === delta[i])),
    );
  }

  /** The frame that differs by `delta` from its reference; undefined if that is not known. */
  restore(delta: Uint8Array, reference: Reference): Uint8Array | undefined {
    const newest = this.#frames.at(-1);
    if (!newest || reference === 'newest') return newest && xor(newest, delta);
    const results = this.#frames.map((frame) => xor(frame, delta));
    const rough = results.map((result) => this.#roughness(result));
    const least = Math.min(...rough);
    const limit = TOLERANCE * Math.max(...this.#frames.map((frame) => this.#roughness(frame)));
    return least <= limit ? results[rough.lastIndexOf(least)] : undefined;
  }

  snapshot(): readonly string[] {
    return this.#frames.map((frame) => Buffer.from(frame).toString('base64'));
  }

  /**
   * Power of the second difference over neighbouring carriers, as a share of their power. A channel is
   * smooth over its carriers; with the wrong reference, bits of each value are flipped at random.
   */
  #roughness(pairs: Uint8Array): number {
    const values = new Int8Array(pairs.buffer, pairs.byteOffset, pairs.length);
    let bend = 0;
    let power = 0;
    for (const { offsets, layout } of this.#parts) {
      const { subcarriers } = layout;
      for (let i = 1; i < offsets.length - 1; i++) {
        if (subcarriers[i + 1]! - subcarriers[i - 1]! !== 2) continue;
        for (let part = 0; part < 2; part++) {
          const value = values[offsets[i]! + part]!;
          bend += (values[offsets[i - 1]! + part]! - 2 * value + values[offsets[i + 1]! + part]!) ** 2;
          power += value ** 2;
        }
      }
    }
    return power === 0 ? 0 : bend / power;
  }
}
