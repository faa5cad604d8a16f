import { csiLayout, type CsiLayout } from '../../pipeline/model/index.js';
import { DEVICES } from '../../pipeline/sources/simulator/devices.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import type { Band } from './bands.js';

/** What receives in rooms. */
export interface Receivers {
  /** An ESP32 if missing. */
  readonly device?: keyof typeof DEVICES;
  /** If given, of a device of this band: at 5 GHz, each room has one of several devices and channels. */
  readonly band?: Band;
}

/** The same rooms with receivers of a band. */
export const inBand = <T extends Receivers>(rooms: readonly T[], band: Band): T[] =>
  rooms.map((row) => (band === '2.4-ghz' ? row : { ...row, band }));

/** How many of twenty receivers are these: Nexmon's 80 MHz take twice as long to simulate as 20 MHz. */
const RECEIVERS = { 'intel-5300': 12, 'esp32-ht': 5, nexmon: 3 } as const;
/** Middles of channels, MHz: from that of 36 to beyond 165, every 5 MHz. */
const CHANNELS = { first: 5180, step: 5, count: 130 } as const;
/** No random stream of the simulator has this number. */
const STREAM = 80;

/** What receives in a room. */
export const receiverOf = (seed: number, { band, device = 'esp32' }: Receivers): CsiLayout =>
  band === '5-ghz' ? atFive(seed) : DEVICES[device];

function atFive(seed: number): CsiLayout {
  const random = new Random(seed, STREAM);
  const all = Object.entries(RECEIVERS).flatMap(([device, share]) => Array<string>(share).fill(device));
  const device = DEVICES[all[random.below(all.length)] as keyof typeof RECEIVERS];
  return csiLayout({ ...device, centreMhz: CHANNELS.first + CHANNELS.step * random.below(CHANNELS.count) });
}
