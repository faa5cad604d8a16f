import { expect, test } from 'vitest';
import { FORMATS, formatNamed } from '../../pipeline/formats/index.js';
import { LinkTable } from '../../pipeline/model/index.js';
import { rawOf } from '../../pipeline/testing/kit/raw.js';
import { formatRecords } from '../kit/drivers/formats.js';
import { bareRecords, SAMPLES } from './samples.js';
import { testContext, testEnvironment } from '../support/context.js';

const links = new LinkTable([
  {
    ...testEnvironment,
    links: [
      { ...testEnvironment.links[0]!, sender: 'node-1' },
      { ...testEnvironment.links[1]!, sender: 'csi/attic' },
    ],
  },
]);

const setUp = () => {
  const { context, recorded } = testContext({ links });
  return { decoder: formatNamed('auto').decoder(context), recorded };
};

const adr018 = (index: number) => formatRecords['adr018']!(2 * index);
const line = (index: number) => ({ ...formatRecords['esp32-serial']!(index), sender: 'csi/attic' });
const json = (index: number) => formatRecords['csi-json']!(2 * index);

test('records of several formats are read from one stream, each link in its order', () => {
  const { decoder } = setUp();
  const mixed = [0, 1, 2].flatMap((index) => [adr018(index), line(index)]);
  const { data, failed } = decoder.decode(rawOf(mixed));
  expect(failed).toBeUndefined();
  const blocks = data.flatMap((one) => (one.port === 'csi' ? [one] : []));
  expect(blocks.map(({ link, sequence }) => [[...link], [...sequence]])).toEqual([
    [
      [0, 0, 0],
      [0, 1, 2],
    ],
    [
      [1, 1, 1],
      [0, 1, 2],
    ],
  ]);
  expect(decoder.describe()).toMatchObject({
    format: 'adr018, esp32-serial',
    active_links: 2,
    packets: { csi: 6 },
    links: { 'link-1': { received: 3, lost: 0 }, 'link-2': { received: 3, lost: 0 } },
  });
});

test('a damaged record is rejected by the format whose signature it has, or as unknown', () => {
  const cut = { ...adr018(1), bytes: adr018(1).bytes.subarray(0, 8) };
  const unknown = { ...adr018(1), bytes: Buffer.from('what is this?') };
  const { decoder, recorded } = setUp();
  const { failed } = decoder.decode(rawOf([line(0), cut, json(5), unknown]));
  expect(failed).toMatchObject([{ code: 'decode.unknown_format' }, { code: 'decode.truncated' }]);
  expect(recorded.dropped).toMatchObject({ malformed_truncated: 1, malformed_unknown_format: 1 });
  expect(decoder.describe()['malformed']).toMatchObject({ truncated: 1, unknown_format: 1 });
});

test('a record without a signature is explained by the only format that was seen', () => {
  const { decoder } = setUp();
  const cut = { ...adr018(1), bytes: adr018(1).bytes.subarray(4, 40) };
  expect(decoder.decode(rawOf([adr018(0), cut])).failed).toMatchObject([{ code: 'decode.unknown_magic' }]);
});

test('no record has the signature of another format', () => {
  const signed = FORMATS.filter(({ hasSignature, variantOf }) => hasSignature && !variantOf);
  const records = [
    ...SAMPLES.flatMap((sample) => bareRecords(sample).map((bytes) => ({ format: sample.format, bytes }))),
    ...Object.entries(formatRecords).map(([format, record]) => ({ format, bytes: record(0).bytes })),
  ];
  const foreign = records.flatMap(({ format, bytes }) =>
    signed
      .filter(({ name, hasSignature }) => name !== format && hasSignature!(bytes))
      .map(({ name }) => `${format} as ${name}`),
  );
  expect(signed.map(({ name }) => name)).toEqual([
    ...['adr018', 'esp32-serial', 'esp-csi', 'esp32-csi-tool', 'espectre', 'esp-framed', 'nexmon'],
  ]);
  expect([...new Set(foreign)]).toEqual([]);
});

test('time is in the record if its format provides it', () => {
  const { timeOf } = formatNamed('auto');
  expect(timeOf!(json(0).bytes)).toBe(Date.UTC(2025, 0, 15) * 1000);
  expect(timeOf!(line(0).bytes)).toBeNull();
});
