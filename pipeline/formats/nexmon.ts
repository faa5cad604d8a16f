/**
 * seemoo-lab/nexmon_csi, Broadcom chips: UDP datagrams to port 5500, live or in a pcap or pcapng. Bytes:
 * docs/formats/nexmon.md.
 */
import type { CsiLayout } from '../model/index.js';
import { frameFormat, type ReadFault, type ReadFrame } from './frame-decoder.js';
import type { FileFormat, Format } from './format.js';
import { LayoutCache } from './layout-cache.js';
import { isPcap } from './pcap-blocks.js';
import { checkPcap, packetsOf, pcapCutter, pcapStart, udpPayload } from './pcap.js';

/**
 * Frames belong to the link whose `sender` is the transmitter's MAC address, or `*`. Those of core or stream 1 and
 * above have it behind the address (`98:de:d0:48:92:66/1.0`): each is a link of its own.
 */
export const nexmon: Format = frameFormat(
  { format: 'nexmon', sequenceBits: 12, read: readDatagram },
  'Datagrams of nexmon_csi (Broadcom: Raspberry Pi, Nexus, Asus).',
);

/** Event time is that of the capture. */
export const nexmonPcap: FileFormat = {
  name: 'nexmon-pcap',
  summary: 'pcap or pcapng with datagrams of nexmon_csi to port 5500.',
  recognise: (head) =>
    isPcap(head) &&
    packetsOf(head).some((packet) => {
      const payload = udpPayload(packet, PORT);
      return payload !== null && nexmon.recognise(payload);
    }),
  open: (head) => {
    checkPcap('nexmon', head);
    return {
      format: nexmon.name,
      start: pcapStart(head),
      origin: 'replay',
      meta: {},
      cutter: pcapCutter('nexmon', head, (packet) => udpPayload(packet, PORT)),
    };
  },
};

const PORT = 5500;
const MAGIC = 0x1111;
const HEADER_BYTES = 18;
/** What firmware without RSSI writes in its place, and in that of the frame control. */
const NO_RSSI = 0x1111;

/** How a chip writes a value: two i16, or two mantissas and a common exponent of so many bits. */
const CHIPS = new Map<number, { readonly mantissa: number; readonly exponent: number } | 'int16'>([
  [1, 'int16'],
  [101, 'int16'],
  [107, 'int16'],
  [3, { mantissa: 9, exponent: 5 }],
  [106, { mantissa: 12, exponent: 6 }],
]);

function readDatagram(record: Uint8Array): ReadFrame | ReadFault {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  if (record.length < HEADER_BYTES) return { fault: 'truncated', reason: 'shorter than its header' };
  if (view.getUint16(0, true) !== MAGIC)
    return { fault: 'unknown_magic', reason: 'it does not start with the bytes 11 11' };
  const bins = (record.length - HEADER_BYTES) / 4;
  const carriers = CARRIERS.get(bins);
  if (!carriers)
    return {
      fault: 'length',
      reason: `${record.length} bytes: frames have 18 and 4 for each of 64, 128 or 256 carriers`,
    };
  const chip = view.getUint16(16, true);
  const kind = CHIPS.get(chip);
  if (!kind) return { fault: 'chip', reason: `chip ${chip}: known are ${[...CHIPS.keys()].join(', ')}` };
  const mhz = centreMhz(view.getUint16(14, true));
  if (mhz === undefined) return { fault: 'channel', reason: 'its chanspec names no channel' };
  const body = record.slice(HEADER_BYTES);
  const core = view.getUint16(12, true);
  return {
    sequence: view.getUint16(10, true) >> 4,
    sender: senderOf(record, core),
    rssi: view.getUint16(2, true) === NO_RSSI ? NaN : rssiOf(view.getInt8(2)),
    noise: NaN,
    bits: kind === 'int16' ? 16 : kind.mantissa,
    antennas: [core & 7],
    parts: [
      {
        layout: layoutOf(bins, mhz),
        fill: (values, at) => {
          fillValues(body, kind, carriers.bins, values, at);
        },
      },
    ],
  };
}

const rssiOf = (value: number): number => (value < 0 ? value : NaN);

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function senderOf(record: Uint8Array, core: number): string {
  let mac = HEX[record[4]!]!;
  for (let i = 5; i < 10; i++) mac += `:${HEX[record[i]!]!}`;
  return core === 0 ? mac : `${mac}/${core & 7}.${(core >> 3) & 7}`;
}

/** Centre of the band that a chanspec names (Broadcom's `d11ac`): bits 0 to 7 channel, 14 and 15 band. */
function centreMhz(chanspec: number): number | undefined {
  const channel = chanspec & 0xff;
  if (channel === 0) return undefined;
  if (chanspec >> 14 === 3) return 5000 + 5 * channel;
  return channel === 14 ? 2484 : channel < 14 ? 2407 + 5 * channel : undefined;
}

/** Carriers of VHT by the number of bins; those on which the firmware writes its own receive status are left out. */
const CARRIERS = new Map(
  [
    // The status lies in the bins 28 to 30.
    { bins: 64, inner: 1, outer: 28, void: [28, 29, 30] },
    // In the bins 0 to 2.
    { bins: 128, inner: 2, outer: 58, void: [0, 1, 2] },
    { bins: 256, inner: 2, outer: 122, void: [0, 1, 2] },
  ].map(({ bins, inner, outer, void: empty }) => {
    const subcarriers = Array.from({ length: bins }, (_, i) => i - bins / 2).filter(
      (carrier) => Math.abs(carrier) >= inner && Math.abs(carrier) <= outer && !empty.includes(carrier),
    );
    return [bins, { subcarriers, bins: Int32Array.from(subcarriers, (carrier) => (carrier + bins) % bins) }];
  }),
);

const layouts = new LayoutCache();

function layoutOf(bins: number, mhz: number): CsiLayout {
  const key = `${bins}@${mhz}`;
  const { subcarriers } = CARRIERS.get(bins)!;
  const bandwidthMhz = (bins / 64) * 20;
  return layouts.of(key, () => ({
    rx: 1,
    tx: 1,
    subcarriers,
    bandwidthMhz,
    centreMhz: mhz,
    training: 'vht-ltf',
  }));
}

function fillValues(
  body: Uint8Array,
  kind: { readonly mantissa: number; readonly exponent: number } | 'int16',
  bins: Int32Array,
  values: Float32Array,
  at: number,
): void {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  if (kind === 'int16') {
    for (let i = 0; i < bins.length; i++) {
      values[at++] = view.getInt16(4 * bins[i]!, true);
      values[at++] = view.getInt16(4 * bins[i]! + 2, true);
    }
    return;
  }
  const all = unpackFloats(view, kind.mantissa, kind.exponent);
  for (let i = 0; i < bins.length; i++) {
    values[at++] = all[2 * bins[i]!]!;
    values[at++] = all[2 * bins[i]! + 1]!;
  }
}

/** The largest number of a frame has so many bits. */
const SCALED_BITS = 10;

/**
 * Values of a frame, (re, im), as whole numbers of which the largest has {@link SCALED_BITS} bits: what the tool's
 * MATLAB reader gives. A word is, from its top: sign and magnitude of the real part, sign and magnitude of the
 * imaginary part (`mantissa` bits each), and a common exponent in two's complement.
 */
export function unpackFloats(view: DataView, mantissa: number, exponent: number): Float64Array {
  const count = view.byteLength >> 2;
  const out = new Float64Array(2 * count);
  const exponents = new Int32Array(count);
  const magnitude = (1 << (mantissa - 1)) - 1;
  let top = -mantissa;
  for (let i = 0; i < count; i++) {
    const word = view.getUint32(4 * i, true);
    const re = (word >>> (exponent + mantissa)) & magnitude;
    const im = (word >>> exponent) & magnitude;
    exponents[i] = (word << (32 - exponent)) >> (32 - exponent);
    if ((re | im) !== 0) top = Math.max(top, exponents[i]! + 31 - Math.clz32(re | im));
    out[2 * i] = (word >>> (exponent + 2 * mantissa - 1)) & 1 ? -re : re;
    out[2 * i + 1] = (word >>> (exponent + mantissa - 1)) & 1 ? -im : im;
  }
  for (let i = 0; i < count; i++) {
    const by = exponents[i]! + SCALED_BITS - top;
    const scale = by < -mantissa ? 0 : POWERS[by + MIN_POWER]!;
    // A sum with 0 is never -0.
    out[2 * i] = Math.trunc(out[2 * i]! * scale) + 0;
    out[2 * i + 1] = Math.trunc(out[2 * i + 1]! * scale) + 0;
  }
  return out;
}

/** Powers of two, from -{@link MIN_POWER} on: `**` would be most of the work. */
const MIN_POWER = 64;
const POWERS = Float64Array.from({ length: 192 }, (_, i) => 2 ** (i - MIN_POWER));

/** A datagram with values of 16 bits: the inverse of the decoder. `values`: (re, im) of the layout's carriers. */
export function encodeNexmon(
  frame: {
    readonly mac: Uint8Array;
    readonly sequence: number;
    /** dBm; NaN writes the header of firmware without it. */
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
  for (const [i, bin] of CARRIERS.get(frame.bins)!.bins.entries()) {
    view.setInt16(HEADER_BYTES + 4 * bin, values[2 * i]!, true);
    view.setInt16(HEADER_BYTES + 4 * bin + 2, values[2 * i + 1]!, true);
  }
  return out;
}
