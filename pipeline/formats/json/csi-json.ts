import { TRAINING_FIELDS, type CsiLayout } from '../../model/index.js';
import { FrameDecoder, type FrameReader, type ReadFault, type ReadFrame } from '../decoder/frame-decoder.js';
import { LineCutter, linesOfHead, type LineKind } from '../containers/line-cutter.js';
import { recordingOf, type FileFormat, type Format } from '../contract/format.js';
import { errorText } from '../../base/error-text.js';
import { LayoutCache } from '../decoder/layout-cache.js';
import { parseJson } from '../decoder/parse-json.js';

/**
 * One measurement as JSON, as accepted by the service interface's `POST /pose/process`: `csi_data` (or only
 * its content) with `timestamp`, `antenna_data` (a list for each antenna of `{real, imag}` for each
 * subcarrier) and `metadata` with `router_id`, which links use as the sender, and `signal_strength` in dBm.
 * `metadata` can also contain values that this body cannot express: `sequence`, `noise` (dBm), `centre_mhz`,
 * `bandwidth_mhz`, `subcarriers` (indices), `training` (field of the packet, which sets their spacing).
 */
export const csiJson: Format = {
  name: 'csi-json',
  summary: 'JSON with the fields of `csi_data` of the service interface, one measurement each.',
  recognise: (record) => {
    const read = record[0] === OPENING ? readJson(record) : null;
    return read !== null && !('fault' in read);
  },
  timeOf: (record) => timeOf(record),
  decoder: (context) => new FrameDecoder(READER, context),
};

/** A file of such measurements, one per line. Event time is their `timestamp`. */
export const csiJsonLines: FileFormat = {
  name: 'csi-json-lines',
  summary: 'NDJSON: lines of JSON with the fields of `csi_data` of the service interface.',
  recognise: (head) =>
    linesOfHead(head, (line) => line.includes('"antenna_data"')).some((line) =>
      csiJson.recognise(Buffer.from(line, 'latin1')),
    ),
  open: recordingOf(csiJson, () => new LineCutter(LINES)),
};

const OPENING = 0x7b;
const QUOTE = 0x22;
const SPACE = 0x20;
const TAB = 0x09;
const MAX_ANTENNAS = 8;
const MAX_SUBCARRIERS = 1024;
/** Channel 6, if a sender does not report it. */
const ASSUMED_MHZ = 2437;
const MAX_BYTES = 1_048_576;

const LINES: LineKind = {
  ...{ name: 'csi-json', mark: '{"', beginIn: objectIn, maxBytes: MAX_BYTES },
  ...{ clock: 'stated', unit: 'us' },
  stampOf: (line) => stampIn(line),
};

/** Where an object with a field begins in a line; -1 if none does. */
function objectIn(line: Uint8Array): number {
  for (let at = line.indexOf(OPENING); at >= 0; at = line.indexOf(OPENING, at + 1)) {
    let next = at + 1;
    while (line[next] === SPACE || line[next] === TAB) next++;
    if (line[next] === QUOTE) return at;
  }
  return -1;
}

const READER: FrameReader = { format: 'csi-json', sequenceBits: 32, read: readJson };

type Fields = Readonly<Record<string, unknown>>;

/** Null if the bytes are not a JSON object with `antenna_data`. */
function readJson(record: Uint8Array): ReadFrame | ReadFault | null {
  if (record.length > MAX_BYTES) return { fault: 'oversized', reason: `longer than ${MAX_BYTES} bytes` };
  let value: unknown;
  try {
    value = parseJson(textOf(record), MAX_BYTES);
  } catch (error) {
    return { fault: 'truncated', reason: errorText(error) };
  }
  const data = contentOf(value);
  if (!data || !Array.isArray(data['antenna_data'])) return null;
  const antennas = data['antenna_data'] as unknown[];
  const metadata = fieldsOf(data['metadata']) ?? {};
  const count = Array.isArray(antennas[0]) ? antennas[0].length : 0;
  if (antennas.length < 1 || antennas.length > MAX_ANTENNAS)
    return { fault: 'antennas', reason: `${antennas.length} antennas: 1 to ${MAX_ANTENNAS}` };
  if (count < 1 || count > MAX_SUBCARRIERS)
    return { fault: 'subcarriers', reason: `${count} subcarriers: 1 to ${MAX_SUBCARRIERS}` };
  const values = new Float32Array(antennas.length * count * 2);
  for (const [row, antenna] of antennas.entries()) {
    if (!Array.isArray(antenna) || antenna.length !== count)
      return {
        fault: 'subcarriers',
        reason: `antenna ${row} has a different number of subcarriers than antenna 0`,
      };
    if (!fill(values, row * count * 2, antenna as readonly unknown[]))
      return { fault: 'value', reason: `antenna ${row} has a value that is not {real, imag} with numbers` };
  }
  const { training } = metadata;
  if (training !== undefined && !TRAINING_FIELDS.some((field) => field === training))
    return {
      fault: 'subcarriers',
      reason: `metadata.training is none of ${TRAINING_FIELDS.join(', ')}`,
    };
  const layout = statedLayout(antennas.length, count, metadata);
  if (!layout)
    return { fault: 'subcarriers', reason: `metadata.subcarriers are not ${count} ascending indices` };
  const router = metadata['router_id'];
  return {
    sequence: numberOf(metadata['sequence']) ?? null,
    rssi: numberOf(metadata['signal_strength']) ?? NaN,
    noise: numberOf(metadata['noise']) ?? NaN,
    ...(typeof router === 'string' && { sender: router }),
    parts: [
      {
        layout,
        fill: (into, at) => {
          into.set(values, at);
        },
      },
    ],
  };
}

/** Event time of a record, microseconds; null if it has none. */
const timeOf = (record: Uint8Array): number | null => stampIn(textOf(record));

function stampIn(text: string): number | null {
  // Without parsing all values, because decoding does that anyway.
  const [, stamp] = /"timestamp"\s*:\s*"([^"]{10,40})"/.exec(text) ?? [];
  const time = stamp === undefined ? NaN : Date.parse(stamp) * 1000;
  return Number.isFinite(time) ? time : null;
}

function fill(into: Float32Array, at: number, antenna: readonly unknown[]): boolean {
  for (const [index, value] of antenna.entries()) {
    const pair = fieldsOf(value);
    const [real, imag] = [numberOf(pair?.['real']), numberOf(pair?.['imag'])];
    if (real === undefined || imag === undefined) return false;
    into[at + 2 * index] = real;
    into[at + 2 * index + 1] = imag;
  }
  return true;
}

/** There are few layouts, so they are cached. */
const layouts = new LayoutCache();

/**
 * The layout stated in `metadata`, or the usual one for this number of subcarriers; null if
 * `metadata.subcarriers` are not indices of them.
 */
export function statedLayout(rx: number, count: number, metadata: Fields): CsiLayout | null {
  const given = metadata['subcarriers'];
  const subcarriers = Array.isArray(given) ? (given as unknown[]) : aroundCentre(count);
  if (subcarriers.length !== count || !isAscending(subcarriers)) return null;
  const centreMhz = numberOf(metadata['centre_mhz']) ?? ASSUMED_MHZ;
  const bandwidthMhz = numberOf(metadata['bandwidth_mhz']) ?? (count <= 64 ? 20 : count <= 128 ? 40 : 80);
  const training = TRAINING_FIELDS.find((field) => field === metadata['training']) ?? 'ht-ltf';
  const key = [rx, centreMhz, bandwidthMhz, training, ...subcarriers].join(' ');
  return layouts.of(key, () => ({ rx, tx: 1, subcarriers, bandwidthMhz, centreMhz, training }));
}

/** Indices on both sides of the centre; an even number omits the centre. */
const aroundCentre = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => {
    const from = index - Math.floor(count / 2);
    return count % 2 === 0 && from >= 0 ? from + 1 : from;
  });

function isAscending(indices: readonly unknown[]): indices is readonly number[] {
  return indices.every((value, index) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > 2048) return false;
    return index === 0 || value > (indices[index - 1] as number);
  });
}

function contentOf(value: unknown): Fields | null {
  const fields = fieldsOf(value);
  return fieldsOf(fields?.['csi_data']) ?? fields;
}

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

const textOf = (record: Uint8Array): string =>
  Buffer.from(record.buffer, record.byteOffset, record.byteLength).toString('utf8');
