import { encodePairs } from '../../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeLine } from '../../../pipeline/formats/devices/espressif/esp32-serial.js';
import { encodeMeasurement } from '../../../pipeline/formats/devices/intel/intel5300.js';
import { formatNamed, FORMATS } from '../../../pipeline/formats/index.js';
import { resultRecord, type FormatDriver, type RawRecord } from '../../../pipeline/testing/kit/index.js';
import { toMessage } from '../../../sinks/kafka/message.js';
import { bareRecords, SAMPLES, type Sample } from '../../formats/samples.js';
import { anySender } from '../../support/recordings.js';

/** Whole records of formats, by name. */
export const formatRecords: Readonly<Record<string, (index: number) => RawRecord>> = {
  adr018: (index) => ({
    bytes: encodePairs(
      { node: 1 + (index % 2), bins: 64, mhz: 2437, sequence: index >> 1, rssi: -40, noise: -90 },
      Int8Array.from(values(index, 128)),
    ),
  }),
  'csi-json': (index) => ({
    bytes: text(
      JSON.stringify({
        csi_data: {
          timestamp: new Date(Date.UTC(2025, 0, 15) + index * 10).toISOString(),
          antenna_data: [0, 4].map((from) => values(index + from, 4).map((real) => ({ real, imag: -real }))),
          metadata: {
            router_id: `node-${1 + (index % 2)}`,
            sampling_rate: 30,
            signal_strength: -45,
            sequence: index >> 1,
          },
        },
      }),
    ),
  }),
  'esp32-serial': (index) => ({
    bytes: text(encodeLine({ sequence: index, timeMs: 1000 + index * 10, rssi: -40 }, [values(index, 104)])),
    sender: 'node-1',
  }),
  intel5300: (index) => ({ bytes: intel(index), sender: 'node-1' }),
  'intel5300-scaled': (index) => ({ bytes: intel(index), sender: 'node-1' }),
  results: (index) => {
    const message = toMessage(resultRecord(index), 'none', 'test');
    if ('code' in message) throw new Error(message.reason);
    return { bytes: text(message.value) };
  },
};

export const formatDrivers: readonly FormatDriver[] = [
  ...Object.entries(formatRecords).map(([name, record]) => made(name, record)),
  ...SAMPLES.map((sample) => sampled(sample.format, sample)),
  // The same records, decoded by a variant.
  ...FORMATS.flatMap(({ name, variantOf }) => {
    const record = variantOf === undefined ? undefined : formatRecords[variantOf];
    if (record && !(name in formatRecords)) return [made(name, record)];
    const sample = SAMPLES.find(({ format }) => format === variantOf);
    return sample ? [sampled(name, sample)] : [];
  }),
  asMatrix(SAMPLES.find(({ format }) => format === 'nexmon')!),
  // Some of each, in sequence.
  sampled('auto', {
    format: 'auto',
    kind: null,
    records: Array.from({ length: 2 }, (_, index) =>
      SAMPLES.map((sample) => bareRecords(sample)[index]!),
    ).flat(),
  }),
];

function made(format: string, record: (index: number) => RawRecord): FormatDriver {
  return {
    format: formatNamed(format),
    records: () => Array.from({ length: 20 }, (_, index) => record(index)),
  };
}

function sampled(format: string, sample: Sample): FormatDriver {
  return {
    format: formatNamed(format),
    records: () => bareRecords(sample).map((bytes) => ({ bytes })),
    environments: [anySender],
  };
}

/** The same datagrams, with those of two cores and streams as one frame. */
function asMatrix(sample: Sample): FormatDriver {
  const { format, ...driver } = sampled('nexmon', sample);
  const options = { nexmon: { cores: 2, streams: 2 } };
  const decoder: typeof format.decoder = (context) => format.decoder({ ...context, options });
  return { ...driver, format: { ...format, name: 'nexmon-of-several-rows', decoder } };
}

const text = (value: string): Uint8Array => Uint8Array.from(Buffer.from(value));

/** Integers from -50 to 50. */
const values = (seed: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => ((seed * 31 + index * 17) % 101) - 50);

const intel = (index: number): Uint8Array =>
  encodeMeasurement(
    {
      timestamp: 1_000_000 + index * 10_000,
      count: index,
      rx: 3,
      tx: 1,
      rssi: [30, 31, 32],
      noise: -90,
      agc: 20,
      antennaSelection: 0x24,
      rate: 0x100,
    },
    Float64Array.from(values(index, 180)),
  ).subarray(2);
