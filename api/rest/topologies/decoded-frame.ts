import {
  frameSize,
  plainRecords,
  type CsiBlock,
  type Data,
  type LinkTable,
} from '../../../pipeline/model/index.js';

/** Records as a tap shows them. @param values also those of CSI frames */
export function tappedRecords(data: Data, links: LinkTable, values: boolean): readonly Tapped[] {
  const plain = plainRecords(data, links);
  if (!values || data.port !== 'csi') return plain;
  return plain.map((record, index) => ({ ...record, ...decoded(data, index) }));
}

export type Tapped = ReturnType<typeof plainRecords>[number];

/**
 * Values of a frame: `indices` of the subcarriers; `amplitudes` (in the sender's unit) and `phases` (radians),
 * [rx][tx][subcarrier].
 */
function decoded({ layout, values }: CsiBlock, index: number) {
  const size = frameSize(layout);
  const { rx, tx, subcarriers } = layout;
  const grid = (of: (re: number, im: number) => number): readonly (readonly (readonly number[])[])[] =>
    Array.from({ length: rx }, (_, row) =>
      Array.from({ length: tx }, (__, column) =>
        Array.from({ length: subcarriers.length }, (___, k) => {
          const at = index * size + ((row * tx + column) * subcarriers.length + k) * 2;
          return rounded(of(values[at]!, values[at + 1]!));
        }),
      ),
    );
  return {
    indices: [...subcarriers],
    amplitudes: grid((re, im) => Math.hypot(re, im)),
    phases: grid((re, im) => Math.atan2(im, re)),
  };
}

/** JSON has no NaN: such a value becomes null. */
const rounded = (value: number): number => Math.round(value * 1000) / 1000;
