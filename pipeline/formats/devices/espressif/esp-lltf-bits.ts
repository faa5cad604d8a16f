import type { ReadFault } from '../../decoder/frame-decoder.js';
import type { EspNumbers } from './esp-values.js';

/** Numbers of an LLTF of a C5 or C61: bytes, of 8 or 12 bits, and words of 12 bits. */
export const LLTF_NUMBERS = 106;
export const LLTF_WORDS = 52;

/** Frames of a sender that decide. */
const FRAMES = 10;
/** Senders beyond these are decided by each frame alone. */
const MAX_SENDERS = 256;

/**
 * Whether a sender's LLTFs (C5, C61) of 106 bytes hold 8 or 12 bits: nothing in a frame says so. In a 12-bit one,
 * the upper half of every second byte is empty. A weak 8-bit one may look the same, so the last ten frames of the
 * sender decide, or as many as there are. The order within a 12-bit pair is not documented: according to the
 * vendor and pyespargos, the real part is first; the vendor's viewer reads it second.
 */
export class LltfBits {
  /** By sender: for each of its last frames, the newest last, whether it looks like 12 bits. */
  readonly #seen = new Map<string, boolean[]>();

  /** The words of a 12-bit LLTF; null for others; a fault if a frame contradicts those before it. */
  wordsOf(sender: string, numbers: EspNumbers): Int16Array | ReadFault | null {
    if (numbers.length === LLTF_WORDS) return Int16Array.from(numbers);
    if (numbers.length !== LLTF_NUMBERS) return null;
    const looks = looksLikeTwelve(numbers);
    const seen = this.#see(sender, looks);
    const isTwelve = 2 * seen.filter(Boolean).length > seen.length;
    if (looks) return isTwelve ? wordsIn(numbers) : null;
    return isTwelve && seen.length === FRAMES ? CONTRADICTION : null;
  }

  snapshot(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#seen].map(([sender, seen]) => [sender, seen.map(Number).join('')]));
  }

  restore(state: Readonly<Record<string, string>>): void {
    this.#seen.clear();
    for (const [sender, seen] of Object.entries(state))
      this.#seen.set(
        sender,
        Array.from(seen, (one) => one === '1'),
      );
  }

  #see(sender: string, looks: boolean): readonly boolean[] {
    let seen = this.#seen.get(sender);
    if (!seen) {
      seen = [];
      if (this.#seen.size < MAX_SENDERS) this.#seen.set(sender, seen);
    }
    if (seen.push(looks) > FRAMES) seen.shift();
    return seen;
  }
}

export const CONTRADICTION: ReadFault = {
  fault: 'bits',
  reason:
    'the upper half of every second byte is not empty, unlike in most of the ten frames of this sender up to here, which hold 12 bits: the line is damaged, or the chip was set to 8 bits',
};

function looksLikeTwelve(numbers: EspNumbers): boolean {
  for (let i = 1; i < LLTF_NUMBERS; i += 2) if (numbers[i]! < 0 || numbers[i]! > 15) return false;
  return true;
}

/** The words of a 12-bit LLTF, if this frame alone looks like one; null for others. */
export const wordsOfFrame = (numbers: EspNumbers): Int16Array | null =>
  numbers.length === LLTF_NUMBERS && looksLikeTwelve(numbers) ? wordsIn(numbers) : null;

const wordsIn = (numbers: EspNumbers): Int16Array =>
  Int16Array.from({ length: LLTF_WORDS }, (_, i) => wordAt(numbers, 2 * i));

/** The signed word of 12 bits in the bytes at `at` and `at + 1`. */
export const wordAt = (bytes: EspNumbers, at: number): number =>
  (((bytes[at]! & 0xff) | (bytes[at + 1]! << 8)) << 20) >> 20;
