import { constants, deflateSync, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Packer } from '../../pipeline/kafka/partitions/packer.js';
import { seededRandom } from '../../pipeline/base/random.js';

const random = seededRandom(1, 'packer');
/** Bytes whose lowest bits are noise. */
const noise = (bits: number) => Uint8Array.from({ length: 4096 }, () => Math.floor(random() * 2 ** bits));

const byRepetition = (content: Uint8Array) => deflateSync(content, { level: 1 });
const byRuns = (content: Uint8Array) => deflateSync(content, { level: 1, strategy: constants.Z_RLE });

test('repetitions are looked for in a part that shrinks', async () => {
  const packer = new Packer();
  const content = noise(4);
  for (let i = 0; i < 3; i++) expect(await packer.pack('part', content)).toEqual(byRepetition(content));
});

test('they are not in a dense part, but for every sixteenth time', async () => {
  const packer = new Packer();
  const content = noise(8);
  expect(await packer.pack('dense', content)).toEqual(byRepetition(content));
  for (let i = 0; i < 15; i++) expect(await packer.pack('dense', content)).toEqual(byRuns(content));
  expect(await packer.pack('other', content)).toEqual(byRepetition(content));
  expect(await packer.pack('dense', content)).toEqual(byRepetition(content));
});

test('all of it is read again', async () => {
  const packer = new Packer();
  const content = noise(8);
  for (let i = 0; i < 2; i++)
    expect(new Uint8Array(inflateSync(await packer.pack('part', content)))).toEqual(content);
});
