import { createSocket, type Socket } from 'node:dgram';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Context, Position, Source } from '../../pipeline/component/index.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { DropCount, dropsIn } from '../../pipeline/sources/kernel-drops.js';
import { udp } from '../../pipeline/sources/udp.js';
import { replay } from '../../api/cli/recordings/replay.js';
import { openRecording } from '../../pipeline/sources/recording.js';
import { testContext } from '../support/context.js';
import { sharedFile } from '../support/shared.js';
import { collector, until } from './outputs.js';

const DEFAULTS = {
  host: '127.0.0.1',
  port: 0,
  format: 'adr018',
  receive_buffer_bytes: 65_536,
  block_records: 64,
  gather_ms: 0,
  idle_tick_ms: 0,
} as const;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) await close();
});

interface Running {
  readonly source: Source;
  readonly port: number;
  readonly sender: Socket;
  readonly taken: ReturnType<typeof collector>;
  readonly recorded: ReturnType<typeof testContext>['recorded'];
  readonly ended: Promise<void>;
}

async function listen(
  settings: Partial<Parameters<typeof udp.create>[0]> = {},
  overrides: Partial<Context> = {},
  position: Position = null,
): Promise<Running> {
  const { context, recorded } = testContext(overrides);
  const source = udp.create({ ...DEFAULTS, ...settings }, context);
  const taken = collector();
  const ended = source.open(position, taken.output);
  await until(() => source.describe!()['address'] !== null);
  const { port } = source.describe!()['address'] as { port: number };
  const sender = createSocket('udp4');
  closing.push(async () => {
    taken.stop();
    await ended;
    await new Promise<void>((resolve) => sender.close(resolve));
  });
  return { source, port, sender, taken, recorded, ended };
}

/** Number of the last frame of all batches. */
const newestOf = (batches: Running['taken']['batches']): number => {
  const raw = batches.at(-1)?.raw;
  if (!raw) return -1;
  return Buffer.from(raw.bytes.buffer, raw.bytes.byteOffset).readUInt32LE(raw.offsets[raw.count - 1]! + 12);
};

const frame = (sequence: number, node = 1) =>
  encodePairs(
    { node, bins: 64, mhz: 2437, sequence, rssi: -40, noise: -90 },
    new Int8Array(128).fill(sequence),
  );

const send = ({ sender, port }: Running, bytes: Uint8Array) =>
  new Promise<void>((resolve, reject) => {
    sender.send(bytes, port, '127.0.0.1', (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

describe('udp', () => {
  it('emits and decodes datagrams in order', async () => {
    const running = await listen();
    for (let i = 0; i < 500; i++) {
      await send(running, frame(i, 1 + (i & 1)));
      // Small groups that fit into the smallest of buffers.
      if (i % 50 === 49) await until(() => running.taken.records() === i + 1);
    }
    const data = running.taken.batches.flatMap(({ raw }) => running.source.decode!(raw!).data);
    const sequences = data.flatMap((one) => (one.port === 'csi' ? [...one.sequence] : []));
    expect(sequences).toEqual(Array.from({ length: 500 }, (_, i) => i));
    expect(running.source.describe!()).toMatchObject({ packets: { csi: 500 } });
  });

  it('reports when more waits than one turn of the event loop reads', async () => {
    const running = await listen();
    await Promise.all(Array.from({ length: 10 }, (_, number) => send(running, frame(number))));
    await until(() => running.taken.records() === 10);
    expect(running.taken.unread()).toBe(0);
    // All are sent before the loop turns.
    await Promise.all(Array.from({ length: 50 }, (_, number) => send(running, frame(number))));
    await until(() => running.taken.records() === 60);
    expect(running.taken.unread()).toBe(1);
  });

  it('gathers datagrams, and passes on at once what may close a window', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const heard: number[] = [];
    const clock = {
      now: () => {
        heard.push(heard.length);
        return 1e15 + heard.length;
      },
      elapsed: () => heard.length,
    };
    const running = await listen({ gather_ms: 20 }, { clock });
    const opened = heard.length;
    running.taken.output.due = () => 1e15 + opened + 3;
    const hear = async (sequence: number) => {
      const before = heard.length;
      await send(running, frame(sequence));
      await until(() => heard.length > before);
    };
    for (let sequence = 0; sequence < 3; sequence++) await hear(sequence);
    await until(() => running.taken.records() === 3);
    running.taken.output.due = () => Infinity;
    for (let sequence = 3; sequence < 5; sequence++) await hear(sequence);
    expect(running.taken.records()).toBe(3);
    vi.advanceTimersByTime(20);
    expect(running.taken.batches.map(({ raw }) => raw!.count)).toEqual([3, 2]);
  });

  it('decodes every good frame between bad datagrams, and counts those', async () => {
    const running = await listen();
    for (let i = 0; i < 300; i++) {
      await send(running, frame(i));
      await send(running, new Uint8Array((i * 37) % 3000).fill(i));
      if (i % 20 === 19) await until(() => running.taken.records() === 2 * (i + 1));
    }
    for (const { raw } of running.taken.batches) running.source.decode!(raw!);
    const { packets, malformed } = running.source.describe!() as Record<string, Record<string, number>>;
    expect(packets!['csi']).toBe(300);
    expect(Object.values(malformed!).reduce((a, b) => a + b, 0)).toBe(300);
  });

  it('never lets time go back within a run; after a restart its start time does not either', async () => {
    const now = [3e15, 2e15, 1e15];
    const clock = { now: () => now.shift() ?? 1e15, elapsed: () => 0 };
    const running = await listen({ block_records: 1 }, { clock }, { records: 5, time: 2e15 });
    await send(running, frame(0));
    await send(running, frame(1));
    await until(() => running.taken.records() === 2);
    expect(running.taken.batches.map(({ raw }) => raw!.time[0])).toEqual([2e15 + 1, 2e15 + 2]);
    expect(running.taken.batches.map(({ position }) => position)).toEqual([
      { records: 6, time: 2e15 + 1 },
      { records: 7, time: 2e15 + 2 },
    ]);
    // So no operator waits for another datagram of the same time.
    expect(running.taken.batches.map(({ isPast }) => isPast)).toEqual([true, true]);
  });

  it('ends and releases its port on request', async () => {
    const running = await listen();
    running.taken.stop();
    await running.ended;
    const again = await listen({ port: running.port });
    expect(again.port).toBe(running.port);
  });

  it("names a port in use, and keeps the system's code", async () => {
    const { port } = await listen();
    const second = udp.create({ ...DEFAULTS, port }, testContext().context);
    await expect(second.open(null, collector().output)).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: expect.stringMatching(
        new RegExp(`UDP port ${port} of 127.0.0.1 cannot be opened.*another`),
      ) as string,
    });
  });

  it('warns if the system grants a smaller buffer, and names the fix', async () => {
    const { recorded } = await listen({ receive_buffer_bytes: 1_073_741_824 });
    expect(recorded.lines.find(({ level }) => level === 'warn')?.message).toContain('net.core.rmem_max');
  });

  it('leaves little in the kernel while it drops what waits', async () => {
    const { source } = await listen({ receive_buffer_bytes: 2_097_152 });
    const granted = () => source.describe!()['receive_buffer_bytes'] as number;
    const usual = granted();
    source.overloaded!(true);
    expect(granted()).toBe(Math.min(usual, 524_288));
    source.overloaded!(false);
    expect(granted()).toBe(usual);
    await source.close!();
    expect(() => {
      source.overloaded!(true);
    }).not.toThrow();
  });

  it('drops datagrams rather than growing while its queue is full', async () => {
    const { context, recorded } = testContext();
    const source = udp.create({ ...DEFAULTS, block_records: 1 }, context);
    const controller = new AbortController();
    let letGo: (taken: boolean) => void = () => undefined;
    let offers = 0;
    const stuck = new Promise<boolean>((resolve) => (letGo = resolve));
    const ended = source.open(null, {
      signal: controller.signal,
      offer: () => {
        offers++;
        return stuck;
      },
    });
    await until(() => source.describe!()['address'] !== null);
    const { port } = source.describe!()['address'] as { port: number };
    const sender = createSocket('udp4');
    for (let i = 0; i < 100; i++) await send({ sender, port } as Running, frame(i));
    // 64 wait for space, 36 are lost.
    await until(() => (recorded.dropped['queue_full'] ?? 0) === 36);
    expect(offers).toBe(64);
    letGo(true);
    await stuck;
    await send({ sender, port } as Running, frame(100));
    await until(() => offers === 65);
    controller.abort();
    await ended;
    await new Promise<void>((resolve) => sender.close(resolve));
  });

  it.skipIf(process.platform !== 'linux')(
    'counts a frame dropped by the kernel once, so that drops can be summed',
    async () => {
      const { source, sender, port, taken, recorded, ended } = await listen();
      let sent = 3000;
      // All within one turn of the event loop: nothing is read in the meantime.
      await Promise.all(Array.from({ length: sent }, (_, i) => send({ sender, port } as Running, frame(i))));
      // The kernel may drop these too, until its buffer has been read.
      for (const burst = sent; newestOf(taken.batches) < burst; sent++) {
        await send({ sender, port } as Running, frame(sent));
        await new Promise(setImmediate);
      }
      await send({ sender, port } as Running, frame(sent++));
      await until(() => newestOf(taken.batches) === sent - 1);
      taken.stop();
      await ended;
      for (const { raw } of taken.batches) source.decode!(raw!);
      expect(recorded.dropped['kernel_buffer']).toBeGreaterThan(0);
      const dropped = Object.values(recorded.dropped).reduce((sum, count) => sum + count, 0);
      expect(taken.records() + dropped).toBe(sent);
      expect(recorded.missing).toBe(dropped);
    },
  );

  it('counts no drop twice when a reading is lower than the one before', () => {
    const drops = new DropCount();
    expect([100, 150, 120, 150, null, 160].map((total) => drops.see(total))).toEqual([100, 50, 0, 0, 0, 10]);
  });

  it('reports its lag while nothing is received', async () => {
    const running = await listen({ idle_tick_ms: 5 });
    await send(running, frame(0));
    await until(() => running.taken.records() >= 3);
    const { raw } = running.taken.batches[1]!;
    expect([raw!.count, raw!.bytes.length, raw!.senders]).toEqual([1, 0, ['']]);
  });
});

const recording = sharedFile('captures/adr018/pretrain-1775182186.csi.jsonl');

it.skipIf(recording === undefined)(
  'receives the recording of two nodes completely (skipped if ../shared is missing)',
  async () => {
    const running = await listen({ receive_buffer_bytes: 4_194_304 });
    await replay(await openRecording(recording!), {
      host: '127.0.0.1',
      port: running.port,
      speed: 100,
      signal: new AbortController().signal,
      onProgress: () => undefined,
      onProblem: () => undefined,
      onUnheard: () => undefined,
    });
    await until(() => running.taken.records() === 5309 + 236 + 236);
    for (const { raw } of running.taken.batches) running.source.decode!(raw!);
    expect(running.source.describe!()).toMatchObject({
      kernel_drops: expect.toSatisfy((drops) => drops === null || drops === 0) as number,
      packets: { csi: 5309, vitals: 236, features: 236 },
      malformed: { unknown_magic: 0, truncated: 0, oversized: 0, value: 0 },
      links: { 'link-1': { lost: 0 }, 'link-2': { lost: 0 } },
    });
  },
);

it('ten thousand forged senders on a real socket neither slow it down nor fill it', async () => {
  const running = await listen({ receive_buffer_bytes: 4_194_304 });
  for (let i = 0; i < 10_000; i++) {
    await send(running, frame(i, 3 + (i % 253)));
    if (i % 10 === 0) await send(running, frame(i / 10));
    if (i % 100 === 99) await until(() => running.taken.records() >= Math.floor((i + 1) * 1.1));
  }
  for (const { raw } of running.taken.batches) running.source.decode!(raw!);
  expect(running.source.describe!()).toMatchObject({
    links: { 'link-1': { received: 1000, lost: 0 } },
    unknown_senders: { frames: 10_000, senders: 253 },
  });
});

describe('the drops of a socket', () => {
  const table = [
    '   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops',
    '  211: 00000000:138D 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 111 2 0 7',
    '  212: 0100007F:138D 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 222 2 0 42',
  ].join('\n');

  it('are counted by its address and port', () => {
    expect(dropsIn(table, '127.0.0.1', 5005)).toBe(42);
    expect(dropsIn(table, '0.0.0.0', 5005)).toBe(7);
    expect(dropsIn(table, '127.0.0.1', 5006)).toBeNull();
  });
});
