import { expect, test } from 'vitest';
import { formatNamed } from '../../pipeline/formats/index.js';
import { LinkTable } from '../../pipeline/model/index.js';
import { rawOf } from '../../pipeline/testing/kit/raw.js';
import { formatRecords } from '../kit/drivers/formats.js';
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

test('a damaged record is rejected by the only format, or as unknown', () => {
  const cut = { ...adr018(1), bytes: adr018(1).bytes.subarray(0, 40) };
  const { decoder, recorded } = setUp();
  expect(decoder.decode(rawOf([adr018(0), cut])).failed).toMatchObject([{ code: 'decode.truncated' }]);
  const { failed } = decoder.decode(rawOf([line(0), json(5), cut]));
  expect(failed).toMatchObject([{ code: 'decode.unknown_format' }]);
  expect(recorded.dropped).toMatchObject({ malformed_truncated: 1, malformed_unknown_format: 1 });
  expect(decoder.describe()['malformed']).toMatchObject({ truncated: 1, unknown_format: 1 });
});

test('time is in the record if its format provides it', () => {
  const { timeOf } = formatNamed('auto');
  expect(timeOf!(json(0).bytes)).toBe(Date.UTC(2025, 0, 15) * 1000);
  expect(timeOf!(line(0).bytes)).toBeNull();
});
