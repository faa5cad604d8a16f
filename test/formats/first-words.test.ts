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
  it('has one layout from the second such frame on: one may be a damaged line', () => {
    const board = decoder();
    expect([0, 1, 0, 1, 0, 0].map((flag, i) => carriersOf(board, line(i, flag)))).toEqual([
      ...[52, 51, 52],
      ...[51, 51, 51],
    ]);
  });

  it('has it after a restart too', () => {
    const [before, after] = [decoder(), decoder()];
    for (const index of [0, 1]) carriersOf(before, line(index, 1));
    after.restore(JSON.parse(JSON.stringify(before.snapshot())));
    expect(carriersOf(after, line(2, 0))).toBe(51);
  });

  it('changes no other sender', () => {
    const board = decoder();
    for (const index of [0, 1]) carriersOf(board, line(index, 1));
    expect(carriersOf(board, line(0, 0, '1a:00:00:00:00:02'))).toBe(52);
  });
});

const flag = (words: FirstWords, sender: string): void => {
  for (let i = 0; i < 2; i++) words.areInvalid(sender, true);
};

describe('the memory of first words', () => {
  it('ends after 10,000 frames without an invalid one', () => {
    const words = new FirstWords();
    flag(words, 'a');
    const left = Array.from({ length: 10_002 }, () => words.areInvalid('a', false));
    expect([left[0], left[9_999], left[10_000], left[10_001]]).toEqual([true, true, false, false]);
  });

  it('holds the 256 senders heard last: strangers do not keep a new one out', () => {
    const words = new FirstWords();
    for (let i = 0; i < 256; i++) flag(words, `sender ${i}`);
    words.areInvalid('sender 0', false);
    flag(words, 'new');
    expect(['sender 0', 'sender 1', 'sender 2', 'new'].map((one) => words.areInvalid(one, false))).toEqual([
      ...[true, false],
      ...[true, true],
    ]);
  });
});
