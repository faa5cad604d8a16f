/** Which training fields the bins of an ADR-018 packet are. */
import { espFields, LLTF_12_BIT, type EspBuffer, type EspField } from '../espressif/esp-carriers.js';
import { LltfBits } from '../espressif/esp-lltf-bits.js';
import { UNKNOWN } from '../espressif/esp-unknown.js';

/** Bins of an LLTF of a C5: 53 pairs of 8 bits, or 26 of 12 bits and a word. */
const C5_LLTF_BINS = 53;
const BINS = [C5_LLTF_BINS, 57, 64, 114, 117, 128, 188, 190, 192, 234, 245, 256, 306];
export const knownBins = (bins: number): boolean => BUFFERS.has(bins);

/** All that a packet says of its buffer, by number of bins: made once, because every frame asks for it. */
const BUFFERS = new Map<number, EspBuffer>(
  BINS.map((bins) => [bins, { ...UNKNOWN, pairs: bins, ht: false }]),
);

/**
 * The fields of `bins` pairs that begin at `start` in a datagram: it says neither chip nor channel, so the zeros
 * decide what the length leaves open. Alone and in the order of an FFT, 64 are an LLTF, which the firmware always
 * asks for.
 */
export function fieldsAt(bytes: Uint8Array, start: number, bins: number): readonly EspField[] | undefined {
  const buffer = BUFFERS.get(bins);
  if (!buffer) return undefined;
  asked.bytes = bytes;
  asked.start = start;
  const fields = espFields(buffer, isZero);
  asked.bytes = NOTHING;
  return fields;
}

/** Whose pairs {@link isZero} looks at. A function for each frame would be most of what decoding it allocates. */
const NOTHING = new Uint8Array(0);
const asked: { bytes: Uint8Array; start: number } = { bytes: NOTHING, start: 0 };
const isZero = (pair: number): boolean => {
  const at = asked.start + 2 * pair;
  return asked.bytes[at] === 0 && asked.bytes[at + 1] === 0;
};

/** Fields of bins in the order of an FFT or ascending, by which the encoder places values. */
export const sentFields = (bins: number, ascending: boolean): readonly EspField[] | undefined =>
  espFields(
    {
      ...UNKNOWN,
      ...{ pairs: bins, ht: false, wide: false },
      secondary: bins === 256 ? null : ascending ? 2 : 0,
      ascending: bins === 256 && ascending,
    },
    () => false,
  );

/** The fields of a stream's frames: an LLTF of a C5 is read by the node's last ones. */
export class FrameFields {
  /** By node. */
  readonly #lltf = new LltfBits();

  /** @param start of the pairs in `bytes`. Returns 'bits' for a frame that contradicts those before it */
  of(bytes: Uint8Array, start: number, bins: number, node: number): readonly EspField[] | 'bits' | undefined {
    if (bins !== C5_LLTF_BINS) return fieldsAt(bytes, start, bins);
    const words = this.#lltf.wordsOf(`${node}`, Int8Array.from(bytes.subarray(start, start + 2 * bins)));
    if (words === null) return fieldsAt(bytes, start, bins);
    return 'fault' in words ? 'bits' : LLTF_12_BIT;
  }

  snapshot(): ReturnType<LltfBits['snapshot']> {
    return this.#lltf.snapshot();
  }

  restore(state: ReturnType<LltfBits['snapshot']>): void {
    this.#lltf.restore(state);
  }
}
