/**
 * seemoo-lab/nexmon_csi, Broadcom chips: UDP datagrams to port 5500, live or in a pcap or pcapng. Bytes:
 * docs/formats/nexmon.md.
 */
import type { CsiLayout } from '../../../model/index.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import type { FileFormat, Format } from '../../contract/format.js';
import { LayoutCache } from '../../decoder/layout-cache.js';
import { isPcap } from '../../containers/pcap-blocks.js';
import {
  HEADER_BYTES,
  runOf,
  topOf,
  unpack,
  type Carriers,
  type Packing,
  type Values,
} from './nexmon-values.js';
import { checkPcap, pcapCutter, pcapStart, recordsOf, udpPayload } from '../../containers/pcap.js';

/**
 * Frames belong to the link whose `sender` is the transmitter's MAC address, or `*`. For core or stream 1 and
 * above, the sender has a suffix (`98:de:d0:48:92:66/1.0`): each is a separate link.
 */
export const nexmonRows: Format = frameFormat(
  { format: 'nexmon', sequenceBits: 12, read: readDatagram },
  'Datagrams of nexmon_csi (Broadcom: Raspberry Pi, Nexus, Asus).',
  (record) => record.length >= 2 && u16(record, 0) === MAGIC,
);

/** Event time is that of the capture. */
export const nexmonPcap: FileFormat = {
  name: 'nexmon-pcap',
  summary: 'pcap or pcapng with datagrams of nexmon_csi to port 5500.',
  recognise: (head) => isPcap(head) && recordsOf(head, udpPayload(PORT)).some(nexmonRows.recognise),
  open: (head) => {
    checkPcap('nexmon', head);
    return {
      format: nexmonRows.name,
      start: pcapStart(head),
      origin: 'replay',
      meta: {},
      cutter: pcapCutter('nexmon', head, udpPayload(PORT)),
    };
  },
};

const PORT = 5500;
const MAGIC = 0x1111;
/** Firmware without RSSI writes this in place of RSSI and frame control. */
const NO_RSSI = 0x1111;

/** A chip's encoding of values; null: two i16 each. */
const CHIPS = new Map<number, Packing | null>([
  ...[1, 101, 107].map((chip) => [chip, null] as const),
  [3, { mantissa: 9, exponent: 5 }],
  [106, { mantissa: 12, exponent: 6 }],
]);

/** Content of a datagram: the values of one core and spatial stream. */
export interface Datagram extends Values {
  readonly chip: number;
  readonly mhz: number;
  readonly sequence: number;
  readonly core: number;
  readonly stream: number;
  /** dBm, NaN if unknown. */
  readonly rssi: number;
}

export function parseDatagram(record: Uint8Array): Datagram | ReadFault {
  if (record.length < HEADER_BYTES) return { fault: 'truncated', reason: 'shorter than its header' };
  if (u16(record, 0) !== MAGIC)
    return { fault: 'unknown_magic', reason: 'it does not start with the bytes 11 11' };
  const carriers = CARRIERS.get((record.length - HEADER_BYTES) / 4);
  if (!carriers)
    return {
      fault: 'length',
      reason: `${record.length} bytes: frames have 18 and 4 for each of 64, 128 or 256 carriers`,
    };
  const chip = u16(record, 16);
  const packing = CHIPS.get(chip);
  if (packing === undefined)
    return { fault: 'chip', reason: `chip ${chip}: supported are ${[...CHIPS.keys()].join(', ')}` };
  const mhz = centreMhz(u16(record, 14));
  if (mhz === undefined) return { fault: 'channel', reason: 'its chanspec contains no channel' };
  const pair = u16(record, 12);
  return {
    record,
    carriers,
    packing,
    chip,
    mhz,
    sequence: u16(record, 10) >> 4,
    core: pair & 7,
    stream: (pair >> 3) & 7,
    rssi: u16(record, 2) === NO_RSSI ? NaN : rssiOf((record[2]! << 24) >> 24),
  };
}

/** Creating a DataView for each datagram takes longer than reading its header. */
const u16 = (bytes: Uint8Array, at: number): number => bytes[at]! | (bytes[at + 1]! << 8);

function readDatagram(record: Uint8Array): ReadFrame | ReadFault {
  const datagram = parseDatagram(record);
  if ('fault' in datagram) return datagram;
  const { core, stream, carriers, mhz, sequence, rssi } = datagram;
  const mac = macOf(datagram);
  return {
    sequence,
    sender: core === 0 && stream === 0 ? mac : `${mac}/${core}.${stream}`,
    rssi,
    noise: NaN,
    bits: bitsOf(datagram),
    antennas: CORES[core]!,
    parts: [
      {
        layout: layoutOf(carriers, mhz),
        fill: (values, at) => {
          unpack(datagram, topOf(datagram), values, at);
        },
      },
    ],
  };
}

export const bitsOf = ({ packing }: Datagram): number => packing?.mantissa ?? 16;

const rssiOf = (value: number): number => (value < 0 ? value : NaN);

/** Connector of each core's single row. */
const CORES = Array.from({ length: 8 }, (_, core) => [core]);

/**
 * Addresses by their number: formatting one for each datagram would take as long as decoding its values.
 * Bounded.
 */
const MACS = new Map<number, string>();
const MAX_MACS = 1024;

/** MAC address of the transmitter. */
export function macOf({ record }: Datagram): string {
  let number = 0;
  for (let i = 4; i < 10; i++) number = number * 256 + record[i]!;
  let mac = MACS.get(number);
  if (mac === undefined) {
    mac = number
      .toString(16)
      .padStart(12, '0')
      .replace(/..(?!$)/g, '$&:');
    if (MACS.size >= MAX_MACS) MACS.clear();
    MACS.set(number, mac);
  }
  return mac;
}

/** Centre of the band given by a chanspec (Broadcom's `d11ac`): bits 0 to 7 channel, 14 and 15 band. */
function centreMhz(chanspec: number): number | undefined {
  const channel = chanspec & 0xff;
  if (channel === 0) return undefined;
  if (chanspec >> 14 === 3) return 5000 + 5 * channel;
  return channel === 14 ? 2484 : channel < 14 ? 2407 + 5 * channel : undefined;
}

const carriersOf = (
  count: number,
  below: readonly [number, number],
  above: readonly [number, number],
): Carriers => ({
  count,
  subcarriers: [below, above].flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i),
  ),
  runs: [runOf(count + below[0], count + below[1]), runOf(above[0], above[1])],
});

/**
 * Carriers of VHT by the number of bins, without those on which the firmware writes its status (bins 28 to 30
 * of 64, otherwise 0 to 2).
 */
const CARRIERS = new Map([
  [64, carriersOf(64, [-28, -1], [1, 27])],
  [128, carriersOf(128, [-58, -2], [3, 58])],
  [256, carriersOf(256, [-122, -2], [3, 122])],
]);

const layouts = new LayoutCache();

export const layoutOf = ({ count, subcarriers }: Carriers, mhz: number, rx = 1, tx = 1): CsiLayout =>
  layouts.of(((rx * 8 + tx) * 512 + count) * 65_536 + mhz, () => ({
    rx,
    tx,
    subcarriers,
    bandwidthMhz: (count / 64) * 20,
    centreMhz: mhz,
    training: 'vht-ltf',
  }));

/** A datagram with values of 16 bits: the inverse of the decoder. `values`: (re, im) of the layout's carriers. */
export function encodeNexmon(
  frame: {
    readonly mac: Uint8Array;
    readonly sequence: number;
    /** dBm; NaN writes the header of firmware without RSSI. */
    readonly rssi: number;
    readonly core?: number;
    readonly chanspec: number;
    readonly bins: number;
  },
  values: ArrayLike<number>,
): Uint8Array {
  const out = new Uint8Array(HEADER_BYTES + 4 * frame.bins);
  const view = new DataView(out.buffer);
  view.setUint16(0, MAGIC, true);
  if (Number.isNaN(frame.rssi)) view.setUint16(2, NO_RSSI, true);
  else view.setInt8(2, frame.rssi);
  out.set(frame.mac, 4);
  view.setUint16(10, frame.sequence << 4, true);
  view.setUint16(12, frame.core ?? 0, true);
  view.setUint16(14, frame.chanspec, true);
  view.setUint16(16, 101, true);
  let at = 0;
  for (const carrier of CARRIERS.get(frame.bins)!.subcarriers) {
    const bin = (carrier + frame.bins) % frame.bins;
    view.setInt16(HEADER_BYTES + 4 * bin, values[at++]!, true);
    view.setInt16(HEADER_BYTES + 4 * bin + 2, values[at++]!, true);
  }
  return out;
}
