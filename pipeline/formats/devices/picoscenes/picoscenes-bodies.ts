import type { LayoutFields } from '../../../model/index.js';
import { HT_CARRIERS, tenBitBytes, unpackTenBits } from '../qualcomm/atheros.js';
import { axBand, fillAx, RAW } from '../intel/intel-ax.js';
import { connectors, payloadBytes, SUBCARRIERS_20, SUBCARRIERS_40, unpackCsi } from '../intel/intel5300.js';
import type { CsiSegment } from './picoscenes-frame.js';
import { viewOf } from '../../../base/view-of.js';

/** The values of a segment, in the encoding of its device. */
export interface Body {
  readonly layout: Pick<LayoutFields, 'rx' | 'tx' | 'subcarriers' | 'training'>;
  readonly bits: number;
  readonly antennas: readonly number[] | undefined;
  readonly fill: (values: Float32Array, at: number) => void;
}

type ReadBody = (csi: CsiSegment, realFirst: boolean) => Body | string;

const AX200 = 0x2000;
const AX210 = 0x2100;
const IWL5300 = 0x5300;
const QCA9300 = 0x9300;

const BODIES = new Map<number, ReadBody>([
  [AX200, readAx],
  [AX210, readAx],
  [IWL5300, readIntel5300],
  [QCA9300, readQca9300],
]);

/** Devices whose clock is in the segment `MVMExtra`. */
export const isAx = (device: number): boolean => device === AX200 || device === AX210;

/**
 * Returns a text with the reason if the values cannot be read.
 * @param realFirst of an AX200 or AX210: mirrored in phase
 */
export function readBody(csi: CsiSegment, realFirst: boolean): Body | string {
  const read = BODIES.get(csi.device);
  const known = [...BODIES.keys()].map((device) => `0x${device.toString(16)}`).join(', ');
  if (!read) return `device 0x${csi.device.toString(16)}: supported are ${known}`;
  if (csi.count !== 1) return `${csi.count} measurements in one segment: only one is supported`;
  if (csi.rx < 1 || csi.rx > 4) return `${csi.rx} receive antennas`;
  return read(csi, realFirst);
}

const wrongLength = ({ values, tones, rx }: CsiSegment): string =>
  `${values.length} bytes do not fit ${tones} tones and ${rx} antennas`;

/** For each of 30 groups: 3 bits to skip, and two 8-bit numbers per stream. */
function readIntel5300(csi: CsiSegment): Body | string {
  const { values, rx, tones, antennas: antennaSelection, bandwidthMhz } = csi;
  const tx = [1, 2, 3].find((streams) => payloadBytes(rx, streams) === values.length);
  if (tx === undefined || tones !== 30 || rx > 3) return wrongLength(csi);
  const subcarriers = bandwidthMhz === 40 ? SUBCARRIERS_40 : SUBCARRIERS_20;
  return {
    layout: { rx, tx, subcarriers, training: 'ht-ltf' },
    bits: 8,
    antennas: connectors({ antennaSelection, rx }),
    fill: (out, at) => {
      unpackCsi({ rx, tx, payload: values, antennaSelection }, out, at);
    },
  };
}

function readQca9300(csi: CsiSegment): Body | string {
  const { values, rx, tones } = csi;
  const subcarriers = HT_CARRIERS.get(tones);
  const tx = [1, 2, 3].find((streams) => tenBitBytes(tones, rx, streams) === values.length);
  if (tx === undefined || !subcarriers || rx > 3) return wrongLength(csi);
  return {
    layout: { rx, tx, subcarriers, training: 'ht-ltf' },
    bits: 10,
    antennas: [0, 1, 2].slice(0, rx),
    fill: (out, at) => {
      unpackTenBits(values, tones, rx, tx, out, at);
    },
  };
}

function readAx(csi: CsiSegment, realFirst: boolean): Body | string {
  const { values, rx, tones, streams: tx, packetFormat, bandwidthMhz } = csi;
  // Both kinds of HE have the same carriers.
  const kind = Math.min(packetFormat, 3) + 1;
  const band = packetFormat > 4 ? undefined : axBand(kind, Math.log2(bandwidthMhz / 20), tones);
  if (!band)
    return `${tones} tones at ${bandwidthMhz} MHz, packet format ${packetFormat}: no frame has this number`;
  if (tx < 1 || tx > 4 || values.length !== rx * tx * tones * RAW) return wrongLength(csi);
  const view = viewOf(values);
  return {
    layout: { rx, tx, subcarriers: band.subcarriers, training: band.training },
    bits: 16,
    antennas: undefined,
    fill: (out, at) => {
      fillAx(view, RAW, { band, tones, streams: rx * tx, realFirst }, out, at);
    },
  };
}
