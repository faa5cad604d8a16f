import { allocateBlock, csiLayout, frameSize, type CsiBlock, type CsiLayout } from '../../model/index.js';

/** Event time of the first frame: a whole second. */
export const START = 1_700_000_000_000_000;
const PERIOD_US = 10_000;

export const layout = csiLayout({
  rx: 2,
  tx: 1,
  subcarriers: [-4, -3, -1, 1, 2, 5],
  bandwidthMhz: 20,
  centreMhz: 2437,
  training: 'lltf',
});

const NOT_NUMBERS = [NaN, Infinity, -Infinity];

/** Frames of two links in turn, each at 100 a second, of a changing channel with occasional outliers. */
export function csiInput(seconds: number, batch = 64): CsiBlock[] {
  const total = seconds * 200;
  const blocks: CsiBlock[] = [];
  for (let from = 0; from < total; from += batch) blocks.push(frames(from, Math.min(total, from + batch)));
  return blocks;
}

/** Frames without a single number as value: of the usual layout, and of one with a single subcarrier. */
export function badCsi(of: CsiLayout = layout): CsiBlock[] {
  const narrow = csiLayout({ ...of, subcarriers: [1] });
  return [of, narrow].map((each) => {
    const block = allocateBlock(each, 3);
    block.time.fill(START - 1_000_000);
    for (let i = 0; i < block.values.length; i++) block.values[i] = NOT_NUMBERS[i % NOT_NUMBERS.length]!;
    return block;
  });
}

function frames(from: number, to: number): CsiBlock {
  const block = allocateBlock(layout, to - from);
  const size = frameSize(layout);
  for (let row = 0; row < block.count; row++) {
    const frame = from + row;
    block.time[row] = START + frame * (PERIOD_US / 2);
    block.link[row] = frame % 2;
    block.sequence[row] = frame >> 1;
    block.rssi[row] = -50 - (frame % 3);
    for (let i = 0; i < size; i++) {
      const spike = (frame * 31 + i) % 97 === 0 ? 40 : 0;
      block.values[row * size + i] = 20 * Math.cos(frame * 0.05 + i) + ((frame * 7 + i * 13) % 5) + spike;
    }
  }
  return block;
}
