import { describe, expect, test } from 'vitest';
import { encodeAth11kCfr } from '../../pipeline/formats/devices/qualcomm/ath11k-cfr.js';
import { encodeReport } from '../../pipeline/formats/devices/beamforming/beamforming.js';
import { encodeFeitcsi } from '../../pipeline/formats/devices/intel/feitcsi.js';
import { encodeNexmon } from '../../pipeline/formats/devices/broadcom/nexmon.js';
import {
  FILE_FORMATS,
  FormatError,
  formatNamed,
  MESSAGE_FORMATS,
  type Format,
  type FormatOptions,
} from '../../pipeline/formats/index.js';
import { LinkTable, type CsiBlock, type Data } from '../../pipeline/model/index.js';
import type { Output, RawBatch } from '../../pipeline/component/index.js';
import { cutAll } from '../formats/cut.js';
import { EVENTS, FILES, SAMPLES } from '../formats/samples.js';
import { formatDrivers } from '../kit/drivers/formats.js';
import { anySender } from '../support/recordings.js';

/** The limits stated in docs/formats/README.md. */
const RECORDS = 100_000;
const MULTIPLE = 32;
const PER_RECORD = 1024;
/** Largest state of a decoder between records, as JSON. */
const MAX_STATE_BYTES = 262_144;
const FILE_RUNS = 500;
/** Processor time for a record, its damage and the look at its output included, microseconds: 15 to 60 are usual. */
const USUAL_US = 200;
/** Matrices of reports, and JSON of many numbers: 95 to 150. */
const SLOW_US: Readonly<Record<string, number>> = { beamforming: 600, onewifi: 600 };
/** A busy machine gives a test a third of its processor. */
const timeoutMs = (recordUs: number): number => (3 * RECORDS * recordUs) / 1000;
const recordUs = ({ name, variantOf }: Format): number => SLOW_US[variantOf ?? name] ?? USUAL_US;

const MAC = Uint8Array.of(2, 0, 0, 0, 0, 1);
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => 1 + ((i * 17) % 127));

/** Larger records than those of the drivers, in other layouts. */
const LARGER: Readonly<Record<string, readonly Uint8Array[]>> = {
  nexmon: [101, 106, 3].map((chip) => {
    const header = { mac: MAC, sequence: 1, rssi: -40, chanspec: 0xe06a, bins: 256, core: 9 };
    const bytes = encodeNexmon(header, numbers(482));
    bytes[16] = chip;
    return bytes;
  }),
  beamforming: [false, true].map((isMulti) =>
    encodeReport(
      {
        ...{ kind: 'he', rows: 4, columns: 4, width: 2, grouping: 4, codebook: 0, isMulti, token: 5 },
        ...{ station: MAC, accessPoint: MAC, mhz: 5210, rssi: -50, clock: 1000 },
      },
      isMulti ? { phi: 7, psi: 5 } : { phi: 4, psi: 2 },
      numbers(250 * 12).map((value) => value & 3),
    ),
  ),
  'ath11k-cfr': [8, 1].map((chains) =>
    encodeAth11kCfr(
      {
        ...{ mac: MAC, kind: 'vht', width: 2, mhz: 5210, order: 'fft', clock: 1000 },
        rssi: new Array<number>(chains).fill(-50),
        gain: new Array<number>(chains).fill(20),
      },
      numbers(2 * chains * 242),
    ),
  ),
  feitcsi: [
    encodeFeitcsi(
      { ticks: 320, rx: 2, tx: 2, tones: 1992, rssi: -41, mac: MAC, rate: 0x1c00 },
      numbers(2 * 4 * 1992),
    ),
  ],
  onewifi: EVENTS.slice(0, 2),
};

/** Integers from 0 to 2^32 - 1 (Marsaglia's xorshift). */
function numbersFrom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Random bytes, or a good record truncated, with bits flipped, or with numbers at their limits. */
function damaged(good: readonly Uint8Array[], next: () => number): Uint8Array {
  const from = good[next() % good.length]!;
  const kind = next() % 8;
  if (kind === 0) return Uint8Array.from({ length: next() % 300 }, () => next());
  if (kind === 1) return from.slice(0, next() % (from.length + 1));
  const bytes = Uint8Array.from(from);
  for (let left = 1 + (next() % 4); left > 0; left--) {
    // The header matters most.
    const at = next() % (next() % 2 === 0 ? Math.min(bytes.length, 64) : bytes.length);
    if (kind < 5) bytes[at]! ^= 1 << (next() & 7);
    else bytes[at] = [0, 1, 0x7f, 0x80, 0xff, next()][next() % 6]!;
  }
  return bytes;
}

const ignore = () => undefined;
const context = {
  links: new LinkTable([anySender]),
  metrics: { dropped: ignore, missing: ignore, failed: ignore, gauge: ignore, count: ignore },
  log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
};

const bytesIn = (value: unknown): number =>
  ArrayBuffer.isView(value)
    ? value.byteLength
    : typeof value === 'object' && value !== null
      ? Object.values(value).reduce((sum: number, one) => sum + bytesIn(one), 0)
      : 8;

const sizeOf = ({ data, failed = [] }: Output<Data>): number =>
  data.reduce((sum, one) => sum + (one.port === 'csi' ? blockBytes(one) : JSON.stringify(one).length), 0) +
  failed.reduce((sum, one) => sum + bytesIn(one), 0);

/** Its layout is shared, and at most the size of the frame. */
const blockBytes = ({ layout, ...columns }: CsiBlock): number =>
  bytesIn(columns) + layout.subcarriers.byteLength;

const rawOf = (bytes: Uint8Array, time: number): RawBatch => ({
  ...{ count: 1, bytes, time: Float64Array.of(time), offsets: Uint32Array.of(0, bytes.length) },
  ...{ sender: Uint16Array.of(0), senders: ['127.0.0.1:4000'], origin: 'live' as const },
});

/**
 * The largest output of a record, or of all so far where a frame is put together of several, relative to its bytes. Throws if
 * a decoder does.
 */
function fuzz(format: Format, good: readonly Uint8Array[], seed: number, options?: FormatOptions): number {
  const next = numbersFrom(seed);
  const decoder = format.decoder({ ...context, ...(options && { options }) });
  const together = options !== undefined;
  let worst = 0;
  let [read, made] = [0, 0];
  const before = process.cpuUsage();
  for (let i = 0; i < RECORDS; i++) {
    if (i % 1000 === 0) requireQuick(format, before);
    const bytes = damaged(good, next);
    const size = sizeOf(decoder.decode(rawOf(bytes, 1e15 + i * 1000)));
    read = bytes.length + (together ? read : 0);
    made = size - PER_RECORD + (together ? made : 0);
    worst = Math.max(worst, made / Math.max(read, 1));
  }
  const state = JSON.stringify([decoder.snapshot(), decoder.describe()]).length;
  expect(state, 'what it keeps must not grow').toBeLessThan(MAX_STATE_BYTES);
  return worst;
}

/** Decoding does not yield, so no timer of the test runner could end it. */
function requireQuick(format: Format, before: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(before);
  const most = RECORDS * recordUs(format);
  if (user + system > most)
    throw new Error(`${format.name} takes more than ${most / 1e6} s of the processor`);
}

describe('damaged records neither crash a decoder nor take much memory or time', () => {
  for (const [i, format] of MESSAGE_FORMATS.entries())
    test(
      format.name,
      () => {
        const driver = formatDrivers.find((one) => one.format.name === format.name)!;
        const larger = LARGER[format.variantOf ?? format.name] ?? [];
        const good = [...driver.records().map(({ bytes }) => bytes), ...larger];
        expect(fuzz(format, good, 7919 * (i + 1))).toBeLessThan(MULTIPLE);
      },
      timeoutMs(recordUs(format)),
    );
});

describe('damaged datagrams neither crash a matrix of Nexmon nor take much memory', () => {
  const sizes = [
    [2, 1],
    [1, 4],
    [4, 4],
  ] as const;
  test.each(sizes)('%i cores, %i streams', (cores, streams) => {
    const of = (chip: number, sequence: number, core: number, stream: number): Uint8Array => {
      const header = { mac: MAC, sequence, rssi: -40, chanspec: 0xe06a, bins: 256, core: core + 8 * stream };
      const bytes = encodeNexmon(header, numbers(482));
      bytes[16] = chip;
      return bytes;
    };
    const good = [101, 3].flatMap((chip) =>
      Array.from({ length: 2 * cores * streams }, (_, i) =>
        of(chip, Math.floor(i / (cores * streams)), i % cores, Math.floor(i / cores) % streams),
      ),
    );
    const seed = 15_485_863 * (cores + 4 * streams);
    const worst = fuzz(formatNamed('nexmon'), good, seed, { nexmon: { cores, streams } });
    expect(worst).toBeGreaterThan(0.5);
    expect(worst).toBeLessThan(MULTIPLE);
  });
});

describe('damaged files neither crash a reader nor make it hang', () => {
  const samples = [...SAMPLES, ...FILES].filter(({ kind }) => kind !== null);
  test.each(samples.map((sample, i) => ({ ...sample, seed: 104_729 * (i + 1) })))('$kind', (sample) => {
    const file = FILE_FORMATS.find(({ name }) => name === sample.kind)!;
    const next = numbersFrom(sample.seed);
    const good = [new Uint8Array(Buffer.concat(sample.records))];
    for (let i = 0; i < FILE_RUNS; i++) {
      const bytes = damaged(good, next);
      const before = Buffer.from(bytes);
      try {
        const { records, problems } = cutAll(bytes, 1 + (next() % (bytes.length + 1)), file)!;
        const out = records.reduce((sum, one) => sum + one.bytes.length, 0);
        expect(out).toBeLessThanOrEqual(bytes.length);
        expect(problems.length).toBeLessThanOrEqual(bytes.length);
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
      }
      expect(before.equals(bytes), 'the input is only read').toBe(true);
    }
  });
});
