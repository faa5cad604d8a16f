import { allocateBlock, type CsiBlock, type CsiLayout } from '../../pipeline/model/index.js';

/**
 * Rows of a block with other values: all other columns as they were, those of antennas for the ones that are left.
 * @param frames row of `block` that each new row comes from
 * @param antennas of each new row, the antennas of its frame that are left; undefined, as a whole or of a row: all
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
