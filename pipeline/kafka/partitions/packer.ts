import { constants, deflate as deflateCallback } from 'node:zlib';
import { promisify } from 'node:util';

const deflate = promisify(deflateCallback);

const BY_REPETITION = { level: 1 };
/** Only runs of one byte are found, and rare bytes take more bits: a third of the time. */
const BY_RUNS = { level: 1, strategy: constants.Z_RLE };

/** A part that keeps more than this share of its size has hardly any repetitions, such as noisy floats. */
const DENSE = 0.7;

/** So often in a row, repetitions are not looked for in a dense part. */
const SKIPS = 15;

/** Compresses the parts of checkpoints. All results are read by `inflate`. */
export class Packer {
  /** Times that repetitions will not be looked for, by the part's name. */
  readonly #skips = new Map<string, number>();

  async pack(name: string, content: Uint8Array): Promise<Buffer> {
    const skips = this.#skips.get(name) ?? 0;
    if (skips > 0) {
      this.#skips.set(name, skips - 1);
      return deflate(content, BY_RUNS);
    }
    const packed = await deflate(content, BY_REPETITION);
    if (packed.length > DENSE * content.length) this.#skips.set(name, SKIPS);
    return packed;
  }
}
