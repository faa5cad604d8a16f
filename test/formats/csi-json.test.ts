import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatNamed, recogniseFile, recogniseRecord } from '../../pipeline/formats/index.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { testContext, testEnvironment } from '../support/context.js';
import { batchOf } from './batches.js';
import { cutAll } from './cut.js';

const format = formatNamed('csi-json');
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

const body = (overrides: object = {}, metadata: object = {}) => ({
  csi_data: {
    timestamp: '2025-01-15T10:30:00.250Z',
    antenna_data: [
      [1, 2, 3, 4].map((real) => ({ real, imag: -real })),
      [5, 6, 7, 8].map((real) => ({ real, imag: -real })),
    ],
    metadata: { router_id: 'router-1', sampling_rate: 30, signal_strength: -45, ...metadata },
    ...overrides,
  },
});

const environments = [
  {
    ...testEnvironment,
    links: testEnvironment.links.map((link, index) => ({ ...link, sender: `router-${index + 1}` })),
  },
];

function decode(value: unknown) {
  const { context, recorded } = testContext({ environments });
  return { ...format.decoder(context).decode(batchOf({ bytes: bytes(value), time: 1e15 })), recorded };
}

test("a body of the service interface is a frame of its router's link", () => {
  const { data } = decode(body({}, { sequence: 7, noise: -92, centre_mhz: 5180 }));
  const block = data[0] as CsiBlock;
  expect(block.layout).toMatchObject({ rx: 2, tx: 1, bandwidthMhz: 20, centreMhz: 5180 });
  expect([...block.layout.subcarriers]).toEqual([-2, -1, 1, 2]);
  expect([...block.values]).toEqual([1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8]);
  expect([block.sequence[0], block.rssi[0], block.noise[0], block.link[0]]).toEqual([7, -45, -92, 0]);
  expect(format.timeOf!(bytes(body()))).toBe(Date.parse('2025-01-15T10:30:00.250Z') * 1000);
  expect(recogniseRecord(bytes(body()))).toBe(format);
});

test('the training field sets the spacing of subcarriers', () => {
  const trainings = [{}, { training: 'he-ltf' }].map((stated) => {
    const [block] = decode(body({}, stated)).data;
    return (block as CsiBlock).layout.training;
  });
  expect(trainings).toEqual(['ht-ltf', 'he-ltf']);
});

test('counts no loss without numbers, and counts an unknown router', () => {
  expect(decode(body().csi_data).data).toHaveLength(1);
  expect(decode(body({}, { router_id: 'nobody' })).recorded.dropped).toEqual({ unknown_sender: 1 });
});

test.each([
  ['ragged antennas', body({ antenna_data: [[{ real: 1, imag: 1 }], []] }), 'decode.subcarriers'],
  ['no antenna', body({ antenna_data: [] }), 'decode.antennas'],
  ['an invalid value', body({ antenna_data: [[{ real: 'x', imag: 1 }]] }), 'decode.value'],
  ['indices that do not fit', body({}, { subcarriers: [1, 1, 2, 3] }), 'decode.subcarriers'],
  ['an unknown training field', body({}, { training: 'lts' }), 'decode.subcarriers'],
])('rejects %s with its reason', (_, value, code) => {
  const { data, failed } = decode(value);
  expect(data).toEqual([]);
  expect(failed?.[0]?.code).toBe(code);
});

test('any JSON is a frame, a failure or skipped', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { data, failed } = decode({ antenna_data: value, metadata: value });
      expect(data.length + (failed?.length ?? 0)).toBeLessThanOrEqual(1);
    }),
  );
});

test('lines of a file may have blanks behind their opening brace, and text before it', () => {
  const line = JSON.stringify(body());
  const lines = [line.replace('{', '{ '), line.replace('{', '{\t '), `I (12) {wifi}: ${line}`];
  const file = Buffer.from(lines.join('\n'));
  expect(recogniseFile(file)?.name).toBe('csi-json-lines');
  const { records } = cutAll(file, 1000)!;
  expect(records.map(({ bytes: cut }) => Buffer.from(cut).toString())).toEqual([lines[0], lines[1], line]);
});

test.each(['\n', '\r\n'])('lines of a file that end with %j have the times that they state', (end) => {
  const start = Date.parse('2026-03-01T08:00:00Z');
  const lines = [0, 20, 55, 80].map((ms) =>
    JSON.stringify(body({ timestamp: new Date(start + ms).toISOString() })),
  );
  lines.splice(2, 0, lines[0]!.slice(0, 90).replace('08:00:00.000', '08:00:00.030'), 'I (12) wifi: ready');
  const file = Buffer.from(lines.join(end));
  expect(recogniseFile(file)?.name).toBe('csi-json-lines');
  const { records, problems } = cutAll(file, 1000)!;
  expect(problems).toEqual([]);
  expect(records.map(({ time }) => time / 1000 - start)).toEqual([0, 20, 30, 55, 80]);
  const { context } = testContext({ environments });
  const { data, failed } = format
    .decoder(context)
    .decode(batchOf(...records.map((record) => ({ ...record, bytes: Buffer.from(record.bytes) }))));
  expect(data.reduce((sum, block) => sum + (block as CsiBlock).count, 0)).toBe(4);
  expect(failed).toHaveLength(1);
});
