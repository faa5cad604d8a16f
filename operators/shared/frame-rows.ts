import { allocateBlock, type CsiBlock, type CsiLayout } from '../../pipeline/model/index.js';

/**
 * Rows of a block with new values: all other columns are unchanged, those of antennas are reduced to the
 * remaining antennas.
 * @param frames row of `block` that each new row comes from
 * @param antennas the remaining antennas of each new row; undefined, as a whole or for a row: all
 */
export function withRows(
  block: CsiBlock,
  frames: readonly number[],
  antennas: readonly (readonly number[] | undefined)[] | undefined,
  layout: CsiLayout,
  values: Float32Array,
): CsiBlock {
  const { rx } = block.layout;
  const taken = allocateBlock(layout, frames.length);
  for (const name of COLUMNS) {
    const [from, into] = [block[name], taken[name]];
    if (name !== 'agc' && name !== 'antenna')
      for (let row = 0; row < frames.length; row++) into[row] = from[frames[row]!]!;
    else
      for (let row = 0; row < frames.length; row++)
        for (let i = 0; i < layout.rx; i++)
          into[row * layout.rx + i] = from[frames[row]! * rx + (antennas?.[row]?.[i] ?? i)]!;
  }
  return { ...taken, values };
}

const COLUMNS = [
  'time',
  'link',
  'sequence',
  'rssi',
  'noise',
  'deviceTime',
  'agc',
  'fftGain',
  'bits',
  'antenna',
  'instance',
] as const satisfies readonly (keyof CsiBlock)[];
