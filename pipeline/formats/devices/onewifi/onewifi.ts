/**
 * RDK OneWifi (routers of cable operators): `/tmp/csi_samples.json` and `/tmp/CSI.bin` of its sample
 * consumer, and the event `Device.WiFi.X_RDK_CSI.{i}.data`. Fields and bytes: docs/formats/onewifi.md.
 */
import { errorText } from '../../../base/error-text.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import { recordingOf, type FileFormat, type Format, MAX_RECORD_BYTES } from '../../contract/format.js';
import { JsonCutter, type ValueKind } from '../../containers/json-cutter.js';
import { latin1 } from '../../containers/line-cutter.js';
import { dumpLength, dumpTime, readDump, readEvent } from './onewifi-binary.js';
import { frameOfOneWifi, MAX_STREAMS, type OneWifiInfo, type OneWifiMatrix } from './onewifi-frame.js';
import { RecordCutter, type RecordKind } from '../../containers/record-cutter.js';
import { orderText, TONE_ORDERS, type ToneOrder } from '../../radio/tone-order.js';
import { parseJson } from '../../decoder/parse-json.js';

const NAME = 'onewifi';

/** Frames belong to the link whose `sender` is the station's MAC address, or `*`. */
export const oneWifi: Format = onewifi(null);

/** The same records, for a known order of tones. */
export const oneWifiVariants: readonly Format[] = TONE_ORDERS.map(onewifi);

function onewifi(order: ToneOrder | null): Format {
  const read = (record: Uint8Array) => readRecord(record, order);
  return {
    ...frameFormat(
      { format: order === null ? NAME : `${NAME}-${order}`, sequenceBits: 32, read },
      `RDK OneWifi: stations in JSON or in its structures, ${orderText(order)}.`,
    ),
    recognise: (record) => {
      if (isEvent(record)) return Array.isArray(readEvent(record));
      if (record[0] !== OPENING) return record.length > 0 && dumpLength(record, 0) === record.length;
      return !('fault' in parseStation(latin1(record)));
    },
    ...(order !== null && { variantOf: NAME }),
  };
}

/** Event time is the router's own clock, counted from 1970, or the time of day if the router reports that. */
export const oneWifiJson: FileFormat = {
  name: 'onewifi-json',
  summary: 'JSON of OneWifi (csi_samples.json).',
  recognise: (head) => latin1(head).search(BEGINS) >= 0 && latin1(head).includes('"frame_info"'),
  open: recordingOf(oneWifi, () => new JsonCutter(STATIONS)),
};

/** Event time as in the JSON. */
export const oneWifiFile: FileFormat = {
  name: 'onewifi-file',
  summary: 'Structures of OneWifi (CSI.bin).',
  recognise: (head) => {
    const length = dumpLength(head, 0);
    return length > 0 && length <= head.length;
  },
  open: recordingOf(oneWifi, () => new RecordCutter(DUMPS)),
};

const OPENING = 0x7b;
const BEGINS = /\{\s{0,32}"sta_mac"/g;

/** Milliseconds since the router was started, or since 1970. */
const STATIONS: ValueKind = {
  name: NAME,
  begins: BEGINS,
  longestStart: 48,
  // A document lists its stations one after another, and the times of each start again.
  clock: { unit: 1000, confirm: 1 },
  stampOf: (text) => {
    const [, stamp] = /"time_stamp"\s*:\s*(\d{1,16})\b/.exec(text) ?? [];
    return stamp === undefined ? null : Number(stamp);
  },
};
const DUMPS: RecordKind = {
  name: NAME,
  headerBytes: 80,
  lengthAt: (view, at) => dumpLength(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), at),
  clock: { unit: 1000, confirm: 3, slack: 1000, absolute: true },
  stampAt: (view, at) => dumpTime(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), at),
};

const isEvent = (record: Uint8Array): boolean =>
  record[0] === 0x43 && record[1] === 0x53 && record[2] === 0x49 && record[3] === 0;

function readRecord(
  record: Uint8Array,
  order: ToneOrder | null,
): ReadFrame | readonly ReadFrame[] | ReadFault {
  if (isEvent(record)) {
    const stations = readEvent(record);
    if ('fault' in stations) return stations;
    const frames = stations.map(({ mac, info, matrix }) => frameOfOneWifi(NAME, mac, info, matrix, order));
    return frames.find((frame) => 'fault' in frame) ?? (frames as ReadFrame[]);
  }
  if (record[0] === OPENING) {
    const station = parseStation(latin1(record));
    if ('fault' in station) return station;
    return frameOfOneWifi(NAME, station.mac, station.info, station.matrix, order);
  }
  const length = dumpLength(record, 0);
  if (length === 0 || length > record.length)
    return {
      fault: length === 0 ? 'unknown' : 'truncated',
      reason:
        length === 0
          ? 'it is neither JSON of a station, nor an event, nor a structure of one'
          : `${record.length} bytes of ${length}`,
    };
  const { mac, info, matrix } = readDump(record)!;
  return frameOfOneWifi(NAME, mac, info, matrix, order);
}

export interface Station {
  readonly mac: string;
  readonly info: OneWifiInfo;
  readonly matrix: OneWifiMatrix;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

function parseStation(text: string): Station | ReadFault {
  let value: unknown;
  try {
    value = parseJson(text, MAX_RECORD_BYTES);
  } catch (error) {
    return { fault: 'truncated', reason: errorText(error) };
  }
  const station = fieldsOf(value);
  const mac = String(station['sta_mac']).toLowerCase().replaceAll(/[:-]/g, '');
  if (!/^[\da-f]{12}$/.test(mac)) return { fault: 'value', reason: 'its sta_mac is not an address' };
  const info = infoOf(fieldsOf(station['frame_info']));
  if ('fault' in info) return info;
  const carriers = listOf(fieldsOf(station['csi_matrix'])['sub_carrier']);
  if (carriers.length !== info.carriers)
    return { fault: 'carriers', reason: `${carriers.length} sub_carriers, but num_sc is ${info.carriers}` };
  const { rx, tx } = info;
  const numbers = new Float64Array(2 * rx * tx * info.carriers);
  for (const [tone, carrier] of carriers.entries())
    for (let stream = 0; stream < tx; stream++)
      for (let antenna = 0; antenna < rx; antenna++) {
        const streams = listOf(fieldsOf(carrier)['stream']);
        const pair = fieldsOf(listOf(fieldsOf(streams[stream])['antenna'])[antenna]);
        const at = 2 * ((antenna * tx + stream) * info.carriers + tone);
        if (!Number.isInteger(pair['real']) || !Number.isInteger(pair['img']))
          return { fault: 'value', reason: `sub_carrier ${tone} has no real and img of antenna ${antenna}` };
        numbers[at] = pair['real'] as number;
        numbers[at + 1] = pair['img'] as number;
      }
  const matrix: OneWifiMatrix = (antenna, stream, tone, part) =>
    numbers[2 * ((antenna * tx + stream) * info.carriers + tone) + part]!;
  return { mac: mac.match(/../g)!.join(':'), info, matrix };
}

const NUMBERS = 'bw_mode Nr Nc valid_mask cap_bw num_sc decimation channel time_stamp'.split(' ');

function infoOf(fields: Fields): OneWifiInfo | ReadFault {
  const wrong = NUMBERS.find((name) => !Number.isSafeInteger(fields[name]));
  if (wrong !== undefined) return { fault: 'value', reason: `its ${wrong} is not a whole number` };
  const number = (name: string): number => fields[name] as number;
  const [rx, tx] = [number('Nr'), number('Nc')];
  if (rx < 1 || rx > MAX_STREAMS || tx < 1 || tx > MAX_STREAMS)
    return { fault: 'antennas', reason: `${rx} antennas, ${tx} streams: supported are 1 to ${MAX_STREAMS}` };
  return {
    ...{ rx, tx, mode: number('bw_mode'), mask: number('valid_mask'), width: number('cap_bw') },
    ...{ carriers: number('num_sc'), decimation: number('decimation'), channel: number('channel') },
    rssi: listOf(fields['nr_rssi']).filter((level): level is number => Number.isInteger(level)),
    timestamp: number('time_stamp'),
  };
}

/** A station's object as printed by OneWifi: the inverse of the decoder. */
export function encodeOneWifi({ mac, info, matrix }: Station): string {
  const each = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const { rx, tx, carriers } = info;
  const station = {
    sta_mac: mac,
    frame_info: {
      ...{ bw_mode: info.mode, mcs: 7, Nr: rx, Nc: tx, nr_rssi: info.rssi, valid_mask: info.mask },
      ...{ phy_bw: info.width, cap_bw: info.width, num_sc: carriers, decimation: info.decimation },
      ...{ channel: info.channel, cfo: 0, time_stamp: info.timestamp },
    },
    csi_matrix: {
      sub_carrier: each(carriers, (tone) => ({
        stream: each(tx, (stream) => ({
          antenna: each(rx, (antenna) => ({
            real: matrix(antenna, stream, tone, 0),
            img: matrix(antenna, stream, tone, 1),
          })),
        })),
      })),
    },
  };
  return JSON.stringify(station, null, '\t');
}
