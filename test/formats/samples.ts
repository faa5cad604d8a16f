import { encodeAth11kCfr } from '../../pipeline/formats/devices/qualcomm/ath11k-cfr.js';
import { encodeAtheros } from '../../pipeline/formats/devices/qualcomm/atheros.js';
import { encodeReport } from '../../pipeline/formats/devices/beamforming/beamforming.js';
import { encodeEspCsi } from '../../pipeline/formats/devices/espressif/esp-csi.js';
import { C5_COLUMNS, CLASSIC_COLUMNS } from '../../pipeline/formats/devices/espressif/esp-csi-columns.js';
import { espFields, type EspField } from '../../pipeline/formats/devices/espressif/esp-carriers.js';
import { encodeCsiToolLine } from '../../pipeline/formats/devices/espressif/esp32-csi-tool.js';
import { encodeEspectre } from '../../pipeline/formats/devices/espressif/espectre.js';
import { encodeFramed } from '../../pipeline/formats/devices/espressif/esp-framed.js';
import { encodeLine } from '../../pipeline/formats/devices/espressif/esp32-serial.js';
import { encodeFeitcsi } from '../../pipeline/formats/devices/intel/feitcsi.js';
import { encodeMeasurement } from '../../pipeline/formats/devices/intel/intel5300.js';
import { encodeMediatek } from '../../pipeline/formats/devices/mediatek-csi.js';
import { encodeMicropythonCsi } from '../../pipeline/formats/devices/espressif/micropython-csi.js';
import { encodeNexmon } from '../../pipeline/formats/devices/broadcom/nexmon.js';
import { encodeOneWifi } from '../../pipeline/formats/devices/onewifi/onewifi.js';
import {
  encodeOneWifiDump,
  encodeOneWifiEvent,
} from '../../pipeline/formats/devices/onewifi/onewifi-binary.js';
import { encodePicoscenes } from './picoscenes-encode.js';
import { encodeRealtek } from '../../pipeline/formats/devices/realtek/realtek-csi.js';
import { printRealtek } from '../../pipeline/formats/devices/realtek/realtek-log.js';
import { encodeTableFrame } from '../../pipeline/formats/tables/table-frame.js';
import { csiLayout } from '../../pipeline/model/index.js';
import { pcapngOf, pcapOf } from './pcap-files.js';

/** Some records of a format, in sequence as in a file, or single datagrams. */
export interface Sample {
  /** Name of the format of the records. */
  readonly format: string;
  /** Name of the kind of file; null if there is none. */
  readonly kind: string | null;
  readonly records: readonly Uint8Array[];
}

/** Bytes before a record in a file, which a datagram or message lacks. */
const BEFORE: Readonly<Record<string, number>> = { atheros: 2 };

/** Records as they arrive one by one: in datagrams and messages. */
export const bareRecords = ({ format, records }: Sample): readonly Uint8Array[] =>
  records.map((record) => record.subarray(BEFORE[format] ?? 0));

const COUNT = 12;
const many = (make: (index: number) => Uint8Array | string): readonly Uint8Array[] =>
  Array.from({ length: COUNT }, (_, index) => {
    const record = make(index);
    return typeof record === 'string' ? Buffer.from(record) : record;
  });

/** Integers from -127 to 127, without 0. */
const values = (seed: number, { subcarriers }: Pick<EspField, 'subcarriers'>): number[] =>
  Array.from({ length: 2 * subcarriers.length }, (_, i) => ((seed * 31 + i * 17) % 127) + 1);

const lltf = espFields(
  { pairs: 64, ascending: false, secondary: 0, wide: false, stbc: false, ht: false, filtered: false },
  () => true,
)!;
const c5 = espFields(
  { pairs: 57, ascending: true, secondary: null, wide: null, stbc: null, ht: null, filtered: false },
  () => true,
)!;
const parts = (fields: readonly EspField[], seed: number) =>
  fields.map((field) => ({ field, values: values(seed, field) }));

const MAC = '1a:00:00:00:00:00';
const common = (index: number) => ({
  id: index,
  mac: MAC,
  rssi: -40,
  noise_floor: -95,
  channel: 11,
  local_timestamp: 1_000_000 + index * 10_000,
});

const tableLayout = csiLayout({
  rx: 1,
  tx: 1,
  subcarriers: [-2, -1, 1, 2],
  bandwidthMhz: 20,
  centreMhz: 2437,
  training: 'ht-ltf',
});
const tableFacts = {
  ...{ noise: -92, agc: [23], fftGain: -2, bits: 8, antennas: [1] },
  ...{ deviceTime: 12_500, instance: 3 },
};

/** One sample of each format, for properties that hold for all. */
export const SAMPLES: readonly Sample[] = [
  {
    format: 'table-frame',
    kind: null,
    records: many((index) =>
      encodeTableFrame(
        tableLayout,
        -40,
        Float32Array.from(values(index, tableLayout)),
        ...(index % 2 === 0 ? [] : [tableFacts]),
      ),
    ),
  },
  {
    format: 'esp-csi',
    kind: 'esp-csi-log',
    records: many((index) => {
      const columns = index % 2 === 0 ? CLASSIC_COLUMNS : C5_COLUMNS;
      const fields = index % 2 === 0 ? lltf : c5;
      const line = { columns, fields: common(index), pairs: index % 2 === 0 ? 64 : 57 };
      return `${encodeEspCsi({ ...line, parts: parts(fields, index) })}\n`;
    }),
  },
  {
    format: 'esp32-csi-tool',
    kind: 'esp32-csi-tool-log',
    records: many((index) => `${encodeCsiToolLine(common(index), 64, parts(lltf, index))}\n`),
  },
  {
    format: 'micropython-csi',
    kind: 'micropython-csi-log',
    records: many(
      (index) => `${encodeMicropythonCsi({ 0: -40, 4: index * 1000 }, 64, parts(lltf, index))}\n`,
    ),
  },
  {
    format: 'esp-framed',
    kind: 'esp-framed-file',
    records: many((index) => encodeFramed(index * 10_000, 64, parts(lltf, index))),
  },
  {
    format: 'espectre',
    kind: null,
    records: many((index) => encodeEspectre({ chip: 5, sequence: index }, values(index, c5[0]!))),
  },
  {
    format: 'atheros',
    kind: 'atheros-log',
    records: many((index) =>
      encodeAtheros(
        {
          ...{ little: true, timestamp: index * 10_000, mhz: 2437, tones: 56, rx: 2, tx: 1 },
          ...{ rssi: -40, noise: -95, payload: new Uint8Array(5) },
        },
        values(index, { subcarriers: new Int16Array(112) }),
      ),
    ),
  },
  {
    format: 'feitcsi',
    kind: 'feitcsi-file',
    records: many((index) =>
      encodeFeitcsi(
        {
          ...{ ticks: index * 3_200_000, rx: 2, tx: 1, tones: 56, rssi: -40, rate: 0x200 },
          mac: Uint8Array.of(1, 2, 3, 4, 5, 6),
        },
        values(index, { subcarriers: new Int16Array(112) }),
      ),
    ),
  },
  { format: 'nexmon', kind: null, records: many(nexmonFrame) },
  { format: 'beamforming', kind: null, records: many(report) },
  { format: 'picoscenes', kind: 'picoscenes-file', records: many(picoFrame) },
  { format: 'ath11k-cfr', kind: 'ath11k-cfr-file', records: many(cfr) },
  { format: 'realtek-csi', kind: 'realtek-csi-file', records: many(realtek) },
  { format: 'mediatek-csi', kind: 'mediatek-csi-log', records: many((index) => `${mediatek(index)}\n`) },
  {
    format: 'onewifi',
    kind: 'onewifi-json',
    records: many((index) => `${encodeOneWifi(station(index))}\n`),
  },
];

function cfr(index: number): Uint8Array {
  return encodeAth11kCfr(
    {
      ...{ mac: Uint8Array.of(2, 0, 0, 0, 0, 1), kind: 'legacy', width: 0, mhz: 5180, order: 'ascending' },
      ...{ clock: index * 10_000, rssi: [-50, -52], gain: [30, 31] },
    },
    values(index, { subcarriers: new Int16Array(104) }),
  );
}

function realtek(index: number): Uint8Array {
  return encodeRealtek(
    {
      ...{ mac: Uint8Array.of(2, 0, 0, 0, 0, 1), clock: index * 10_000, sequence: index, channel: 10 },
      ...{ width: 0, protocol: 0, tones: 52, bits: 16, rssi: -40 },
    },
    values(index, { subcarriers: new Int16Array(52) }),
  );
}

function mediatek(index: number): string {
  return encodeMediatek(
    {
      ...{ clock: index * 10_000, mac: '02:00:00:00:00:01', rssi: -50, width: 0, primary: 0 },
      ...{ mode: 4, tx: 0, rx: 0, order: 'fft' },
    },
    values(index, { subcarriers: new Int16Array(56) }),
  );
}

/** 802.11ac at 20 MHz, one antenna, without guards. */
function station(index: number) {
  const numbers = values(index, { subcarriers: new Int16Array(56) });
  return {
    mac: '02:00:00:00:00:01',
    info: {
      ...{ mode: 0x10, rx: 1, tx: 1, rssi: [-50], mask: 1, width: 20, carriers: 56, decimation: 0 },
      ...{ channel: 36, timestamp: 1_700_000_000_000 + index * 500 },
    },
    matrix: (_: number, __: number, tone: number, part: number) => numbers[2 * tone + part]!,
  };
}

function picoFrame(index: number): Uint8Array {
  const csi = encodeFeitcsi(
    { ...{ ticks: 0, rx: 1, tx: 1, tones: 56, rssi: -40, rate: 0 }, mac: new Uint8Array(6) },
    values(index, { subcarriers: new Int16Array(56) }),
  );
  return encodePicoscenes(
    {
      ...{ device: 0x2000, hostTime: 1.6e15 + index * 10_000, clock: index * 10_000, packetFormat: 1 },
      ...{ bandwidthMhz: 20, mhz: 2437, tones: 56, rx: 1, tx: 1, rssi: -60, noise: -95, gain: 40 },
      transmitter: Uint8Array.of(2, 0, 0, 0, 0, 1),
    },
    csi.subarray(272),
  );
}

function report(index: number): Uint8Array {
  const mac = (last: number): Uint8Array => Uint8Array.of(2, 0, 0, 0, 0, last);
  return encodeReport(
    {
      ...{ kind: 'vht', rows: 2, columns: 1, width: 0, grouping: 4, codebook: 1, isMulti: false },
      ...{ token: index, station: mac(1), accessPoint: mac(2), mhz: 5180, rssi: -50, clock: index * 10_000 },
    },
    { phi: 6, psi: 4 },
    Array.from({ length: 32 }, (_, i) => (index + i) % 16),
  );
}

function nexmonFrame(index: number): Uint8Array {
  const mac = Uint8Array.of(1, 2, 3, 4, 5, 6);
  const header = { mac, sequence: index, rssi: -40, chanspec: 0x1006, bins: 64 };
  return encodeNexmon(header, values(index, { subcarriers: new Int16Array(55) }));
}

/** Further kinds of files of a format. A header is in the first record. */
export const FILES: readonly Sample[] = [
  {
    format: 'esp32-serial',
    kind: 'esp32-serial-log',
    records: many((index) => {
      const frame = { sequence: index, timeMs: 1000 + index * 10, rssi: -40 };
      return `${encodeLine(frame, [values(index, lltf[0]!)])}\n`;
    }),
  },
  { format: 'intel5300', kind: 'intel5300-log', records: many(intelEntry) },
  { format: 'adr018', kind: 'adr018-jsonl', records: many((index) => `${adr018Row(index)}\n`) },
  ...[pcapOf, pcapngOf].map((fileOf) => fileSample('nexmon', many(nexmonFrame), fileOf)),
  fileSample('beamforming', many(report), (packets) => pcapOf(packets, { linkType: 127 })),
  { format: 'csi-json', kind: 'csi-json-lines', records: many((index) => `${jsonRow(index)}\n`) },
  { format: 'realtek-csi', kind: 'realtek-csi-log', records: many((index) => printRealtek(realtek(index))) },
  {
    format: 'onewifi',
    kind: 'onewifi-file',
    records: many((index) => encodeOneWifiDump(station(index))).slice(0, 3),
  },
];

function intelEntry(index: number): Uint8Array {
  return encodeMeasurement(
    {
      ...{ timestamp: 1_000_000 + index * 10_000, count: index, rx: 3, tx: 1, rssi: [30, 31, 32] },
      ...{ noise: -90, agc: 20, antennaSelection: 0x24, rate: 0x100 },
    },
    Float64Array.from(values(index, { subcarriers: new Int16Array(90) })),
  );
}

/** A line of RuView's recordings. */
function adr018Row(index: number): string {
  const row = { timestamp: 1_775_182_186 + index / 32, node_id: 1, magic: '0xC5110001', type: 'raw_csi' };
  const numbers = Buffer.from(values(index, { subcarriers: new Int16Array(64) }));
  return JSON.stringify({ ...row, subcarriers: 64, iq_hex: numbers.toString('hex') });
}

/** A frame as JSON. */
function jsonRow(index: number): string {
  const numbers = values(index, { subcarriers: new Int16Array(56) });
  return JSON.stringify({
    timestamp: new Date(1_775_182_186_000 + index * 20).toISOString(),
    antenna_data: [
      Array.from({ length: 56 }, (_, k) => ({ real: numbers[2 * k], imag: numbers[2 * k + 1] })),
    ],
    metadata: { router_id: 'kitchen', sequence: index, signal_strength: -48 },
  });
}

/** Messages of a broker. */
export const EVENTS = many((index) =>
  encodeOneWifiEvent(1_700_000_000, [station(index), station(index + 1)]),
);

function fileSample(
  format: string,
  packets: readonly Uint8Array[],
  fileOf: (packets: readonly Uint8Array[]) => Buffer,
): Sample {
  const file = fileOf(packets);
  const first = fileOf(packets.slice(0, 1)).length;
  const each = (file.length - first) / (COUNT - 1);
  const records = Array.from({ length: COUNT }, (_, i) =>
    file.subarray(i === 0 ? 0 : first + (i - 1) * each, first + i * each),
  );
  return { format, kind: `${format}-pcap`, records };
}
