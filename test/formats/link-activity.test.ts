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

const links = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ link: { id: `link-${index}` } }));

/** Shape of the newest block. */
const shape = { antennas: layout.rx, subcarriers: layout.subcarriers.length };

it('counts the links with a frame in the last five seconds, and the mean level of the newest whole second', () => {
  const activity = new LinkActivity(links(3));
  expect(activity.describe()).toEqual({ active_links: 0 });
  activity.see(blockOf(layout, [frame(0, 1, -40), frame(1, 4, -50), frame(1, 4.5, -60), frame(1, 6.5, -70)]));
  expect(activity.describe()).toMatchObject({ active_links: 1, rssi: -55, ...shape });
  activity.see(blockOf(layout, [frame(0, 6.6, -30)]));
  expect(activity.describe().active_links).toBe(2);
});

it('reports no level if no format provides it', () => {
  const activity = new LinkActivity(links(1));
  activity.see(blockOf(layout, [frame(0, 1, NaN), frame(0, 2, NaN)]));
  expect(activity.describe()).toEqual({
    active_links: 1,
    ...shape,
    heard: { 'link-0': { rate: 1, last: '1970-01-01T00:00:02.000Z' } },
  });
});

it('reports how often and how strongly each link is heard, and that it is silent', () => {
  const activity = new LinkActivity(links(3));
  activity.see(blockOf(layout, [frame(0, 1, -40), frame(0, 1.5, -44), frame(0, 2, -40), frame(1, 2, -60)]));
  expect(activity.describe().heard).toEqual({
    'link-0': { rate: 2, last: '1970-01-01T00:00:02.000Z', rssi: -42 },
    'link-1': { last: '1970-01-01T00:00:02.000Z', rssi: -60 },
  });
  activity.see(blockOf(layout, [frame(1, 9, -60)]));
  expect(activity.describe().heard?.['link-0']?.rate).toBe(0);
});
