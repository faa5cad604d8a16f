/**
 * Compressed beamforming reports of 802.11ac and 802.11ax: a station's report about the channel to its access
 * point, received by any card in monitor mode. Bytes: docs/formats/beamforming.md.
 */
import type { CsiLayout } from '../../../model/index.js';
import {
  anglePattern,
  isReport,
  LAST_UNIT,
  readReport,
  steeringMatrices,
  type Report,
} from './beamforming-report.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import type { FileFormat, Format } from '../../contract/format.js';
import { LayoutCache } from '../../decoder/layout-cache.js';
import { isPcap } from '../../containers/pcap-blocks.js';
import { bytesOf, checkPcap, pcapCutter, pcapStart, recordsOf, type Select } from '../../containers/pcap.js';
import { isMonitored, readRadiotap } from '../../containers/radiotap.js';
import { ASSUMED_MHZ, wideCentreMhz } from '../../radio/wifi-channel.js';

/**
 * A record is a packet with its radiotap header. Frames belong to the link whose `sender` is the station's MAC address,
 * `/` and the access point's, or `*`.
 */
export const beamforming: Format = {
  ...frameFormat(
    // The numbers of a station count everything it sends, so gaps are not loss.
    { format: 'beamforming', sequenceBits: 12, read: readPacket },
    'Beamforming reports of 802.11ac and 802.11ax, packets of a card in monitor mode.',
  ),
  measurement: 'beamforming-report',
  assumes: `where a radiotap header names no channel, ${ASSUMED_MHZ} MHz stands for it`,
};

/** Event time is that of the capture. */
export const beamformingPcap: FileFormat = {
  name: 'beamforming-pcap',
  summary: 'pcap or pcapng of a card in monitor mode (radiotap), with beamforming reports.',
  // The first report may come after hours.
  recognise: (head) => isPcap(head) && recordsOf(head, monitored).length > 0,
  open: (head) => {
    checkPcap('beamforming', head);
    return {
      format: beamforming.name,
      start: pcapStart(head),
      origin: 'replay',
      meta: {},
      cutter: pcapCutter('beamforming', head, reportIn),
    };
  },
};

const monitored: Select = (_, packet) => (isMonitored(packet) ? packet : null);

const reportIn: Select = (view, packet) => {
  if (!isMonitored(packet)) return null;
  const monitor = readRadiotap(bytesOf(view, packet));
  return monitor && isReport(monitor.frame) ? packet : null;
};

const address = (frame: Uint8Array, at: number): string =>
  Array.from(frame.subarray(at, at + 6), (byte) => byte.toString(16).padStart(2, '0')).join(':');

function readPacket(packet: Uint8Array): ReadFrame | ReadFault {
  const report = readReport(packet);
  if ('fault' in report) return report;
  const { frame, mhz = ASSUMED_MHZ, clock, rssi, noise } = report.monitor;
  if (mhz < 2400 || mhz > 7200)
    return {
      fault: 'channel',
      reason: `its radiotap header names no channel of 2.4 to 7.2 GHz (${mhz} MHz)`,
    };
  return {
    sequence: null,
    sender: `${address(frame, 10)}/${address(frame, 4)}`,
    rssi,
    noise,
    deviceTime: clock,
    bits: report.bits.phi,
    instance: report.token,
    parts: [
      {
        layout: layoutOf(report, mhz),
        fill: (values, at) => {
          values.set(steeringMatrices(report), at);
        },
      },
    ],
  };
}

const layouts = new LayoutCache();

function layoutOf({ kind, rows, columns, width, carriers }: Report, mhz: number): CsiLayout {
  const key = `${kind} ${rows}x${columns} ${width} ${carriers.length} ${mhz}`;
  const bandwidthMhz = 20 << width;
  return layouts.of(key, () => ({
    rx: columns,
    tx: rows,
    subcarriers: carriers,
    bandwidthMhz,
    centreMhz: wideCentreMhz(mhz, bandwidthMhz),
    training: kind === 'vht' ? 'vht-ltf' : 'he-ltf',
    measurement: 'beamforming-report',
  }));
}

/** Data of a report besides its angles. */
export interface WrittenReport extends Pick<Report, 'kind' | 'rows' | 'columns' | 'width' | 'token'> {
  readonly grouping: number;
  readonly codebook: 0 | 1;
  readonly isMulti: boolean;
  readonly station: Uint8Array;
  readonly accessPoint: Uint8Array;
  /** Centre of the 20 MHz channel. */
  readonly mhz: number;
  /** dBm. */
  readonly rssi: number;
  /** The card's clock, microseconds. */
  readonly clock: number;
}

/** A packet of a card in monitor mode: the inverse of the decoder. `angles` as {@link Report.angles}; `bits` as it says. */
export function encodeReport(
  report: WrittenReport,
  { phi, psi }: Report['bits'],
  angles: ArrayLike<number>,
): Uint8Array {
  const { kind, rows, columns, width, grouping, codebook, isMulti, token } = report;
  const size = columns - 1 + 8 * (rows - 1) + 64 * width;
  const multi = isMulti ? 1 : 0;
  const control =
    kind === 'vht'
      ? [size, (grouping >> 1) | (codebook << 2) | (multi << 3) | 0x80, token << 2]
      : [
          size,
          (grouping >> 4) | (codebook << 1) | (multi << 2) | 0x80,
          (LAST_UNIT[width]! << 7) & 0x80,
          (LAST_UNIT[width]! >> 1) | ((token & 3) << 6),
          token >> 2,
        ];
  const pattern = anglePattern(report);
  const widths = Array.from(angles, (_, i) => (pattern[i % pattern.length]! ? phi : psi));
  const packed = new Uint8Array(Math.ceil(widths.reduce((sum, bits) => sum + bits, 0) / 8));
  let at = 0;
  for (const [i, bits] of widths.entries())
    for (let bit = 0; bit < bits; bit++, at++) packed[at >> 3]! |= ((angles[i]! >> bit) & 1) << (at & 7);
  const header = Buffer.alloc(22);
  header.writeUInt16LE(header.length, 2);
  // Clock, channel, level.
  header.writeUInt32LE(0b101001, 4);
  header.writeBigUInt64LE(BigInt(report.clock), 8);
  header.writeUInt16LE(report.mhz, 16);
  header.writeInt8(report.rssi, 20);
  const mac = [0xe0, 0, 0, 0, ...report.accessPoint, ...report.station, ...report.accessPoint, 0, 0];
  const body = [kind === 'vht' ? 21 : 30, 0, ...control, ...new Array<number>(columns).fill(0)];
  return Uint8Array.from([...header, ...mac, ...body, ...packed]);
}
