/**
 * Power of a series at given frequencies, as a density relative to the series' own power: its integral from 0
 * to half of the sampling rate is 1, and white noise has the same density everywhere. Linear trends are
 * removed, and a Hann window prevents strong slow parts from leaking into the others.
 */
export class Spectrum {
  readonly #frequencies: readonly number[];
  readonly #rate: number;
  readonly #window: Float64Array;
  /** [frequency][sample, (cos, sin)], with the window. */
  readonly #table: Float64Array;

  /** For series of `samples` at `rate` per second, at `frequencies` in hertz. */
  constructor(samples: number, rate: number, frequencies: readonly number[]) {
    this.#frequencies = frequencies;
    this.#rate = rate;
    this.#window = Float64Array.from(
      { length: samples },
      (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / samples),
    );
    this.#table = new Float64Array(2 * samples * frequencies.length);
    frequencies.forEach((frequency, j) => {
      for (let i = 0; i < samples; i++) {
        const turn = (2 * Math.PI * frequency * i) / rate;
        this.#table[2 * (j * samples + i)] = this.#window[i]! * Math.cos(turn);
        this.#table[2 * (j * samples + i) + 1] = this.#window[i]! * Math.sin(turn);
      }
    });
  }

  /** Per hertz, one value per frequency; zeros for a constant series. */
  of(series: Float32Array): Float64Array {
    const rest = withoutLine(series);
    const samples = rest.length;
    const power = new Float64Array(this.#frequencies.length);
    let energy = 0;
    for (let i = 0; i < samples; i++) energy += (rest[i]! * this.#window[i]!) ** 2;
    if (!(energy > 0)) return power;
    for (let j = 0; j < power.length; j++) {
      let re = 0;
      let im = 0;
      for (let i = 0, at = 2 * j * samples; i < samples; i++, at += 2) {
        re += rest[i]! * this.#table[at]!;
        im += rest[i]! * this.#table[at + 1]!;
      }
      power[j] = (re * re + im * im) / ((energy * this.#rate) / 2);
    }
    return power;
  }
}

/** The series less its least-squares line. */
function withoutLine(series: Float32Array): Float64Array {
  const middle = (series.length - 1) / 2;
  let sum = 0;
  let products = 0;
  let squares = 0;
  for (let i = 0; i < series.length; i++) {
    sum += series[i]!;
    products += (i - middle) * series[i]!;
    squares += (i - middle) ** 2;
  }
  const mean = sum / series.length;
  const slope = products / squares;
  return Float64Array.from(series, (value, i) => value - mean - slope * (i - middle));
}
