import { csiLayout, type CsiLayout } from '../../model/index.js';
import { describeArray, type TableArray } from './arrays.js';
import { MappingError, type Axis, type TableMapping } from './mapping.js';

/** Meaning of each axis; null for axes of length 1. */
export function axesOf(values: TableArray, { axes }: TableMapping): readonly (Axis | null)[] {
  const long = values.shape.filter((length) => length !== 1).length;
  const given: readonly Axis[] | undefined = axes ?? (long === 2 ? ['time', 'subcarrier'] : undefined);
  if (given?.length === values.shape.length) return given;
  if (given?.length !== long)
    throw new MappingError(
      'axes',
      `${describeArray(values)} has ${values.shape.length} axes: name them, as in \`axes: [${EXAMPLES[values.shape.length] ?? 'time, subcarrier'}]\``,
    );
  const rest = [...given];
  return values.shape.map((length) => (length === 1 ? null : rest.shift()!));
}

const EXAMPLES: Readonly<Record<number, string>> = {
  3: 'time, rx, subcarrier',
  4: 'time, rx, tx, subcarrier',
  5: 'time, rx, tx, subcarrier, part',
};

/** An array of measurements with known axes. */
export class Grid {
  readonly frames: number;
  readonly layout: CsiLayout;
  readonly #array: TableArray;
  readonly #times: readonly { readonly length: number; readonly stride: number }[];
  readonly #stride: Readonly<Record<'rx' | 'tx' | 'subcarrier' | 'part', number>>;
  /** Index in the array of each carrier of the layout. */
  readonly #order: readonly number[];
  readonly #numbers: NonNullable<TableMapping['numbers']>;

  constructor(array: TableArray, axes: readonly (Axis | null)[], mapping: TableMapping) {
    this.#array = array;
    this.#numbers = mapping.numbers ?? 'auto';
    const lengthOf = (axis: Axis) => {
      const at = axes.indexOf(axis);
      return at < 0 ? 1 : array.shape[at]!;
    };
    const strideOf = (axis: Axis) => {
      const at = axes.indexOf(axis);
      return at < 0 ? 0 : array.strides[at]!;
    };
    for (const axis of ['rx', 'tx', 'subcarrier', 'part'] as const)
      if (axes.filter((each) => each === axis).length > 1)
        throw new MappingError('axes', `\`${axis}\` occurs twice; only \`time\` may`);
    this.#times = axes.flatMap((axis, at) =>
      axis === 'time' ? [{ length: array.shape[at]!, stride: array.strides[at]! }] : [],
    );
    this.frames = this.#times.reduce((product, { length }) => product * length, 1);
    const alternates = this.#isPairs && !axes.includes('part');
    this.#stride = {
      rx: strideOf('rx'),
      tx: strideOf('tx'),
      subcarrier: strideOf('subcarrier') * (alternates ? 2 : 1),
      part: alternates ? strideOf('subcarrier') : strideOf('part'),
    };
    if (axes.includes('part') && (!this.#isPairs || lengthOf('part') !== 2))
      throw new MappingError(
        'numbers',
        `the axis \`part\` of ${describeArray(array)} needs the length 2, and \`numbers: real-imaginary\` or \`imaginary-real\``,
      );
    const carriers = lengthOf('subcarrier') / (alternates ? 2 : 1);
    const { subcarriers = evenly(carriers) } = mapping;
    this.#order = Array.from(subcarriers.keys()).sort((a, b) => subcarriers[a]! - subcarriers[b]!);
    this.layout = layoutOf(array, lengthOf('rx'), lengthOf('tx'), carriers, mapping);
  }

  get #isPairs(): boolean {
    return this.#numbers === 'real-imaginary' || this.#numbers === 'imaginary-real';
  }

  /** [rx, tx, subcarrier, (re, im)] of a frame. */
  read(frame: number, imaginary: Grid | null, phase: Grid | null): Float32Array {
    const { rx, tx, subcarriers } = this.layout;
    const out = new Float32Array(rx * tx * subcarriers.length * 2);
    let to = 0;
    for (let r = 0; r < rx; r++)
      for (let t = 0; t < tx; t++)
        for (let k = 0; k < subcarriers.length; k++) {
          const [re, im] = this.#value(this.#offset(frame, r, t, k));
          const other = (imaginary ?? phase)?.first(frame, r, t, k) ?? 0;
          out[to++] = phase ? re * Math.cos(other) : re;
          out[to++] = phase ? re * Math.sin(other) : imaginary ? other : im;
        }
    return out;
  }

  /** The number as stored in the array. */
  first(frame: number, r: number, t: number, k: number): number {
    return this.#array.re[this.#offset(frame, r, t, k)]!;
  }

  #value(at: number): readonly [re: number, im: number] {
    const { re, im } = this.#array;
    const value = re[at]!;
    const other = re[at + this.#stride.part]!;
    switch (this.#numbers) {
      case 'real-imaginary':
        return [value, other];
      case 'imaginary-real':
        return [other, value];
      case 'decibels':
        return [10 ** (value / 20), 0];
      case 'amplitude':
        return [im ? Math.hypot(value, im[at]!) : value, 0];
      case 'auto':
        return [value, im ? im[at]! : 0];
    }
  }

  #offset(frame: number, r: number, t: number, k: number): number {
    let at = r * this.#stride.rx + t * this.#stride.tx + this.#order[k]! * this.#stride.subcarrier;
    for (let i = this.#times.length - 1, rest = frame; i >= 0; i--) {
      const { length, stride } = this.#times[i]!;
      at += (rest % length) * stride;
      rest = Math.floor(rest / length);
    }
    return at;
  }
}

/** Carriers of a symbol by the width of the channel, 312.5 kHz apart. */
const WIDTHS = [20, 40, 80, 160] as const;
/** Limits of a frame. */
const MAX_ANTENNAS = 16;
const MAX_CARRIERS = 4096;

function layoutOf(
  array: TableArray,
  rx: number,
  tx: number,
  carriers: number,
  mapping: TableMapping,
): CsiLayout {
  const { centre_mhz: centreMhz = 2437 } = mapping;
  const subcarriers = [...(mapping.subcarriers ?? evenly(carriers))].sort((a, b) => a - b);
  if (!Number.isInteger(carriers) || carriers > MAX_CARRIERS || rx > MAX_ANTENNAS || tx > MAX_ANTENNAS)
    throw new MappingError(
      'axes',
      `${describeArray(array)} would have ${rx} x ${tx} antennas and ${carriers} carriers: at most ${MAX_ANTENNAS} and ${MAX_CARRIERS}, in pairs for alternating parts`,
    );
  if (subcarriers.length !== carriers)
    throw new MappingError(
      'subcarriers',
      `they are ${subcarriers.length}, ${describeArray(array)} has ${carriers} carriers`,
    );
  if (subcarriers.some((index, i) => i > 0 && index === subcarriers[i - 1]))
    throw new MappingError('subcarriers', 'one occurs twice');
  const bandwidthMhz =
    mapping.bandwidth_mhz ?? WIDTHS.find((width) => carriers <= width * 3.2) ?? WIDTHS.at(-1)!;
  return csiLayout({ rx, tx, subcarriers, bandwidthMhz, centreMhz, training: 'ht-ltf' });
}

/** As many on each side of the centre, which is itself omitted if their number is even. */
function evenly(carriers: number): number[] {
  const half = Math.floor(carriers / 2);
  const all = Array.from({ length: 2 * half + 1 }, (_, i) => i - half);
  return carriers % 2 === 0 ? all.filter((index) => index !== 0) : all;
}
