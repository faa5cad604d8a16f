import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lz4, snappy, zstd } from '../../pipeline/kafka/codecs.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { RawBuilder } from '../../pipeline/formats/index.js';
import { shareOut, type Share } from '../../pipeline/sources/kafka/assigner.js';
import { rawRecord, recordLocation } from '../../pipeline/component/index.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { testContext } from '../support/context.js';
import { addRecords, MAX_RECORDS, readMessage, timeOf } from '../../pipeline/sources/kafka/messages.js';
import { startOf } from '../../pipeline/sources/kafka/start.js';
import { batchesOf } from '../formats/batches.js';
import { jsonFrameAt, JSON_SECOND } from '../support/json-frames.js';

const topics = (count: number): Share => ({ t: Array.from({ length: count }, (_, index) => index) });
const claims = (partitions: readonly number[]): Share => (partitions.length === 0 ? {} : { t: partitions });

/** Members and the partitions they claim; -1: unclaimed. */
const groups = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 20 }))
  .chain(([members, partitions]) =>
    fc.record({
      members: fc.constant(Array.from({ length: members }, (_, index) => `m${index}`)),
      owners: fc.array(fc.integer({ min: -1, max: members - 1 }), {
        minLength: partitions,
        maxLength: partitions,
      }),
    }),
  );

describe('partition sharing', () => {
  test('a claimed partition goes to no other member; each of the others goes to exactly one', () => {
    fc.assert(
      fc.property(groups, ({ members, owners }) => {
        const claimants = members.map((id, index) => ({
          id,
          claims: claims(owners.flatMap((owner, partition) => (owner === index ? [partition] : []))),
        }));
        const shares = shareOut(claimants, topics(owners.length));
        const given = owners.map((_, partition) =>
          members.filter((id) => shares.get(id)!['t']?.includes(partition)),
        );
        for (const [partition, owner] of owners.entries()) {
          if (owner < 0) expect(given[partition]).toHaveLength(1);
          else expect([[], [members[owner]]]).toContainEqual(given[partition]);
        }
      }),
    );
  });

  test('two releases later members have equal shares, give or take one', () => {
    fc.assert(
      fc.property(groups, ({ members, owners }) => {
        let held = members.map((_, index) =>
          owners.flatMap((owner, partition) => (owner === index ? [partition] : [])),
        );
        for (let round = 0; round < 2; round++) {
          const claimants = members.map((id, index) => ({ id, claims: claims(held[index]!) }));
          const shares = shareOut(claimants, topics(owners.length));
          held = members.map((id) => [...(shares.get(id)!['t'] ?? [])]);
        }
        const sizes = held.map(({ length }) => length);
        expect(held.flat().sort((a, b) => a - b)).toEqual(owners.map((_, partition) => partition));
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('a partition that two members claim goes to neither', () => {
    const both = [
      { id: 'a', claims: claims([0, 1]) },
      { id: 'b', claims: claims([1]) },
    ];
    expect([...shareOut(both, topics(2)).values()].flatMap((share) => share['t'] ?? [])).toEqual([0]);
  });
});

describe('the start position of a partition', () => {
  const limits = { low: 10, high: 100 };
  const start = (kept: number | undefined, offset: number | null, owner = 'me') =>
    startOf(kept, { offset, owner }, 'me', limits, 'earliest');

  test('is the checkpoint, unless another consumer has committed', () => {
    expect(start(60, 50)).toEqual({ offset: 60, lost: 0 });
    expect(start(60, null)).toEqual({ offset: 60, lost: 0 });
    // An older state was restored.
    expect(start(40, 50)).toEqual({ offset: 40, lost: 0 });
    expect(start(40, 50, 'other')).toEqual({ offset: 50, lost: 0 });
    expect(start(undefined, 50)).toEqual({ offset: 50, lost: 0 });
  });

  test('counts what the broker has deleted; without a position it starts as configured', () => {
    expect(start(4, null)).toEqual({ offset: 10, lost: 6 });
    expect(start(undefined, null)).toEqual({ offset: 10, lost: 0 });
    expect(startOf(undefined, { offset: null, owner: '' }, 'me', limits, 'latest').offset).toBe(100);
    expect(start(500, null)).toEqual({ offset: 10, lost: 0 });
  });
});

describe.each([
  ['Snappy', snappy],
  ['LZ4', lz4],
  ['ZSTD', zstd],
])('%s', (_, codec) => {
  test('restores what it encoded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100_000 }), async (bytes) => {
        const buffer = Buffer.from(bytes);
        expect((await codec.decompress(await codec.compress({ buffer }))).equals(buffer)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('rejects what it did not encode', async () => {
    await expect(codec.decompress(Buffer.from('no packed bytes at all'))).rejects.toThrow();
  });
});

describe('a capture in a message', () => {
  const value = Buffer.concat([
    encodeHeader({ format: 'adr018', origin: 'replay' }),
    ...batchesOf([{ bytes: Uint8Array.of(1, 2, 3), time: 1_000 }]).map(encodeRecords),
  ]);
  const added = (format: string) => {
    const builder = new RawBuilder(MAX_RECORDS, 'live');
    const message = { value, key: null, headers: {}, timestamp: '0', attributes: 0, offset: '0' };
    return { bad: addRecords(message, 'capture', format, builder), count: builder.count };
  };

  test('is read by content if no format is named', () => {
    expect(added('auto')).toEqual({ bad: null, count: 1 });
    expect(added('adr018')).toEqual({ bad: null, count: 1 });
  });

  test('is rejected if it is of another format than the one named', () => {
    expect(added('csi-json')).toMatchObject({
      bad: { text: 'it holds records of adr018, and `format` says csi-json' },
      count: 0,
    });
  });
});

test('a message of several lines becomes as many records, with a time and a location each', () => {
  const lines = Array.from({ length: 3 }, (_, i) => `CSIRAW ${i} ${i * 10} -40 128 ${'0a'.repeat(128)}`);
  const builder = new RawBuilder(MAX_RECORDS, 'live');
  const value = Buffer.from(lines.join('\r\n'));
  const message = { value, key: null, headers: {}, timestamp: '7', attributes: 0, offset: '0' };
  expect(addRecords(message, 'record', 'auto', builder)).toBeNull();
  const raw = builder.take('message');
  expect([...raw.time]).toEqual([7000, 7001, 7002]);
  expect(lines.map((_, i) => Buffer.from(rawRecord(raw, i)).toString())).toEqual(lines);
  expect(recordLocation(raw, 2)).toBe(`message: line 3 (byte ${lines.slice(0, 2).join('\r\n').length + 2})`);
});

test('messages of one millisecond have a time each, unless a header states it', () => {
  const builder = new RawBuilder(MAX_RECORDS, 'live');
  const value = Buffer.from(`CSIRAW 1 10 -40 128 ${'0a'.repeat(128)}`);
  const message = { value, key: null, headers: {}, timestamp: '7', attributes: 0, offset: '0' };
  for (let sent = 0; sent < 2; sent++) addRecords(message, 'record', 'auto', builder);
  for (let sent = 0; sent < 2; sent++)
    addRecords({ ...message, headers: { 'csiflow-time': '7500' } }, 'record', 'auto', builder);
  expect([...builder.take().time]).toEqual([7000, 7001, 7500, 7500]);
});

test.each(['1775182186000000000', '2026-03-01', '-5', '1775268587000000'])(
  'the stated time %s is reported and not used',
  (stated) => {
    const { context, recorded } = testContext();
    const builder = new RawBuilder(MAX_RECORDS, 'live');
    const message = {
      ...{ value: Buffer.from(`CSIRAW 1 10 -40 128 ${'0a'.repeat(128)}`), key: null, attributes: 0 },
      ...{ headers: { 'csiflow-time': stated }, timestamp: '1775182186000', offset: '12' },
    };
    const bad = readMessage(message, { content: 'record', format: 'auto' }, builder, context, {
      topic: 'csi',
      partition: 3,
    });
    expect(timeOf(message)).toBe(1_775_182_186_000_000);
    expect([...builder.take().time]).toEqual([1_775_182_186_000_000]);
    expect(bad.map(({ reason }) => reason)).toEqual(['implausible_time']);
    expect(bad[0]!.text).toContain('csiflow-time must be microseconds');
    expect(recorded.lines).toMatchObject([{ fields: { topic: 'csi', partition: 3, offset: '12', stated } }]);
    expect(recorded).toMatchObject({ dropped: {}, counts: { corrected_times: 1 } });
  },
);

test('wrong times that differ are logged once', () => {
  const lines: string[] = [];
  const log = createLogger({ destination: { write: (line) => lines.push(line) } });
  const { context, recorded } = testContext();
  for (const stated of ['1775182186000000000', '1775182186000000001']) {
    const message = {
      value: Buffer.from('{'),
      key: null,
      attributes: 0,
      timestamp: '1775182186000',
      offset: '12',
    };
    const into = new RawBuilder(MAX_RECORDS, 'live');
    const from = { topic: 'csi', partition: 3 };
    readMessage(
      { ...message, headers: { 'csiflow-time': stated } },
      { content: 'record', format: 'auto' },
      into,
      { metrics: context.metrics, log },
      from,
    );
  }
  expect(recorded.counts).toEqual({ corrected_times: 2 });
  expect(lines).toHaveLength(1);
});

test('lines of two messages of one millisecond have a time each', () => {
  const builder = new RawBuilder(MAX_RECORDS, 'live');
  const value = Buffer.from([1, 2].map((n) => `CSIRAW ${n} 10 -40 128 ${'0a'.repeat(128)}`).join('\n'));
  const message = { value, key: null, headers: {}, timestamp: '7', attributes: 0, offset: '0' };
  for (let sent = 0; sent < 2; sent++) addRecords(message, 'record', 'auto', builder);
  expect([...builder.take().time]).toEqual([7000, 7001, 7002, 7003]);
});

describe.each(['auto', 'csi-json'])('lines of JSON that state their times, read as %s', (format) => {
  const timesWith = (headers: Record<string, string>): readonly number[] => {
    const builder = new RawBuilder(MAX_RECORDS, 'live');
    const value = Buffer.from([jsonFrameAt(1), 'I (12) wifi: ready', jsonFrameAt(3)].join('\n'));
    const message = { value, key: null, headers, timestamp: '7', attributes: 0, offset: '0' };
    expect(addRecords(message, 'record', format, builder)).toBeNull();
    return [...builder.take('message').time];
  };

  test('have them; a line without one follows the line before it', () => {
    expect(timesWith({})).toEqual([JSON_SECOND, JSON_SECOND + 1, JSON_SECOND + 2_000_000]);
  });

  test('have that of the header, if there is one', () => {
    expect(timesWith({ 'csiflow-time': '9000' })).toEqual([9000, 9001, 9002]);
  });
});
