/**
 * MediaTek's mt76 (Filogic routers): the JSON rows of its open user tool, one per measurement of an antenna
 * and a stream. Fields: docs/formats/mediatek.md.
 */
import { errorText } from '../../base/error-text.js';
import type { CsiLayout } from '../../model/index.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../decoder/frame-decoder.js';
import { recordingOf, type FileFormat, type Format } from '../contract/format.js';
import { JsonCutter, type ValueKind } from '../containers/json-cutter.js';
import { LayoutCache } from '../decoder/layout-cache.js';
import { latin1 } from '../containers/line-cutter.js';
import {
  orderByQuietTones,
  orderText,
  TONE_ORDERS,
  toneOf,
  unknownOrder,
  type ToneOrder,
} from '../radio/tone-order.js';
import { ASSUMED_MHZ, CHANNEL_UNKNOWN } from '../radio/wifi-channel.js';
import { bandOf, type Band, type BandKind } from '../radio/wifi-bands.js';
import { parseJson } from '../decoder/parse-json.js';

const NAME = 'mediatek-csi';

/**
 * Frames belong to the link whose `sender` is the transmitter's MAC address, or `*`. For receive antennas or
 * streams other than 0, the sender has a suffix (`98:de:d0:48:92:66/1.0`): each is a separate link.
 */
export const mediatekCsi: Format = mediatek(null);

/** The same rows, for a known order of tones. */
export const mediatekCsiVariants: readonly Format[] = TONE_ORDERS.map(mediatek);

function mediatek(order: ToneOrder | null): Format {
  return {
    ...frameFormat(
      {
        format: order === null ? NAME : `${NAME}-${order}`,
        sequenceBits: 32,
        read: (record) => readRow(record, order),
      },
      `MediaTek mt76: rows of JSON, ${orderText(order)}.`,
    ),
    recognise: (record) => record[0] === OPENING && !('fault' in parseRow(latin1(record).trimEnd())),
    assumes: CHANNEL_UNKNOWN,
    ...(order !== null && { variantOf: NAME }),
  };
}

/** Event time is the card's own clock, counted from 1970. */
export const mediatekCsiLog: FileFormat = {
  name: 'mediatek-csi-log',
  summary: "Rows of JSON of MediaTek's mt76 tool.",
  recognise: (head) => {
    const [row] = latin1(head).match(new RegExp(`${BEGINS}[^"]*`)) ?? [];
    return row !== undefined;
  },
  open: recordingOf(mediatekCsi, () => new JsonCutter(ROWS)),
};

const OPENING = 0x5b;
const MAC = '"[\\da-fA-F]{2}(?::[\\da-fA-F]{2}){5}"';
const BEGINS = `\\[\\s{0,8}\\d{1,20}\\s{0,8},\\s{0,8}${MAC}\\s{0,8},`;
const FIELDS = 13;
/** 1,024 tones of 160 MHz, up to seven characters per part. */
const MAX_BYTES = 65_536;
/** mt76's numbers for the kinds of frames. */
const MODES: Readonly<Record<number, BandKind>> = {
  1: 'legacy',
  2: 'ht',
  3: 'ht',
  4: 'vht',
  8: 'he',
  9: 'he',
};
/** For HE frames, every fourth carrier is measured. */
const HE_STEP = 4;

const ROWS: ValueKind = {
  name: NAME,
  begins: new RegExp(BEGINS, 'g'),
  longestStart: 80,
  // The driver counts microseconds with 32 bits.
  clock: { unit: 1, period: 2 ** 32, confirm: 3 },
  stampOf: (text) => {
    const stamp = Number(/^\[\s*(\d+)/.exec(text)?.[1]);
    return stamp < 2 ** 32 ? stamp : null;
  },
};

interface Row {
  readonly clock: number;
  readonly mac: string;
  readonly rssi: number;
  /** 0 to 3: 20 to 160 MHz. */
  readonly width: number;
  /** Index among the 20 MHz channels, from the lowest one. */
  readonly primary: number;
  readonly mode: number;
  readonly tx: number;
  readonly rx: number;
  readonly re: readonly number[];
  readonly im: readonly number[];
}

function parseRow(text: string): Row | ReadFault {
  let row: unknown;
  try {
    row = parseJson(text, MAX_BYTES);
  } catch (error) {
    return { fault: 'truncated', reason: errorText(error) };
  }
  if (!Array.isArray(row) || row.length !== FIELDS)
    return { fault: 'fields', reason: `it is not an array of ${FIELDS} fields` };
  const [re, im] = [row[11], row[12]] as [unknown, unknown];
  const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
  if (![0, 2, 3, 4, 5, 6, 7, 8].every((at) => isWhole(row[at])) || typeof row[1] !== 'string')
    return { fault: 'value', reason: 'one of its fields is not a whole number, or field 1 not an address' };
  if (!new RegExp(`^${MAC}$`).test(`"${row[1]}"`))
    return { fault: 'value', reason: 'field 1 is not a MAC address' };
  const isPart = (part: unknown): part is number[] =>
    Array.isArray(part) && part.every((value) => isWhole(value) && Math.abs(value) <= 32_768);
  if (!isPart(re) || !isPart(im) || re.length !== im.length)
    return { fault: 'value', reason: 'fields 11 and 12 are not lists of equally many 16-bit whole numbers' };
  const [clock, , rssi, , width, primary, mode, tx, rx] = row as number[];
  return {
    ...{ clock: clock!, mac: row[1].toLowerCase(), rssi: rssi!, width: width!, primary: primary! },
    ...{ mode: mode!, tx: tx!, rx: rx!, re, im },
  };
}

function readRow(record: Uint8Array, fixed: ToneOrder | null): ReadFrame | ReadFault | null {
  if (record.length > MAX_BYTES) return { fault: 'oversized', reason: `longer than ${MAX_BYTES} bytes` };
  if (record[0] !== OPENING) return null;
  const row = parseRow(latin1(record).trimEnd());
  if ('fault' in row) return row;
  const span = spanOf(row);
  if ('fault' in span) return span;
  const { band, carriers, tones } = span;
  const power = (tone: number): number => row.re[tone]! ** 2 + row.im[tone]! ** 2;
  const isOfdm20 = tones === 64 && band.training === 'lltf';
  const order = fixed ?? (isOfdm20 ? 'fft' : orderByQuietTones(tones, carriers, power));
  if (order === null) return unknownOrder(NAME);
  const stream = row.rx === 0 && row.tx === 0 ? '' : `/${row.rx}.${row.tx}`;
  return {
    sequence: null,
    sender: `${row.mac}${stream}`,
    rssi: row.rssi < 0 && row.rssi > -128 ? row.rssi : NaN,
    noise: NaN,
    deviceTime: row.clock,
    bits: 16,
    antennas: [row.rx],
    parts: [
      {
        layout: layoutOf(band),
        fill: (values, at) => {
          for (const carrier of carriers) {
            const tone = toneOf(order, carrier, tones);
            values[at++] = row.re[tone]!;
            values[at++] = row.im[tone]!;
          }
        },
      },
    ],
  };
}

/** The tones that a frame occupies. */
interface Span {
  readonly band: Band;
  /** Its carriers relative to the middle of the tones, in units of a tone. */
  readonly carriers: readonly number[];
  readonly tones: number;
}

function spanOf({ mode, width, primary, rx, tx, re }: Row): Span | ReadFault {
  const kind = MODES[mode];
  const full = kind && width >= 0 ? bandOf(kind, width) : undefined;
  if (!full)
    return {
      fault: 'kind',
      reason: `mode ${mode} at width ${width}: supported are 1, 2, 3, 4, 8, 9 at 0 to 3`,
    };
  if (rx < 0 || rx > 7 || tx < 0 || tx > 7)
    return { fault: 'antennas', reason: `antenna ${rx}, stream ${tx}: supported are 0 to 7` };
  const tones = re.length;
  const channel = Math.log2(tones / 64);
  if (!Number.isInteger(channel) || channel < width || channel > 4)
    return {
      fault: 'tones',
      reason: `${tones} tones: supported are 64, 128, 256 ..., up to the number for its width`,
    };
  const band = kind === 'he' ? everyFourth(full) : full;
  const step = kind === 'he' ? HE_STEP : 1;
  // A frame narrower than the channel occupies one of its subchannels.
  const subchannels = 2 ** (channel - width);
  const subchannel = Math.floor(primary / 2 ** width);
  if (subchannels > 1 && (primary < 0 || subchannel >= subchannels))
    return { fault: 'channel', reason: `20 MHz channel ${primary} of ${2 ** channel}` };
  const middle = subchannels === 1 ? 0 : (subchannel - (subchannels - 1) / 2) * 64 * 2 ** width;
  return { band, carriers: band.subcarriers.map((carrier) => carrier / step + middle), tones };
}

const sparse = new Map<string, Band>();

function everyFourth(band: Band): Band {
  const key = String(band.bandwidthMhz);
  let found = sparse.get(key);
  if (!found) {
    found = { ...band, subcarriers: band.subcarriers.filter((carrier) => carrier % HE_STEP === 0) };
    sparse.set(key, found);
  }
  return found;
}

const layouts = new LayoutCache();

function layoutOf(band: Band): CsiLayout {
  const key = `${band.training} ${band.bandwidthMhz}`;
  return layouts.of(key, () => ({ ...band, rx: 1, tx: 1, centreMhz: ASSUMED_MHZ }));
}

/** A row of a frame as wide as its channel: the inverse of the decoder. `values`: (re, im) of its carriers. */
export function encodeMediatek(
  row: Omit<Row, 're' | 'im'> & { readonly order: ToneOrder },
  values: ArrayLike<number>,
): string {
  const { clock, mac, rssi, width, primary, mode, tx, rx, order } = row;
  const tones = 64 << width;
  const [re, im] = [new Array<number>(tones).fill(0), new Array<number>(tones).fill(0)];
  const span = spanOf({ ...row, re, im });
  if ('fault' in span) throw new RangeError(span.reason);
  for (const [i, carrier] of span.carriers.entries()) {
    re[toneOf(order, carrier, tones)] = values[2 * i]!;
    im[toneOf(order, carrier, tones)] = values[2 * i + 1]!;
  }
  return JSON.stringify([clock, mac, rssi, 30, width, primary, mode, tx, rx, 0, 0, re, im]);
}
