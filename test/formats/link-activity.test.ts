import { expect, it } from 'vitest';
import { LinkActivity } from '../../pipeline/formats/index.js';
import { blockOf, layoutOf } from '../operators/frames.js';

const layout = layoutOf({ subcarriers: Int16Array.of(1) });
const frame = (link: number, second: number, rssi: number) => ({
  link,
  time: second * 1e6,
  values: [1, 0],
  rssi,
});

/** Of the newest block. */
const shape = { antennas: layout.rx, subcarriers: layout.subcarriers.length };

it('counts the links with a frame in the last five seconds, and the mean level of the newest whole second', () => {
  const activity = new LinkActivity(3);
  expect(activity.describe()).toEqual({ active_links: 0 });
  activity.see(blockOf(layout, [frame(0, 1, -40), frame(1, 4, -50), frame(1, 4.5, -60), frame(1, 6.5, -70)]));
  expect(activity.describe()).toEqual({ active_links: 1, rssi: -55, ...shape });
  activity.see(blockOf(layout, [frame(0, 6.6, -30)]));
  expect(activity.describe().active_links).toBe(2);
});

it('says nothing of the level where no format knows it', () => {
  const activity = new LinkActivity(1);
  activity.see(blockOf(layout, [frame(0, 1, NaN), frame(0, 2, NaN)]));
  expect(activity.describe()).toEqual({ active_links: 1, ...shape });
});
