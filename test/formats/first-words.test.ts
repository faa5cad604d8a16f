import { describe, expect, it } from 'vitest';
import { FirstWords } from '../../pipeline/formats/devices/espressif/first-words.js';
import { formatNamed, type Decoder } from '../../pipeline/formats/index.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { batchOf } from './batches.js';

const VALUES = Array.from({ length: 128 }, (_, i) => i - 60).join();
const line = (index: number, firstWord: number, mac = '1a:00:00:00:00:00'): Uint8Array =>
  Buffer.from(
    `CSI_DATA,${index},${mac},-45,11,0,0,0,1,1,0,0,0,0,-93,0,11,0,${index * 10_000},0,67,0,128,${firstWord},"[${VALUES}]"`,
  );

const decoder = (): Decoder =>
  formatNamed('esp-csi').decoder(testContext({ links: new LinkTable([anySender]) }).context);
const carriersOf = (by: Decoder, record: Uint8Array): number =>
  (by.decode(batchOf({ bytes: record })).data as readonly CsiBlock[])[0]!.layout.subcarriers.length;

describe('a sender whose first word is invalid in some frames', () => {
  it('has one layout from the first such frame on', () => {
    const board = decoder();
    expect([0, 1, 0, 1, 0, 0].map((flag, i) => carriersOf(board, line(i, flag)))).toEqual([
      ...[52, 51, 51],
      ...[51, 51, 51],
    ]);
  });

  it('has it after a restart too', () => {
    const [before, after] = [decoder(), decoder()];
    carriersOf(before, line(0, 1));
    after.restore(JSON.parse(JSON.stringify(before.snapshot())));
    expect(carriersOf(after, line(1, 0))).toBe(51);
  });

  it('changes no other sender', () => {
    const board = decoder();
    carriersOf(board, line(0, 1));
    expect(carriersOf(board, line(0, 0, '1a:00:00:00:00:02'))).toBe(52);
  });
});

describe('the memory of first words', () => {
  it('ends after 10,000 frames without an invalid one', () => {
    const words = new FirstWords();
    words.areInvalid('a', true);
    const left = Array.from({ length: 10_002 }, () => words.areInvalid('a', false));
    expect([left[0], left[9_999], left[10_000], left[10_001]]).toEqual([true, true, false, false]);
  });

  it('holds 256 senders; the frames of others are judged alone', () => {
    const words = new FirstWords();
    for (let i = 0; i < 300; i++) words.areInvalid(`sender ${i}`, true);
    expect(words.areInvalid('sender 255', false)).toBe(true);
    expect(words.areInvalid('sender 256', false)).toBe(false);
    expect(words.areInvalid('sender 256', true)).toBe(true);
  });
});
