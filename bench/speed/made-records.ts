import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeReport } from '../../pipeline/formats/devices/beamforming/beamforming.js';
import { encodeNexmon } from '../../pipeline/formats/devices/broadcom/nexmon.js';
import { encodeEspCsi } from '../../pipeline/formats/devices/espressif/esp-csi.js';
import { CLASSIC_COLUMNS } from '../../pipeline/formats/devices/espressif/esp-csi-columns.js';
import { espFields } from '../../pipeline/formats/devices/espressif/esp-carriers.js';
import { encodeCsiToolLine } from '../../pipeline/formats/devices/espressif/esp32-csi-tool.js';
import { encodeLine } from '../../pipeline/formats/devices/espressif/esp32-serial.js';
import { encodeFramed } from '../../pipeline/formats/devices/espressif/esp-framed.js';
import { encodeEspectre } from '../../pipeline/formats/devices/espressif/espectre.js';
import { encodeMicropythonCsi } from '../../pipeline/formats/devices/espressif/micropython-csi.js';
import { encodeFeitcsi } from '../../pipeline/formats/devices/intel/feitcsi.js';
import { encodeMeasurement } from '../../pipeline/formats/devices/intel/intel5300.js';
import { encodeMediatek } from '../../pipeline/formats/devices/mediatek-csi.js';
import { encodeOneWifi } from '../../pipeline/formats/devices/onewifi/onewifi.js';
import { encodeAth11kCfr } from '../../pipeline/formats/devices/qualcomm/ath11k-cfr.js';
import { encodeAtheros } from '../../pipeline/formats/devices/qualcomm/atheros.js';
import { encodeRealtek } from '../../pipeline/formats/devices/realtek/realtek-csi.js';
import { RawBuilder } from '../../pipeline/formats/index.js';
import { encodeTableFrame } from '../../pipeline/formats/tables/table-frame.js';
import { csiLayout } from '../../pipeline/model/index.js';

/** A capture of made-up records of one format, as from one receiver. */
export interface MadeCapture {
  readonly format: string;
  /** Size of a frame, for the report: `1 x 1, 52 carriers`. */
  readonly size: string;
  readonly bytes: Uint8Array;
}

const MAC = Uint8Array.of(2, 0, 0, 0, 0, 1);
const NAME = '02:00:00:00:00:01';
const START = 1.7e15;
const STEP_US = 10_000;

/** Whole numbers from 1 to 100, (re, im) of so many carriers. */
const pairs = (seed: number, carriers: number): number[] =>
  Array.from({ length: 2 * carriers }, (_, i) => ((seed * 31 + i * 17) % 100) + 1);

const lltf = espFields(
  { pairs: 64, ascending: false, secondary: 0, wide: false, stbc: false, ht: false, filtered: false },
  () => true,
)!;
const espParts = (seed: number) =>
  lltf.map((field) => ({ field, values: pairs(seed, field.subcarriers.length) }));
const espColumns = (index: number) => ({
  ...{ id: index, mac: NAME, rssi: -40, noise_floor: -95, channel: 11 },
  local_timestamp: 1_000_000 + index * STEP_US,
});
const layout = csiLayout({
  ...{ rx: 3, tx: 1, bandwidthMhz: 20, centreMhz: 2437, training: 'ht-ltf' },
  subcarriers: Array.from({ length: 56 }, (_, i) => (i < 28 ? i - 28 : i - 27)),
});

type Make = (index: number) => Uint8Array | string;

/** Each format that csiflow can encode: what a frame holds, and how record `index` is made. */
const MADE: Readonly<Record<string, readonly [size: string, make: Make]>> = {
  adr018: [
    '1 x 1, 52 carriers',
    (index) =>
      encodePairs(
        { node: 1, bins: 64, mhz: 2437, sequence: index, rssi: -40, noise: -90 },
        Int8Array.from(pairs(index, 64)),
      ),
  ],
  'ath11k-cfr': [
    '2 x 1, 52 carriers',
    (index) =>
      encodeAth11kCfr(
        {
          ...{ mac: MAC, kind: 'legacy', width: 0, mhz: 5180, order: 'ascending' },
          ...{ clock: index * STEP_US, rssi: [-50, -52], gain: [30, 31] },
        },
        pairs(index, 104),
      ),
  ],
  atheros: [
    '3 x 2, 56 carriers',
    (index) =>
      encodeAtheros(
        {
          ...{ little: true, timestamp: index * STEP_US, mhz: 2437, tones: 56, rx: 3, tx: 2 },
          ...{ rssi: -40, noise: -95, payload: new Uint8Array(5) },
        },
        pairs(index, 336),
      ).subarray(2),
  ],
  beamforming: [
    '3 x 1, 58 carriers',
    (index) =>
      encodeReport(
        {
          ...{ kind: 'vht', rows: 3, columns: 1, width: 1, grouping: 2, codebook: 1, isMulti: false },
          ...{
            token: index % 64,
            station: MAC,
            accessPoint: MAC,
            mhz: 5190,
            rssi: -50,
            clock: index * STEP_US,
          },
        },
        { phi: 6, psi: 4 },
        Array.from({ length: 58 * 4 }, (_, i) => (index + i) % 16),
      ),
  ],
  'csi-json': ['1 x 1, 56 carriers', jsonFrame],
  'esp-csi': [
    '1 x 1, 52 carriers',
    (index) =>
      encodeEspCsi({
        columns: CLASSIC_COLUMNS,
        fields: espColumns(index),
        pairs: 64,
        parts: espParts(index),
      }),
  ],
  'esp-framed': ['1 x 1, 52 carriers', (index) => encodeFramed(index * STEP_US, 64, espParts(index))],
  'esp32-csi-tool': [
    '1 x 1, 52 carriers',
    (index) => encodeCsiToolLine(espColumns(index), 64, espParts(index)),
  ],
  'esp32-serial': [
    '1 x 1, 52 carriers',
    (index) => encodeLine({ sequence: index, timeMs: 1000 + index * 10, rssi: -40 }, [pairs(index, 52)]),
  ],
  espectre: ['1 x 1, 56 carriers', (index) => encodeEspectre({ chip: 5, sequence: index }, pairs(index, 56))],
  feitcsi: [
    '2 x 1, 56 carriers',
    (index) =>
      encodeFeitcsi(
        { ...{ ticks: index * 3_200_000, rx: 2, tx: 1, tones: 56, rssi: -40, rate: 0x200 }, mac: MAC },
        pairs(index, 112),
      ),
  ],
  intel5300: [
    '3 x 1, 30 carriers',
    (index) =>
      encodeMeasurement(
        {
          ...{ timestamp: 1_000_000 + index * STEP_US, count: index, rx: 3, tx: 1, rssi: [30, 31, 32] },
          ...{ noise: -90, agc: 20, antennaSelection: 0x24, rate: 0x100 },
        },
        Float64Array.from(pairs(index, 90)),
      ).subarray(2),
  ],
  'mediatek-csi': [
    '1 x 1, 56 carriers',
    (index) =>
      encodeMediatek(
        {
          ...{ clock: index * STEP_US, mac: NAME, rssi: -50, width: 0, primary: 0 },
          ...{ mode: 4, tx: 0, rx: 0, order: 'fft' },
        },
        pairs(index, 56),
      ),
  ],
  'micropython-csi': [
    '1 x 1, 52 carriers',
    (index) => encodeMicropythonCsi({ 0: -40, 4: index * 1000 }, 64, espParts(index)),
  ],
  nexmon: [
    '1 x 1, 242 carriers',
    (index) =>
      encodeNexmon(
        { mac: MAC, sequence: index % 4096, rssi: -40, chanspec: 0xe02a, bins: 256 },
        pairs(index, 242),
      ),
  ],
  onewifi: ['1 x 1, 56 carriers', oneWifiStation],
  'realtek-csi': [
    '1 x 1, 52 carriers',
    (index) =>
      encodeRealtek(
        {
          ...{ mac: MAC, clock: index * STEP_US, sequence: index, channel: 10 },
          ...{ width: 0, protocol: 0, tones: 52, bits: 16, rssi: -40 },
        },
        pairs(index, 52),
      ),
  ],
  'table-frame': [
    '3 x 1, 56 carriers',
    (index) => encodeTableFrame(layout, -40, Float32Array.from(pairs(index, 168))),
  ],
};

/** A capture of `count` records of each format that csiflow can encode. */
export const madeCaptures = (count: number): readonly MadeCapture[] =>
  Object.entries(MADE).map(([format, [size, make]]) => {
    const builder = new RawBuilder(count, 'replay');
    for (let index = 0; index < count; index++) {
      const record = make(index);
      const bytes = typeof record === 'string' ? Buffer.from(record) : record;
      builder.add(START + index * STEP_US, bytes, 0, bytes.length, NAME);
    }
    const header = encodeHeader({ format, origin: 'replay' });
    return { format, size, bytes: Buffer.concat([header, encodeRecords(builder.take())]) };
  });

function jsonFrame(index: number): string {
  const values = pairs(index, 56);
  const antenna = Array.from({ length: 56 }, (_, i) => ({ real: values[2 * i], imag: values[2 * i + 1] }));
  const metadata = { router_id: NAME, sampling_rate: 100, signal_strength: -45, sequence: index };
  const timestamp = new Date(1.7e12 + index * 10).toISOString();
  return JSON.stringify({ csi_data: { timestamp, antenna_data: [antenna], metadata } });
}

function oneWifiStation(index: number): string {
  const numbers = pairs(index, 56);
  return encodeOneWifi({
    mac: NAME,
    info: {
      ...{ mode: 0x10, rx: 1, tx: 1, rssi: [-50], mask: 1, width: 20, carriers: 56, decimation: 0 },
      ...{ channel: 36, timestamp: 1_700_000_000_000 + index * 500 },
    },
    matrix: (_rx, _tx, tone, part) => numbers[2 * tone + part]!,
  });
}
