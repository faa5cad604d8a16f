import type { Plan } from '../plan.js';
import type { Table } from '../table.js';
import {
  CONDITION_COLUMNS,
  conditionBaselines,
  conditionRow,
  scenesText,
  underEach,
  type Variant,
} from './conditions.js';

/** Each room is calibrated by the receivers of the row. */
const receivedBy = (name: string, simulator: Readonly<Record<string, unknown>>): Variant => ({
  name,
  room: (room) => room,
  condition: () => ({ simulator }),
});

const ESP32 = 'ESP32: 52 subcarriers, 2.4 GHz';

const VARIANTS: readonly Variant[] = [
  receivedBy(ESP32, { device: 'esp32' }),
  receivedBy('the same, gain follows the level', { gain: 'following' }),
  receivedBy('the same, gain follows the level, RSSI has errors', {
    gain: 'following',
    rssi_noise_db: [0.3, 0.3],
    rssi_outliers: [0.03, 0.03],
  }),
  receivedBy('ESP32, 52 subcarriers, RSSI is always -50 dBm', { rssi_dbm: -50 }),
  receivedBy('ESP32, 802.11n: 56 subcarriers', { device: 'esp32-ht' }),
  receivedBy('ESP32-C6, 802.11ax: 242 subcarriers', { device: 'esp32-c6' }),
  receivedBy('Intel 5300: 30 subcarriers, 5.2 GHz', { device: 'intel-5300' }),
  receivedBy('Raspberry Pi 4: 242 subcarriers, 80 MHz, 5.2 GHz', { device: 'nexmon' }),
];

/** The same rooms, received by other devices. */
export async function receivers(plan: Plan): Promise<Table> {
  const rooms = await underEach(plan, 15, VARIANTS);
  const tolds = (name: string) => rooms.map((found) => found.get(name)!);
  return {
    id: 'receivers',
    title: 'Other receivers',
    method: `${scenesText(plan)} Receivers of all rows have one antenna each, and the same SNR. Gains stay within 1 dB, or follow the level in steps of 0.2 to 2.5 dB; RSSI is exact but for its rounding, or 3 % of packets have one that is 4 to 5 dB too large, and the others an error of 0.3 dB (standard deviation). In one row, RSSI is not measured: all packets report -50 dBm.`,
    columns: CONDITION_COLUMNS,
    rows: [
      ...VARIANTS.map(({ name }) => conditionRow(name, tolds(name))),
      ...conditionBaselines(tolds(ESP32)),
    ],
  };
}
