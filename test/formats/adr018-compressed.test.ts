import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  decodeCompressed,
  encodeCompressed,
  readDelta,
  writeDelta,
  xor,
} from '../../pipeline/formats/devices/adr018/adr018-delta.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { checkPacket } from '../../pipeline/formats/devices/adr018/adr018-packets.js';
import { adr018, adr018Newest } from '../../pipeline/formats/devices/adr018/adr018.js';
import type { Format } from '../../pipeline/formats/index.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { batchesOf } from './batches.js';

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const BYTES = 128;

/** Pairs of a smooth channel, and a different one for each index. */
const pairsOf = (index: number): Uint8Array =>
  new Uint8Array(
    Int8Array.from({ length: BYTES }, (_, at) => {
      const carrier = (((at >> 1) + 32) % 64) - 32;
      const turn = 0.09 * carrier + index;
      return Math.round(
        (40 + 20 * Math.cos(0.1 * carrier + 2 * index)) * (at % 2 ? Math.cos(turn) : Math.sin(turn)),
      );
    }).buffer,
  );

const raw = (index: number): Uint8Array =>
  encodePairs({ node: 1, bins: 64, mhz: 2437, sequence: index, rssi: -40, noise: -90 }, pairsOf(index));

const packet = (index: number, reference: number): Uint8Array =>
  encodeCompressed({
    node: 1,
    channel: 6,
    rawBytes: BYTES,
    payload: writeDelta(xor(pairsOf(index), pairsOf(reference))),
  });

/** What a decoder makes of records: the frames' values, and its status. */
function decode(records: readonly Uint8Array[], { format = adr018, size = records.length } = {}) {
  const { context, recorded } = testContext();
  let decoder = format.decoder(context);
  const frames: number[][] = [];
  for (const batch of batchesOf(
    records.map((bytes) => ({ bytes })),
    size,
  )) {
    const saved = JSON.parse(JSON.stringify(decoder.snapshot())) as unknown;
    decoder = format.decoder(context);
    decoder.restore(saved);
    for (const one of decoder.decode(batch).data) if (one.port === 'csi') frames.push(...rowsOf(one));
  }
  return { frames, about: decoder.describe(), recorded };
}

const rowsOf = ({ values, time }: CsiBlock): number[][] =>
  Array.from(time, (_, row) => [
    ...values.subarray((row * values.length) / time.length, ((row + 1) * values.length) / time.length),
  ]);

const framesOf = (...indices: readonly number[]) => decode(indices.map(raw)).frames;

describe('a compressed ADR-018 packet', () => {
  it('is a copy if its frame is known, and gives none', () => {
    const { frames, about, recorded } = decode([raw(0), raw(1), raw(2), packet(2, 0), packet(1, 0)]);
    expect(frames).toEqual(framesOf(0, 1, 2));
    expect(about).toMatchObject({ compressed: { copy: 2 }, packets: { csi: 3, compressed: 2 } });
    expect(recorded.lines.filter(({ message }) => message.includes('dropped as copies'))).toHaveLength(1);
  });

  it.each([1, 2, 3, 7])('is decoded against any of the last frames: %i before', (lag) => {
    const before = Array.from({ length: 9 }, (_, index) => raw(index));
    const { frames, about } = decode([...before, packet(20, 9 - lag)]);
    expect(frames.at(-1)).toEqual(framesOf(20)[0]);
    expect(about).toMatchObject({ compressed: { decoded: 1 } });
  });

  it('may refer to one that was compressed itself, over a restart and at any size of batches', () => {
    const records = [raw(0), packet(10, 0), packet(11, 10), raw(12), packet(13, 11)];
    for (const size of [1, 2, records.length]) {
      const { frames } = decode(records, { size });
      expect(frames).toEqual(framesOf(0, 10, 11, 12, 13));
    }
  });

  it.each<[string, Uint8Array[]]>([
    ['no frame of the node is known', [packet(1, 0)]],
    ['none of those fits', [raw(0), raw(1), packet(9, 5)]],
  ])('gives no frame, and says so, if %s', (_, records) => {
    const { frames, about, recorded } = decode(records);
    expect(frames).toHaveLength(records.length - 1);
    expect(about).toMatchObject({ compressed: { no_reference: 1 } });
    expect(recorded.lines.filter(({ message }) => message.includes('none of the last frames'))).toHaveLength(
      1,
    );
  });

  it('is decoded against the newest frame by the variant, whatever the result', () => {
    const variant = (records: readonly Uint8Array[], format: Format = adr018Newest) =>
      decode(records, { format }).frames;
    expect(variant([raw(0), raw(1), packet(9, 1)])).toEqual(framesOf(0, 1, 9));
    const wrong = variant([raw(0), raw(1), packet(9, 0)]);
    expect(wrong).toHaveLength(3);
    expect(wrong[2]).not.toEqual(framesOf(9)[0]);
  });

  it('is refused if its runs do not fill the frame', () => {
    const bad = encodeCompressed({ node: 1, channel: 6, rawBytes: BYTES, payload: Uint8Array.of(0, 100) });
    expect(checkPacket(view(bad))).toBe('runs');
    expect(decode([bad]).about).toMatchObject({ malformed: { runs: 1 } });
  });
});

test('a frame without its first word, as newer firmware marks it, has no timestamp', () => {
  const marked = raw(3);
  marked[19]! |= 0x20;
  expect(decode([marked]).frames).toEqual(framesOf(3));
});

test('a difference and a packet return unchanged', () => {
  const bytes = fc
    .array(fc.constantFrom(0, 0, 0, 1, 255), { maxLength: 600 })
    .map((list) => Uint8Array.from(list));
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(bytes, byte, byte, fc.uint8Array(), (delta, node, channel, seed) => {
      const payload = writeDelta(delta);
      const sent = { node, channel, rawBytes: delta.length, payload };
      const read = decodeCompressed(view(encodeCompressed(sent)));
      expect(read).toEqual(sent);
      const reference = delta.map((_, at) => seed[at % Math.max(1, seed.length)] ?? 0);
      const frame = xor(reference, delta);
      expect(xor(reference, readDelta(read.payload, read.rawBytes)!)).toEqual(frame);
    }),
  );
});
