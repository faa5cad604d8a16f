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
const receivedBy = (name: string, device: string): Variant => ({
  name,
  room: (room) => room,
  condition: () => ({ simulator: { device } }),
});

const ESP32 = 'ESP32: 52 subcarriers, 2.4 GHz';

const VARIANTS: readonly Variant[] = [
  receivedBy(ESP32, 'esp32'),
  receivedBy('ESP32, 802.11n: 56 subcarriers', 'esp32-ht'),
  receivedBy('ESP32-C6, 802.11ax: 242 subcarriers', 'esp32-c6'),
  receivedBy('Intel 5300: 30 subcarriers, 5.2 GHz', 'intel-5300'),
  receivedBy('Raspberry Pi 4: 242 subcarriers, 80 MHz, 5.2 GHz', 'nexmon'),
];

/** The same rooms, received by other devices. */
export async function receivers(plan: Plan): Promise<Table> {
  const rooms = await underEach(plan, 15, VARIANTS);
  const tolds = (name: string) => rooms.map((found) => found.get(name)!);
  return {
    id: 'receivers',
    title: 'Other receivers',
    method: `${scenesText(plan)} Receivers of all rows have one antenna each, and the same SNR.`,
    columns: CONDITION_COLUMNS,
    rows: [
      ...VARIANTS.map(({ name }) => conditionRow(name, tolds(name))),
      ...conditionBaselines(tolds(ESP32)),
    ],
  };
}
