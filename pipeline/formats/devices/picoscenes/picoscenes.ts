/**
 * PicoScenes (Z. Jiang et al., "Eliminating the barriers", IEEE IoT Journal 2021): files, and datagrams of
 * one frame each. Bytes: docs/formats/picoscenes.md.
 */
import type { CsiLayout } from '../../../model/index.js';
import type { ClockKind } from '../../containers/device-clock.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import type { FileFormat, Format } from '../../contract/format.js';
import { LayoutCache } from '../../decoder/layout-cache.js';
import { centreFault } from '../../radio/wifi-channel.js';
import { isAx, readBody, type Body } from './picoscenes-bodies.js';
import {
  frameLength,
  HEADER_BYTES,
  openFrame,
  readBasic,
  readCsi,
  readGain,
  transmitterOf,
  type Basic,
  type CsiSegment,
  type PicoFrame,
  type Segment,
} from './picoscenes-frame.js';
import { firstRecord, RecordCutter, type RecordKind } from '../../containers/record-cutter.js';
import { viewOf } from '../../../base/view-of.js';

/**
 * Frames belong to the link of the packet's transmitter (a MAC address), or `*`. Frames without CSI are
 * skipped.
 */
export const picoscenes: Format = pico(
  'picoscenes',
  'PicoScenes: Intel 5300, AX200 and AX210, QCA9300.',
  false,
);

/** The same bytes as some other readers interpret them: mirrored in phase for an AX200 or AX210. */
export const picoscenesRealFirst: Format = pico(
  'picoscenes-real-first',
  'PicoScenes, the real part of an AX200 or AX210 first: the phase is mirrored.',
  true,
);

/** Event time is that of the host if the file has it, otherwise the card's own clock, counted from 1970. */
export const picoscenesFile: FileFormat = {
  name: 'picoscenes-file',
  summary: 'File (.csi) of PicoScenes.',
  recognise: (head) => firstFrame(head) !== null,
  open: (head) => ({
    format: picoscenes.name,
    start: 0,
    origin: 'replay',
    meta: {},
    cutter: new RecordCutter(recordsOf(firstFrame(firstRecord(head, FRAMES)))),
  }),
};

function pico(name: string, summary: string, realFirst: boolean): Format {
  const read = (record: Uint8Array) => readRecord(record, realFirst);
  const format = frameFormat({ format: name, sequenceBits: 32, read }, summary);
  return {
    ...format,
    recognise: (record) => openFrame(record) !== null,
    ...(realFirst && { variantOf: 'picoscenes' }),
  };
}

const segment = ({ segments }: PicoFrame, name: string): Segment | undefined =>
  segments.find((one) => one.name === name);

function readRecord(record: Uint8Array, realFirst: boolean): ReadFrame | ReadFault | null {
  const frame = openFrame(record.slice());
  if (!frame) return { fault: 'segments', reason: 'its segments extend beyond it' };
  const measured = segment(frame, 'CSI');
  if (!measured) return null;
  const csi = readCsi(measured);
  if (typeof csi === 'string') return { fault: 'segment', reason: csi };
  const frequency = centreFault(csi.centreMhz);
  if (frequency !== undefined) return { fault: 'frequency', reason: frequency };
  const body = readBody(csi, realFirst);
  if (typeof body === 'string') return { fault: 'body', reason: body };
  const basicSegment = segment(frame, 'RxSBasic');
  const basic = basicSegment && readBasic(basicSegment);
  if (!basic) return { fault: 'basic', reason: 'it has no RxSBasic of version 1 to 6' };
  const extra = segment(frame, 'ExtraInfo');
  const gain = extra && readGain(extra);
  const clock = clockOf(frame, basic);
  return {
    sequence: null,
    // The sender of the datagram is the receiver of the packet, which does not identify the transmitter.
    sender: transmitterOf(frame.packet),
    rssi: basic.rssi,
    noise: basic.noise,
    ...(clock !== null && { deviceTime: clock.stamp * clock.unit }),
    ...(gain !== undefined && { agc: gain }),
    bits: body.bits,
    antennas: body.antennas,
    parts: [{ layout: layoutOf(csi, body), fill: body.fill }],
  };
}

/** The clock of an AX200 or AX210, in its segment `MVMExtra`: 320 per microsecond, wrapping after 13.4 s. */
const AX_CLOCK = { unit: 1 / 320, period: 2 ** 32, confirm: 3 };
const AX_CLOCK_AT = 2 + 8;
const CARD_CLOCK = { unit: 1, confirm: 3 };
const HOST_CLOCK = { unit: 1, confirm: 3, slack: 1_000_000, absolute: true };

/** The card's clock; null if the frame does not have it. */
function clockOf(
  frame: PicoFrame,
  { device, clock }: Basic,
): (ClockKind & { readonly stamp: number }) | null {
  const extra = segment(frame, 'MVMExtra');
  if (isAx(device) && extra && extra.body.byteLength >= AX_CLOCK_AT + 4)
    return { ...AX_CLOCK, stamp: extra.body.getUint32(AX_CLOCK_AT, true) };
  return clock === 0 ? null : { ...CARD_CLOCK, stamp: clock };
}

const FRAMES = { headerBytes: HEADER_BYTES, lengthAt: frameLength };

function firstFrame(head: Uint8Array): PicoFrame | null {
  if (head.length < HEADER_BYTES) return null;
  const length = frameLength(viewOf(head), 0);
  return length === 0 || length > head.length ? null : openFrame(head.subarray(0, length));
}

/** Records that have the same clock as the first one: a file contains data of one card. */
function recordsOf(first: PicoFrame | null): RecordKind {
  const basicOf = (frame: PicoFrame | null): Basic | null => {
    const found = frame && segment(frame, 'RxSBasic');
    return found ? readBasic(found) : null;
  };
  const basic = basicOf(first);
  const isHostTimed = basic !== null && basic.hostTime > 0;
  const clock = first && basic && clockOf(first, basic);
  return {
    name: 'picoscenes',
    ...FRAMES,
    clock: isHostTimed ? HOST_CLOCK : (clock ?? CARD_CLOCK),
    stampAt: (view, at) => {
      const length = Math.min(frameLength(view, at), view.byteLength - at);
      const frame = openFrame(new Uint8Array(view.buffer, view.byteOffset + at, length));
      const found = basicOf(frame);
      if (!frame || !found) return 0;
      return isHostTimed ? found.hostTime : (clockOf(frame, found)?.stamp ?? 0);
    },
  };
}

const layouts = new LayoutCache();

function layoutOf(
  { device, packetFormat, bandwidthMhz, centreMhz, tones }: CsiSegment,
  { layout: { rx, tx, ...band } }: Body,
): CsiLayout {
  const key = `${device} ${packetFormat} ${bandwidthMhz} ${centreMhz} ${tones} ${rx} ${tx}`;
  return layouts.of(key, () => ({ rx, tx, ...band, bandwidthMhz, centreMhz }));
}
