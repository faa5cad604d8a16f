import { expect, test } from 'vitest';
import { measureLinks } from '../../operators/measure-links/measure-links.js';
import { allocateBlock, csiLayout, type CsiBlock, type Window } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';

type Settings = Parameters<typeof measureLinks.create>[0];

const SECOND = 1_000_000;
const START = 1_700_000_000 * SECOND;
const layout = csiLayout({
  ...{ rx: 1, tx: 1, subcarriers: [1, 2], bandwidthMhz: 20, centreMhz: 2437, training: 'ht-ltf' },
});

interface Frame {
  readonly at: number;
  readonly link?: number;
  readonly sequence?: number;
  readonly rssi?: number;
  readonly noise?: number;
}

function block(frames: readonly Frame[]): CsiBlock {
  const made = allocateBlock(layout, frames.length);
  frames.forEach(({ at, link = 0, sequence = 0, rssi = NaN, noise = NaN }, index) => {
    made.time[index] = START + at * SECOND;
    made.link[index] = link;
    made.sequence[index] = sequence;
    made.rssi[index] = rssi;
    made.noise[index] = noise;
  });
  return made;
}

function window(at: number, fault: 'frozen' | null, snrDb: number, gaps: readonly number[]): Window {
  const link = {
    ...{ id: 'link-1', layout: layout.key, rx: 1, tx: 1, subcarriers: layout.subcarriers, centreMhz: 2437 },
    ...{ values: new Float32Array(4 * gaps.length), gaps: Uint8Array.from(gaps), frames: 3, rssi: NaN },
    quality: { snrDb, fault },
  };
  const start = START + at * SECOND;
  const rest = { points: gaps.length, step: 1000, links: [link], provenance: { origin: 'live' as const } };
  return { port: 'window', environment: 'test-room', index: 0, start, ...rest };
}

const make = () => measureLinks.create(withDefaults(measureLinks, {}) as Settings, testContext().context);

function figures(given: readonly (CsiBlock | Window)[], operator = make()) {
  for (const data of given) void operator.process(data, 'input');
  const { data } = operator.watermark!(Infinity);
  return data.map(({ name, subject, time, value }) => [(time - START) / SECOND, subject, name, value]);
}

test('its details have the loss of each link in the newest interval, for the list of links', () => {
  const operator = make();
  expect(operator.describe!()).toEqual({ links: {} });
  figures([block([0, 1, 2, 5].map((sequence) => ({ at: sequence, sequence })))], operator);
  expect(operator.describe!()).toEqual({ links: { 'link-1': { loss: 0.3333 } } });
  operator.reanchor!(0);
  figures([block([{ at: 30, sequence: 5 }])], operator);
  expect(operator.describe!()).toEqual({ links: {} });
});

test('frames give rate, loss and levels, per interval', () => {
  const frames = [0, 1, 2, 5, 6].map((sequence) => ({
    ...{ at: sequence, sequence, rssi: sequence < 5 ? -50 : -54, noise: -90 },
  }));
  const later = [17, 18].map((sequence) => ({ at: sequence, sequence, rssi: -60 }));
  expect(figures([block(frames), block(later)])).toEqual([
    [10, 'link-1', 'link_rate_hz', 0.5],
    [10, 'link-1', 'packet_loss', 0.2857],
    [10, 'link-1', 'rssi_dbm', -51.6],
    [10, 'link-1', 'noise_dbm', -90],
    [20, 'link-1', 'link_rate_hz', 0.2],
    [20, 'link-1', 'packet_loss', 0.8333],
    [20, 'link-1', 'rssi_dbm', -60],
  ]);
});

test('a sender without sequence numbers has no loss, and wrapped counters lose nothing', () => {
  expect(figures([block([{ at: 1 }, { at: 2 }, { at: 3 }])])).toEqual([[10, 'link-1', 'link_rate_hz', 0.3]]);
  const wrapping = Array.from({ length: 8 }, (_, index) => ({ at: index, sequence: (252 + index) % 256 }));
  expect(figures([block(wrapping)])).toContainEqual([10, 'link-1', 'packet_loss', 0]);
});

test('windows give SNR, coverage, and whether the link counts', () => {
  const windows = [window(1, null, 20, [0, 0, 1, 0]), window(2, 'frozen', NaN, [1, 1, 1, 0])];
  expect(figures(windows)).toEqual([
    [10, 'link-1', 'snr_db', 20],
    [10, 'link-1', 'link_coverage', 0.5],
    [10, 'link-1', 'link_usable', 0.5],
  ]);
});

test('a silent link has a rate of 0 while another one is heard', () => {
  const both = [
    { at: 1, link: 0 },
    { at: 2, link: 1 },
  ];
  expect(figures([block(both), block([{ at: 12, link: 1 }]), block([{ at: 95, link: 0 }])])).toEqual([
    [10, 'link-1', 'link_rate_hz', 0.1],
    [10, 'link-2', 'link_rate_hz', 0.1],
    [20, 'link-1', 'link_rate_hz', 0],
    [20, 'link-2', 'link_rate_hz', 0.1],
    [100, 'link-1', 'link_rate_hz', 0.1],
    [100, 'link-2', 'link_rate_hz', 0],
  ]);
});

test('frames after the end of their interval are dropped and counted', () => {
  const { context, recorded } = testContext();
  const operator = measureLinks.create(withDefaults(measureLinks, {}) as Settings, context);
  void operator.process(block([{ at: 1 }]), 'input');
  void operator.watermark!(START + 10 * SECOND);
  void operator.process(block([{ at: 2 }, { at: 11 }]), 'input');
  expect(operator.watermark!(START + 20 * SECOND).data).toMatchObject([{ name: 'link_rate_hz', value: 0.1 }]);
  expect(recorded.dropped).toEqual({ late: 1 });
});
