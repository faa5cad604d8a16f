import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startPeer } from '../../bench/speed/system/peer.js';
import { drive, droppedBehind, untilStill } from '../../bench/speed/system/program.js';
import { sendFrom } from '../../bench/speed/system/service.js';
import { lossless } from '../../bench/speed/system/udp-line.js';
import { knownBins } from '../../pipeline/formats/devices/adr018/adr018-fields.js';
import { freePorts } from '../support/servers/server.js';

it('sends datagrams of as many subcarriers as asked, of each link in turn', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const datagrams: Buffer[] = [];
  const all = new Promise<void>((resolve) => {
    socket.on('message', (bytes) => {
      if (datagrams.push(bytes) === 20) resolve();
    });
  });
  const { port } = socket.address();
  const report = await sendFrom({
    ...{ port, links: 2, subcarriers: 128 },
    ...{ rate: 1_000, seconds: 0.02, times: false },
  });
  await all;
  socket.close();
  expect(report.sent).toBe(20);
  expect(knownBins(128)).toBe(true);
  expect(new Set(datagrams.map((bytes) => bytes.length))).toEqual(new Set([20 + 2 * 128]));
  expect(new Set(datagrams.map((bytes) => bytes.readUInt16LE(6)))).toEqual(new Set([128]));
  expect(datagrams.slice(0, 4).map((bytes) => bytes.readUInt8(4))).toEqual([1, 2, 1, 2]);
});

it('drives a program with the fields of its load alone, whatever else the options of a benchmark contain', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  let received = 0;
  socket.on('message', () => received++);
  const program = {
    ...{ pid: process.pid, port: socket.address().port },
    processed: () => Promise.resolve(received),
    settled: () => untilStill(() => Promise.resolve(received)),
    end: () => once(socket.close(), 'close').then(() => undefined),
  };
  const load = { links: 1, subcarriers: 64, rate: 50, seconds: 0.2, progress: () => undefined };
  expect(await drive(program, load)).toMatchObject({ sent: 10, processed: 10, dropped: null });
});

it('kills a peer that ignores the signal to end', async () => {
  const [port] = await freePorts(1);
  const script = `
    process.on('SIGTERM', () => undefined);
    require('node:dgram').createSocket('udp4').bind(${port}, '127.0.0.1');
  `;
  const adapter = {
    ...{ name: 'deaf', command: [process.execPath, '-e', script] },
    ...{ port: port!, counter: { pattern: 'frames (\\d+)' } },
  };
  const { pid, end } = await startPeer(adapter, 50);
  await end();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

it('takes the highest rate at which neither run lost a datagram or dropped a window, as far as the sender reached it', () => {
  const step = (rate: number, lost: number, { reached = rate, dropped = 0 } = {}) => ({
    ...{ rate, lost, reached, dropped },
  });
  expect(lossless([step(10, 0), step(10, 0), step(20, 0), step(20, 1)])).toBe(10);
  expect(lossless([step(10, 0), step(10, 0), step(20, 0), step(20, 0, { dropped: 1 })])).toBe(10);
  const slow = [step(20, 0, { reached: 19 }), step(20, 0, { reached: 18 })];
  expect(lossless([step(10, 0), step(10, 0), ...slow])).toBe(18);
  expect(lossless([step(10, 2), step(10, 0)])).toBe(0);
});

it('counts what csiflow drops behind its socket, except windows of a silent room', async () => {
  const counted = [
    [['routers', 'stale'], 900],
    [['windows', 'late'], 4],
    [['poses', 'superseded'], 30],
    [['poses', 'repeated'], 200],
  ] as const;
  const metrics = counted.map(
    ([[node, reason], count]) =>
      `csiflow_dropped_total{topology="bench",node="${node}",reason="${reason}"} ${count}`,
  );
  const metric = (lines: readonly string[], [name, label]: readonly [string, string]) =>
    lines
      .filter((line) => line.startsWith(name) && line.includes(label))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  const service = {
    metrics: (asked: readonly (readonly [string, string])[]) =>
      Promise.resolve(asked.map((one) => metric(metrics, one))),
  };
  expect(await droppedBehind(service)).toBe(34);
});
