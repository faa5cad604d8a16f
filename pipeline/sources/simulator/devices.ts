import { csiLayout, type CsiLayout, type LayoutFields } from '../../model/index.js';

const range = (low: number, high: number, step = 1): number[] =>
  Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step);

/** From `-high` to `high` without the `gap` carriers around the middle, which carry no signal. */
const around = (high: number, gap: number): number[] => [...range(-high, -gap), ...range(gap, high)];

const layout = (fields: Omit<LayoutFields, 'rx' | 'tx'>): CsiLayout => csiLayout({ rx: 1, tx: 1, ...fields });

/** Carriers that the CSI Tool reports of a channel of 20 MHz (IEEE 802.11n, grouping of two, table 7-25f). */
const GROUPED = [...range(-28, -2, 2), -1, ...range(1, 27, 2), 28];

/** What receivers report of one antenna's channel. */
export const DEVICES = {
  esp32: layout({ subcarriers: around(26, 1), bandwidthMhz: 20, centreMhz: 2437, training: 'lltf' }),
  'esp32-ht': layout({ subcarriers: around(28, 1), bandwidthMhz: 20, centreMhz: 2437, training: 'ht-ltf' }),
  'esp32-c6': layout({ subcarriers: around(122, 2), bandwidthMhz: 20, centreMhz: 2437, training: 'he-ltf' }),
  'intel-5300': layout({ subcarriers: GROUPED, bandwidthMhz: 20, centreMhz: 5220, training: 'ht-ltf' }),
  nexmon: layout({ subcarriers: around(122, 2), bandwidthMhz: 80, centreMhz: 5210, training: 'vht-ltf' }),
} as const satisfies Readonly<Record<string, CsiLayout>>;
