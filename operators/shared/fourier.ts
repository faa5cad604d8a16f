/**
 * The discrete Fourier transform of complex series of one length: splits while the length is even, then
 * computes the sum directly.
 */
export class Fourier {
  readonly #length: number;
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  /** (re, im) of each frequency, from 0 up; negative ones are in the upper half. */
  readonly output: Float64Array;

  constructor(length: number) {
    this.#length = length;
    this.#cos = Float64Array.from({ length }, (_, i) => Math.cos((2 * Math.PI * i) / length));
    this.#sin = Float64Array.from({ length }, (_, i) => -Math.sin((2 * Math.PI * i) / length));
    this.output = new Float64Array(2 * length);
  }

  /** Transforms `input`, (re, im) of each sample, to {@link output}. */
  transform(input: Float64Array): void {
    this.#part(input, 0, 1, this.#length, 0);
  }

  /** The transform of `count` samples, every `stride`th from `from` on, into `to`. */
  #part(input: Float64Array, from: number, stride: number, count: number, to: number): void {
    if (count % 2 === 1) {
      this.#sum(input, from, stride, count, to);
      return;
    }
    const half = count / 2;
    this.#part(input, from, 2 * stride, half, to);
    this.#part(input, from + stride, 2 * stride, half, to + half);
    const out = this.output;
    for (let k = 0; k < half; k++) {
      const [a, b] = [2 * (to + k), 2 * (to + half + k)];
      const [c, s] = [this.#cos[k * stride]!, this.#sin[k * stride]!];
      const re = out[b]! * c - out[b + 1]! * s;
      const im = out[b]! * s + out[b + 1]! * c;
      out[b] = out[a]! - re;
      out[b + 1] = out[a + 1]! - im;
      out[a]! += re;
      out[a + 1]! += im;
    }
  }

  #sum(input: Float64Array, from: number, stride: number, count: number, to: number): void {
    for (let k = 0; k < count; k++) {
      let re = 0;
      let im = 0;
      for (let i = 0; i < count; i++) {
        const turn = ((i * k) % count) * stride;
        const at = 2 * (from + i * stride);
        re += input[at]! * this.#cos[turn]! - input[at + 1]! * this.#sin[turn]!;
        im += input[at]! * this.#sin[turn]! + input[at + 1]! * this.#cos[turn]!;
      }
      this.output[2 * (to + k)] = re;
      this.output[2 * (to + k) + 1] = im;
    }
  }
}
