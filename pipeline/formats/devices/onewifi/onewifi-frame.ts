/**
 * OneWifi's description of a measurement, the same in JSON and in its structures, and the resulting frame.
 */
import type { CsiLayout } from '../../../model/index.js';
import type { ReadFault, ReadFrame } from '../../decoder/frame-decoder.js';
import { LayoutCache } from '../../decoder/layout-cache.js';
import { orderByQuietTones, toneOf, unknownOrder, type ToneOrder } from '../../radio/tone-order.js';
import { bandOf, type Band, type BandKind } from '../../radio/wifi-bands.js';
import { channelMhz, wideCentreMhz } from '../../radio/wifi-channel.js';

/** `wifi_frame_info_t`. */
export interface OneWifiInfo {
  readonly mode: number;
  readonly rx: number;
  readonly tx: number;
  /** As stored: a byte in two's complement may lack its sign. */
  readonly rssi: readonly number[];
  /** One bit for each 20 MHz. */
  readonly mask: number;
  /** MHz. */
  readonly width: number;
  readonly carriers: number;
  readonly decimation: number;
  readonly channel: number;
  /** Milliseconds. */
  readonly timestamp: number;
}

/** A number of the matrix; `part` 0 is real, 1 imaginary. */
export type OneWifiMatrix = (antenna: number, stream: number, tone: number, part: 0 | 1) => number;

export const MAX_STREAMS = 8;

/** Routers state times of day in seconds of 32 bits, and derive milliseconds from them. */
const LATEST_MS = 2 ** 32 * 1000;

/** By bits 4 to 7 of `bw_mode`. */
const KINDS: readonly BandKind[] = ['ht', 'vht'];

/** @param format its name, for the message about an unknown order of tones */
export function frameOfOneWifi(
  format: string,
  mac: string,
  info: OneWifiInfo,
  matrix: OneWifiMatrix,
  fixed: ToneOrder | null,
): ReadFrame | ReadFault {
  const { rx, tx, carriers } = info;
  if (info.timestamp < 0 || info.timestamp > LATEST_MS)
    return {
      fault: 'time',
      reason: `a time of ${info.timestamp} ms: its router counts milliseconds since 1970 or its start, at most until 2106`,
    };
  const band = bandOfInfo(info);
  if ('fault' in band) return band;
  const tones = band.bandwidthMhz * 3.2;
  const power = (tone: number): number => {
    let sum = 0;
    for (let antenna = 0; antenna < rx; antenna++)
      for (let stream = 0; stream < tx; stream++)
        sum += matrix(antenna, stream, tone, 0) ** 2 + matrix(antenna, stream, tone, 1) ** 2;
    return sum;
  };
  const isWhole = carriers === tones;
  const order = isWhole ? (fixed ?? orderByQuietTones(tones, band.subcarriers, power)) : 'ascending';
  if (order === null) return unknownOrder(format);
  const mhz = channelMhz(info.channel);
  if (mhz === undefined) return { fault: 'channel', reason: `channel ${info.channel} is invalid` };
  const levels = info.rssi.map((level) => (level > 127 ? level - 256 : level)).filter((level) => level < 0);
  return {
    sequence: null,
    sender: mac,
    rssi: levels.length > 0 ? Math.max(...levels) : NaN,
    noise: NaN,
    deviceTime: info.timestamp * 1000,
    bits: 16,
    parts: [
      {
        layout: layoutOf(band, rx, tx, wideCentreMhz(mhz, band.bandwidthMhz)),
        fill: (values, at) => {
          for (let antenna = 0; antenna < rx; antenna++)
            for (let stream = 0; stream < tx; stream++)
              for (const [i, carrier] of band.subcarriers.entries()) {
                const tone = isWhole ? toneOf(order, carrier, tones) : i;
                values[at++] = matrix(antenna, stream, tone, 0);
                values[at++] = matrix(antenna, stream, tone, 1);
              }
        },
      },
    ],
  };
}

/** The carriers of a measurement of all tones, or of the carriers only. */
function bandOfInfo({ mode, width, carriers, decimation, mask }: OneWifiInfo): Band | ReadFault {
  const index = [20, 40, 80].indexOf(width);
  const kind = KINDS[mode >> 4];
  const found = kind && index >= 0 ? bandOf(kind, index) : undefined;
  if (!found)
    return {
      fault: 'kind',
      reason: `bw_mode ${mode} at ${width} MHz: supported are 802.11n at 20 and 40 MHz and 802.11ac at 20 to 80`,
    };
  if (decimation > 1)
    return {
      fault: 'decimation',
      reason: `only one tone in ${decimation}, of unknown position: measure without decimation`,
    };
  const all = 2 ** (index === 2 ? 4 : index + 1) - 1;
  if (mask !== 0 && (mask & all) !== all)
    return { fault: 'valid_mask', reason: `valid_mask ${mask}: not every 20 MHz of it was measured` };
  if (carriers === 64 << index || carriers === found.subcarriers.length) return found;
  return {
    fault: 'carriers',
    reason: `${carriers} tones at ${width} MHz: supported are ${64 << index} and ${found.subcarriers.length}`,
  };
}

const layouts = new LayoutCache();

function layoutOf(band: Band, rx: number, tx: number, centreMhz: number): CsiLayout {
  const key = `${band.training} ${band.bandwidthMhz} ${rx} ${tx} ${centreMhz}`;
  return layouts.of(key, () => ({ ...band, rx, tx, centreMhz }));
}
