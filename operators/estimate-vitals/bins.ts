import type { Window, WindowLink } from '../../pipeline/model/index.js';

/** Microseconds per bin: five a second, fast enough for breathing, slow enough to average out noise. */
export const BIN = 200_000;
/** Columns of a link: neighbouring subcarriers of an antenna are similar and are averaged. */
const MAX_COLUMNS = 16;

/** The last bins of one link, the oldest first. */
export interface Series {
  /** [column][bin]: amplitude relative to that of all subcarriers of the antenna, about 1. */
  readonly columns: readonly Float32Array[];
}

export interface LinkBinsState {
  readonly id: string;
  readonly layout: string;
  readonly columns: number;
  readonly since: number;
  readonly rings: Float32Array;
  readonly valid: Uint8Array;
  readonly sums: Float64Array;
  readonly points: number;
}

/** Amplitudes of one link in bins, as a ring. A bin without a measurement repeats the previous one. */
export class LinkBins {
  readonly layout: string;
  readonly #id: string;
  readonly #length: number;
  readonly #columns: number;
  /** First bin. */
  readonly #since: number;
  /** [column][bin modulo length]. */
  readonly #rings: Float32Array;
  readonly #valid: Uint8Array;
  /** For the open bin. */
  readonly #sums: Float64Array;
  #points = 0;

  constructor({ id, layout, columns, since, rings, valid, sums, points }: LinkBinsState) {
    this.#id = id;
    this.layout = layout;
    this.#length = valid.length;
    this.#columns = columns;
    this.#since = since;
    this.#rings = rings.slice();
    this.#valid = valid.slice();
    this.#sums = sums.slice();
    this.#points = points;
  }

  static of({ id, layout, rx, tx }: WindowLink, length: number, since: number): LinkBins {
    const antennas = Math.min(rx * tx, MAX_COLUMNS);
    const columns = antennas * Math.floor(MAX_COLUMNS / antennas);
    return new LinkBins({
      ...{ id, layout, columns, since, points: 0 },
      rings: new Float32Array(columns * length),
      valid: new Uint8Array(length),
      sums: new Float64Array(columns),
    });
  }

  /** Adds point `at` of a window to the open bin; skips gaps and values that are not numbers. */
  add({ rx, tx, subcarriers, values, gaps }: Window['links'][number], at: number): void {
    if (gaps[at] !== 0) return;
    const antennas = Math.min(rx * tx, MAX_COLUMNS);
    const size = subcarriers.length;
    const groups = this.#columns / antennas;
    for (let antenna = 0; antenna < antennas; antenna++)
      if (!(levelOf(values, 2 * size * (at * rx * tx + antenna), size) > 0)) return;
    for (let antenna = 0; antenna < antennas; antenna++) {
      const from = 2 * size * (at * rx * tx + antenna);
      const scale = 1 / levelOf(values, from, size);
      for (let k = 0; k < size; k++) {
        // With fewer subcarriers than groups, some groups stay empty.
        const group = Math.floor((k * groups) / size);
        const width = Math.ceil(((group + 1) * size) / groups) - Math.ceil((group * size) / groups);
        const amplitude = Math.sqrt(values[from + 2 * k]! ** 2 + values[from + 2 * k + 1]! ** 2);
        this.#sums[antenna * groups + group]! += (amplitude * scale) / width;
      }
    }
    this.#points++;
  }

  /** Closes bin `bin`. */
  close(bin: number): void {
    const slot = bin % this.#length;
    const before = (bin + this.#length - 1) % this.#length;
    for (let column = 0; column < this.#columns; column++) {
      const row = column * this.#length;
      this.#rings[row + slot] =
        this.#points > 0 ? this.#sums[column]! / this.#points : this.#rings[row + before]!;
    }
    this.#valid[slot] = this.#points > 0 ? 1 : 0;
    this.#sums.fill(0);
    this.#points = 0;
  }

  /** The bins up to `bin`, excluded; null if the link was absent for part of that time or had too many gaps. */
  before(bin: number): Series | null {
    if (bin - this.#since < this.#length) return null;
    let measured = 0;
    for (const valid of this.#valid) measured += valid;
    if (measured < MIN_MEASURED * this.#length) return null;
    const from = bin % this.#length;
    const columns = Array.from({ length: this.#columns }, (_, column) => {
      const ring = this.#rings.subarray(column * this.#length, (column + 1) * this.#length);
      const series = new Float32Array(this.#length);
      series.set(ring.subarray(from));
      series.set(ring.subarray(0, from), this.#length - from);
      return series;
    });
    return { columns };
  }

  snapshot(): LinkBinsState {
    return {
      id: this.#id,
      layout: this.layout,
      columns: this.#columns,
      since: this.#since,
      rings: this.#rings.slice(),
      valid: this.#valid.slice(),
      sums: this.#sums.slice(),
      points: this.#points,
    };
  }
}

/** Share of bins that must hold a measurement. */
const MIN_MEASURED = 0.9;

/** Mean amplitude over subcarriers. */
function levelOf(values: Float32Array, from: number, size: number): number {
  let sum = 0;
  for (let i = from; i < from + 2 * size; i += 2) sum += Math.sqrt(values[i]! ** 2 + values[i + 1]! ** 2);
  return sum / size;
}
