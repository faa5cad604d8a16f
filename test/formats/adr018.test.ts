import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawRecord } from '../../pipeline/component/index.js';
import {
  encodeFrame,
  frameParts,
  type Adr018Frame,
} from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import {
  checkPacket,
  decodeFeatures,
  decodeSync,
  decodeFeatureState,
  decodeVitals,
  decodeWasmEvents,
  encodeFeatures,
  encodeSync,
  encodeFeatureState,
  encodeMesh,
  encodeVitals,
  encodeWasmEvents,
  MAGIC,
  type Vitals,
} from '../../pipeline/formats/devices/adr018/adr018-packets.js';
import { adr018, ASSUMED_MHZ } from '../../pipeline/formats/devices/adr018/adr018.js';
import type { CsiBlock, Data, Measure, SensedEvent } from '../../pipeline/model/index.js';
import { testContext, testEnvironment } from '../support/context.js';
import { batchesOf, batchOf, type TestRecord } from './batches.js';

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A raw frame written byte by byte: bin b holds imaginary b - 100 and real 100 - b (modulo a byte). */
function rawFrame(
  bins: number,
  { node = 1, mhz = 2437, sequence = 70_000, rssi = -47, noise = -92 } = {},
): Uint8Array {
  const bytes = [0x01, 0x00, 0x11, 0xc5, node, 1, bins & 0xff, bins >> 8];
  for (const word of [mhz, sequence]) {
    for (let shift = 0; shift < 32; shift += 8) bytes.push((word >>> shift) & 0xff);
  }
  bytes.push(rssi & 0xff, noise & 0xff, 0, 0);
  for (let bin = 0; bin < bins; bin++) bytes.push((bin - 100) & 0xff, (100 - bin) & 0xff);
  return Uint8Array.from(bytes);
}

/** Bytes of array buffers that are still in use: garbage that no collection has met yet does not count. */
function heldBuffers(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // A collection frees its buffers in the background; the next one begins by waiting for that.
  collect();
  return process.memoryUsage().arrayBuffers;
}

const signed = (value: number) => (value << 24) >> 24;

function decode(...records: readonly TestRecord[]) {
  const { context, recorded } = testContext();
  const decoder = adr018.decoder(context);
  const output = decoder.decode(batchOf(...records));
  const blocks = output.data.filter((data) => data.port === 'csi');
  return { decoder, output, blocks, recorded };
}

describe('a raw frame', () => {
  it('has its fields where the format page says', () => {
    const [block] = decode({ bytes: rawFrame(64) }).blocks;
    expect([block!.sequence[0], block!.rssi[0], block!.noise[0], block!.link[0]]).toEqual([
      70_000, -47, -92, 0,
    ]);
    expect(block!.layout.centreMhz).toBe(2437);
  });

  it.each([
    [64, ['lltf']],
    [128, ['lltf', 'ht-ltf']],
    [192, ['lltf', 'ht-ltf', 'stbc-ht-ltf']],
    [256, ['he-ltf']],
  ])('of %i bins becomes a block for each of %j', (bins, trainings) => {
    const { blocks } = decode({ bytes: rawFrame(bins) });
    expect(blocks.map(({ layout }) => layout.training)).toEqual(trainings);
  });

  it('keeps active subcarriers only, ascending', () => {
    const { blocks } = decode({ bytes: rawFrame(192) }, { bytes: rawFrame(256) });
    expect(blocks.map(({ layout }) => [layout.subcarriers.length, layout.key.split('/').at(-1)])).toEqual([
      [52, '-26..-1,1..26'],
      [56, '-28..-1,1..28'],
      [56, '-28..-1,1..28'],
      [242, '-122..-2,2..122'],
    ]);
  });

  it('has the imaginary part first, bins in the order of an FFT', () => {
    const { blocks } = decode({ bytes: rawFrame(192) });
    for (const [part, { layout, values }] of blocks.entries()) {
      layout.subcarriers.forEach((index, i) => {
        const bin = 64 * part + (index < 0 ? index + 64 : index);
        expect([values[2 * i], values[2 * i + 1]]).toEqual([signed(100 - bin), signed(bin - 100)]);
      });
    }
  });

  it('with RSSI and noise of 0 treats them as unknown', () => {
    const [block] = decode({ bytes: rawFrame(64, { rssi: 0, noise: 0 }) }).blocks;
    expect([block!.rssi[0], block!.noise[0]]).toEqual([NaN, NaN]);
  });

  it('with a frequency of 0 is read as channel 6, and counted', () => {
    const { blocks, decoder } = decode({ bytes: rawFrame(64, { mhz: 0 }) });
    expect(blocks[0]!.layout.centreMhz).toBe(ASSUMED_MHZ);
    expect(decoder.describe()).toMatchObject({ frames_without_frequency: 1 });
  });

  it.each([64, 128, 192, 256])('of %i bins may ascend, as their zeros show', (bins) => {
    const parts = frameParts(bins, 1, 2437)!.map(({ offsets }) =>
      Array.from(offsets, (_, i) => [(i % 100) + 1, -(i % 90) - 1]).flat(),
    );
    const [one, other] = [false, true].map((ascending) => {
      const frame = { node: 1, bins, mhz: 2437, sequence: 1, rssi: -40, noise: -90, parts, ascending };
      return decode({ bytes: encodeFrame(frame) }).blocks;
    });
    expect(other).toEqual(one);
    expect(one!.map(({ values }) => [...values])).toEqual(parts);
  });

  it.each([
    [57, 'ht-ltf', 28],
    [245, 'he-ltf', 122],
  ])('of a C5 has %i bins, which ascend', (bins, training, edge) => {
    const [block] = decode({ bytes: rawFrame(bins) }).blocks;
    const { subcarriers } = block!.layout;
    expect([block!.layout.training, subcarriers[0], subcarriers.at(-1)]).toEqual([training, -edge, edge]);
    // Bin b holds imaginary b - 100 and real 100 - b.
    expect([...block!.values.subarray(0, 2)]).toEqual([100, -100]);
  });

  it('may have a timestamp of its sender before the pairs', () => {
    const plain = rawFrame(64);
    const stamped = new Uint8Array(plain.length + 8);
    stamped.set(plain.subarray(0, 20));
    stamped[19] = 0x20;
    stamped.set(plain.subarray(20), 28);
    expect(decode({ bytes: stamped }).blocks[0]!.values).toEqual(decode({ bytes: plain }).blocks[0]!.values);
  });

  it('of a node without a link is counted as unknown and listed', () => {
    const { blocks, decoder, recorded } = decode({ bytes: rawFrame(64, { node: 9 }), sender: '10.0.0.9:1' });
    expect(blocks).toEqual([]);
    expect(recorded.dropped).toEqual({ unknown_sender: 1 });
    expect(decoder.describe()).toMatchObject({
      unknown_senders: { frames: 1, senders: 1, listed: [{ sender: 'node-9@10.0.0.9:1', frames: 1 }] },
    });
  });
});

const byte = fc.integer({ min: -128, max: 127 });
const anyFrame: fc.Arbitrary<Adr018Frame> = fc
  .record({
    node: fc.constantFrom(1, 2),
    antennas: fc.integer({ min: 1, max: 4 }),
    bins: fc.constantFrom(64, 128, 192, 256),
    mhz: fc.constantFrom(2412, 2437, 2484, 5180, 5955),
    sequence: fc.integer({ min: 0, max: 0xffffffff }),
    rssi: fc.oneof(fc.constant(NaN), fc.integer({ min: -128, max: -1 })),
    noise: fc.oneof(fc.constant(NaN), fc.integer({ min: -128, max: -1 })),
    timestamp: fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
  })
  .chain(({ timestamp, ...frame }) =>
    fc
      .tuple(
        ...frameParts(frame.bins, frame.antennas, frame.mhz)!.map(({ offsets }) => {
          const length = frame.antennas * offsets.length * 2;
          return fc.array(byte, { minLength: length, maxLength: length, size: 'max' });
        }),
      )
      .map((parts) => ({ ...frame, ...(timestamp === null ? {} : { timestamp }), parts })),
  );

describe('encode and decode', () => {
  it('return every raw frame unchanged', () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        const { blocks } = decode({ bytes: encodeFrame(frame) });
        expect(blocks.map(({ values }) => [...values])).toEqual(
          frame.parts.map((part) => [...(part as number[])]),
        );
        for (const block of blocks) {
          expect([block.sequence[0], block.rssi[0], block.noise[0]]).toEqual([
            frame.sequence,
            frame.rssi,
            frame.noise,
          ]);
          expect([block.layout.rx, block.layout.centreMhz]).toEqual([frame.antennas, frame.mhz]);
        }
      }),
      { numRuns: 60 },
    );
  });

  const number = fc.float({ noNaN: true, noDefaultInfinity: true });
  const node = fc.integer({ min: 0, max: 255 });
  const numbers = (length: number) => fc.array(number, { minLength: length, maxLength: length });
  const u16 = fc.integer({ min: 0, max: 0xffff });

  it('return all vitals unchanged', () => {
    const vitals = fc.record({
      node,
      presence: fc.boolean(),
      fall: fc.boolean(),
      moving: fc.boolean(),
      breathingBpm: u16.map((n) => n / 100),
      heartBpm: fc.integer({ min: 0, max: 0xffffffff }).map((n) => n / 10_000),
      rssi: fc.oneof(fc.constant(NaN), fc.integer({ min: -128, max: -1 })),
      persons: node,
      motion: number,
      presenceScore: number,
      milliseconds: fc.integer({ min: 0, max: 0xffffffff }),
    });
    fc.assert(
      fc.property(vitals, (packet) => {
        const bytes = encodeVitals(packet);
        expect(checkPacket(view(bytes))).toBe('vitals');
        expect(decodeVitals(view(bytes))).toEqual(packet);
      }),
    );
  });

  it('return features, feature states, and events unchanged', () => {
    const features = fc.record({
      node,
      sequence: u16,
      microseconds: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      values: numbers(8),
    });
    const states = fc.record({
      node,
      mode: node,
      sequence: u16,
      microseconds: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      values: numbers(9),
      flags: u16,
    });
    const events = fc.record({
      node,
      module: node,
      events: fc.array(fc.record({ type: node, value: number }), { maxLength: 20 }),
    });
    fc.assert(
      fc.property(features, states, events, (f, s, e) => {
        const packets = [encodeFeatures(f), encodeFeatureState(s), encodeWasmEvents(e)].map(view);
        expect(packets.map(checkPacket)).toEqual(['features', 'feature_state', 'wasm_events']);
        expect(decodeFeatures(packets[0]!)).toEqual(f);
        expect(decodeFeatureState(packets[1]!)).toEqual(s);
        expect(decodeWasmEvents(packets[2]!)).toEqual(e);
      }),
    );
  });
});

const VITALS: Vitals = {
  node: 2,
  presence: true,
  fall: false,
  moving: true,
  breathingBpm: 16.5,
  heartBpm: 71.25,
  rssi: -50,
  persons: 4,
  motion: 0.5,
  presenceScore: 0.75,
  milliseconds: 12,
};

describe('other packets on the same port', () => {
  const collision = (length: number, count: number) => {
    const bytes = new Uint8Array(length);
    view(bytes).setUint32(0, MAGIC.collision, true);
    view(bytes).setUint16(6, count, true);
    return checkPacket(view(bytes));
  };

  it('are distinguished by length if two kinds share a number', () => {
    expect(collision(48, 1650)).toBe('fused_vitals');
    expect(collision(48, 8)).toBe('wasm_events');
    expect(collision(23, 3)).toBe('wasm_events');
    expect(collision(24, 3)).toBe('truncated');
  });

  it('are rejected if their checksum does not match', () => {
    const mesh = encodeMesh(new Uint8Array(12), new Uint8Array([1, 2, 3]));
    expect(checkPacket(view(mesh))).toBe('mesh');
    mesh[17]! ^= 1;
    expect(checkPacket(view(mesh))).toBe('checksum');
  });

  it('are counted by kind and give no frames', () => {
    const sync = new Uint8Array(32);
    view(sync).setUint32(0, MAGIC.sync, true);
    const state = encodeFeatureState({
      node: 1,
      mode: 0,
      sequence: 1,
      microseconds: 0n,
      values: [],
      flags: 0,
    });
    const { decoder, blocks } = decode({ bytes: sync }, { bytes: state }, { bytes: encodeVitals(VITALS) });
    expect(blocks).toEqual([]);
    expect(decoder.describe()).toMatchObject({ packets: { csi: 0, vitals: 1, feature_state: 1, sync: 1 } });
  });

  it('the clock of the mesh matches an independent encoder, and appears in the status of the link', () => {
    // `build_sync_packet()` of RuView's own test.
    const bytes = Uint8Array.from(
      Buffer.from('10a111c509010600f26db70100000000c5aca501000000001400000000000000', 'hex'),
    );
    const sync = {
      node: 9,
      isLeader: false,
      isValid: true,
      isSmoothed: true,
      local: 28_798_450,
      epoch: 27_634_885,
    };
    expect(decodeSync(view(bytes))).toEqual({ ...sync, sequence: 20 });
    expect(encodeSync({ ...sync, sequence: 20 })).toEqual(bytes);
    bytes[4] = VITALS.node;
    const { decoder } = decode({ bytes });
    const reported = { ahead_us: -1_163_565, leader: false, valid: true, at_sequence: 20 };
    expect(decoder.describe()).toMatchObject({ links: { 'link-2': { mesh_clock: reported } } });
    const again = adr018.decoder(testContext().context);
    again.restore(structuredClone(decoder.snapshot()));
    expect(again.describe()).toMatchObject({ links: { 'link-2': { mesh_clock: reported } } });
  });

  it("become measures that are their sender's claims", () => {
    const { output } = decode({ bytes: encodeVitals(VITALS) });
    const measures = output.data as readonly Measure[];
    expect(measures.map(({ name, value, source, subject }) => [name, value, source, subject])).toEqual([
      ['presence', 1, 'node-2', 'link-2'],
      ['motion', 0.5, 'node-2', 'link-2'],
      ['occupancy', 4, 'node-2', 'link-2'],
      ['breathing_rate_bpm', 16.5, 'node-2', 'link-2'],
      ['heart_rate_bpm', 71.25, 'node-2', 'link-2'],
    ]);
  });

  it('claim a fall once, as an event of their sender', () => {
    const fall = { bytes: encodeVitals({ ...VITALS, fall: true }) };
    const { output } = decode(fall, fall, { bytes: encodeVitals(VITALS) }, fall);
    const events = output.data.filter((data): data is SensedEvent => data.port === 'event');
    expect(events.map(({ type, source }) => [type, source])).toEqual([
      ['fall_detection', 'node-2'],
      ['fall_detection', 'node-2'],
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  });
});

describe('loss', () => {
  const frames = (sequences: readonly number[], stepUs: number): TestRecord[] =>
    sequences.map((sequence, i) => ({ bytes: rawFrame(64, { sequence }), time: 1e15 + i * stepUs }));

  it('is reported per link, across a wrap of the counter', () => {
    const { decoder, recorded } = decode(...frames([0xfffffffd, 0xfffffffe, 1, 2], 10_000));
    expect(decoder.describe()).toMatchObject({
      links: { 'link-1': { received: 4, lost: 2 }, 'link-2': { lost: 0 } },
    });
    expect(recorded.missing).toBe(2);
    expect(recorded.dropped).toEqual({});
  });

  it('is emitted once a second of event time as a measure', () => {
    const { output } = decode(...frames([10, 11, 13, 14, 15], 300_000));
    const measures = output.data.filter((data): data is Measure => data.port === 'measure');
    expect(measures.map(({ name, subject, time, value }) => [name, subject, time, value])).toEqual([
      ['packet_loss', 'link-1', 1e15 + 1e6, 1 / 5],
    ]);
  });
});

/** Frames row by row, other data unchanged: must not depend on how records are batched. */
function flat(data: readonly Data[]): unknown[] {
  const rows = data.flatMap((one): readonly unknown[] => (one.port === 'csi' ? rowsOf(one) : [one]));
  return rows.map((row) => JSON.stringify(row)).sort();
}

const rowsOf = (block: CsiBlock) =>
  Array.from({ length: block.count }, (_, i) => {
    const size = block.values.length / block.count;
    const values = [...block.values.subarray(i * size, (i + 1) * size)];
    return [block.layout.key, block.time[i], block.link[i], block.sequence[i], values];
  });

const mixedRecords: fc.Arbitrary<readonly TestRecord[]> = fc.array(
  fc.oneof(
    fc
      .record({
        bins: fc.constantFrom(64, 128, 192, 256),
        node: fc.constantFrom(1, 2, 3),
        sequence: fc.nat(40),
      })
      .map(({ bins, ...rest }) => ({ bytes: rawFrame(bins, rest) })),
    fc.boolean().map((fall) => ({ bytes: encodeVitals({ ...VITALS, fall }) })),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => ({ bytes })),
  ),
  { maxLength: 60 },
);

const spread = (records: readonly TestRecord[]) =>
  records.map((record, i) => ({ ...record, time: 1e15 + i * 130_000 }));

describe('the decoder', () => {
  it('gives the same for one batch of N and N batches of one', () => {
    fc.assert(
      fc.property(mixedRecords, fc.integer({ min: 1, max: 20 }), (records, size) => {
        const timed = spread(records);
        const run = (batchSize: number) => {
          const decoder = adr018.decoder(testContext().context);
          const data = batchesOf(timed, batchSize).flatMap((batch) => decoder.decode(batch).data);
          return [flat(data), decoder.describe()];
        };
        expect(run(size)).toEqual(run(1));
      }),
      { numRuns: 60 },
    );
  });

  it('continues after a snapshot as if it had never stopped', () => {
    fc.assert(
      fc.property(mixedRecords, fc.nat(60), (records, cut) => {
        const batches = batchesOf(spread(records), 1);
        const whole = adr018.decoder(testContext().context);
        const expected = batches.map((batch) => flat(whole.decode(batch).data));
        const first = adr018.decoder(testContext().context);
        const head = batches.slice(0, cut).map((batch) => flat(first.decode(batch).data));
        const second = adr018.decoder(testContext().context);
        second.restore(JSON.parse(JSON.stringify(first.snapshot())));
        const tail = batches.slice(cut).map((batch) => flat(second.decode(batch).data));
        expect([...head, ...tail]).toEqual(expected);
        expect(second.snapshot()).toEqual(whole.snapshot());
      }),
      { numRuns: 60 },
    );
  });

  it('recognises a clock tick', () => {
    const { decoder } = decode({ bytes: new Uint8Array(0), sender: '' });
    expect(decoder.describe()).toMatchObject({ malformed: { truncated: 0 } });
  });
});

describe('bad datagrams', () => {
  it('are counted by reason, two hundred thousand of them among good ones, in bounded memory', () => {
    const { context, recorded } = testContext();
    const decoder = adr018.decoder(context);
    const random = randomNumbers(7);
    const good = [64, 128, 192, 256].map((bins) => rawFrame(bins));
    let sent = 0;
    let bad = 0;
    let decoded = 0;
    let deadLetters = 0;
    const before = heldBuffers();
    for (let round = 0; round < 2000; round++) {
      const records: TestRecord[] = [];
      for (let i = 0; i < 100; i++)
        records.push({ bytes: corrupt(good[i & 3]!, random), time: 1e15 + round * 1000 });
      bad += records.length;
      // A frequency that no bad record has: all of these frames must come out.
      records.push({ bytes: rawFrame(64, { mhz: 5955, sequence: round }), time: 1e15 + round * 1000 });
      sent++;
      const { data, failed = [] } = decoder.decode(batchOf(...records));
      for (const one of data) if (one.port === 'csi' && one.layout.centreMhz === 5955) decoded += one.count;
      deadLetters += failed.length;
    }
    expect(decoded).toBe(sent);
    const { malformed, packets } = decoder.describe() as Record<string, Record<string, number>>;
    const total = [...Object.values(malformed!), ...Object.values(packets!)].reduce((a, b) => a + b, 0);
    expect(total).toBe(bad + sent);
    expect(Object.values(malformed!).reduce((a, b) => a + b, 0)).toBe(
      Object.entries(recorded.dropped).reduce(
        (sum, [reason, n]) => sum + (reason.startsWith('malformed_') ? n : 0),
        0,
      ),
    );
    expect(deadLetters).toBeLessThanOrEqual(8 * Object.keys(malformed!).length);
    expect(heldBuffers() - before).toBeLessThan(1 << 20);
  }, 60_000);

  it('from ten thousand forged senders are counted, listed up to a bound, and do not affect known links', () => {
    const records = (forged: boolean): TestRecord[] =>
      Array.from({ length: 10_000 }, (_, i) => {
        const time = 1e15 + i * 1000;
        const mine = { bytes: rawFrame(64, { sequence: i }), time, sender: '192.168.1.20:5000' };
        const host = `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
        const stranger = {
          bytes: rawFrame(64, { node: i & 255, sequence: i * 77 }),
          time,
          sender: `${host}:${i + 1024}`,
        };
        return forged ? [mine, stranger] : [mine];
      }).flat();
    const run = (forged: boolean) => {
      // Only link-1 has a real sender: otherwise the first stranger would take the place of a missing node.
      const { context } = testContext({
        environments: [{ ...testEnvironment, links: [testEnvironment.links[0]!] }],
      });
      const decoder = adr018.decoder(context);
      const data = batchesOf(records(forged), 64).flatMap((batch) => decoder.decode(batch).data);
      return { data: flat(data), about: decoder.describe() as { links: unknown; unknown_senders: Listing } };
    };
    const attacked = run(true);
    const quiet = run(false);
    expect(attacked.data).toEqual(quiet.data);
    expect(attacked.about.links).toEqual(quiet.about.links);
    expect(attacked.about.unknown_senders.frames).toBe(10_000);
    expect(attacked.about.unknown_senders.listed).toHaveLength(256);
    expect(attacked.about.unknown_senders.senders).toBeGreaterThan(9_800);
    expect(attacked.about.unknown_senders.senders).toBeLessThan(10_200);
  });
});

interface Listing {
  readonly frames: number;
  readonly senders: number;
  readonly listed: readonly unknown[];
}

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A datagram made random, truncated, extended, or with one bit flipped. */
function corrupt(good: Uint8Array, random: () => number): Uint8Array {
  const kind = Math.floor(random() * 4);
  if (kind === 0) return Uint8Array.from({ length: Math.floor(random() * 40) }, () => random() * 256);
  if (kind === 1) return good.subarray(0, Math.floor(random() * good.length));
  const bytes = new Uint8Array(good.length + (kind === 2 ? 1 + Math.floor(random() * 100) : 0));
  bytes.set(good);
  if (kind === 3) bytes[Math.floor(random() * 20)]! ^= 1 << Math.floor(random() * 8);
  return bytes;
}

describe('links that pin an address', () => {
  const pinned = (sender: string) => {
    const link = { ...testEnvironment.links[0]!, sender };
    return adr018.decoder(testContext({ environments: [{ ...testEnvironment, links: [link] }] }).context);
  };
  const framesFrom = (sender: string, address: string) =>
    pinned(sender).decode(batchOf({ bytes: rawFrame(64), sender: address })).data.length;

  it.each([
    ['node-1@10.0.0.1', '10.0.0.1:5', 1],
    ['node-1@10.0.0.1', '10.0.0.2:5', 0],
    ['node-1@10.0.0.1:6', '10.0.0.1:6', 1],
    ['node-1@10.0.0.1:6', '10.0.0.1:5', 0],
    ['*', '10.0.0.1:5', 1],
  ])('%s accepts from %s %i frames', (sender, address, frames) => {
    expect(framesFrom(sender, address)).toBe(frames);
  });

  it('are not required after five seconds of silence', () => {
    const decoder = pinned('node-1');
    const frame = (sender: string, time: number) => ({ bytes: rawFrame(64), sender, time: 1e15 + time });
    const { data } = decoder.decode(
      batchOf(
        frame('10.0.0.1:1', 0),
        frame('10.0.0.2:1', 4e6),
        frame('10.0.0.2:1', 5e6),
        frame('10.0.0.1:1', 6e6),
      ),
    );
    expect([...(data[0] as CsiBlock).time]).toEqual([1e15, 1e15 + 5e6]);
  });
});

it('recognises only its own datagrams', () => {
  expect(adr018.recognise(rawFrame(128))).toBe(true);
  expect(adr018.recognise(rawFrame(128).subarray(1))).toBe(false);
  expect(adr018.recognise(rawRecord(batchOf({ bytes: encodeVitals(VITALS) }), 0))).toBe(true);
});
