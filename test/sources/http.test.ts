import { once } from 'node:events';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { request as encrypted } from 'node:https';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Position, SourceBatch, SourceOutput } from '../../pipeline/component/index.js';
import { encodeLine } from '../../pipeline/formats/devices/espressif/esp32-serial.js';
import { LinkTable } from '../../pipeline/model/index.js';
import { http } from '../../pipeline/sources/http/http.js';
import { pcapOf } from '../formats/pcap-files.js';
import { bareRecords, SAMPLES } from '../formats/samples.js';
import { withDefaults } from '../kit/definition.js';
import { formatRecords } from '../kit/drivers/formats.js';
import { afterThisTest } from '../support/clean-up.js';
import { testContext, testEnvironment } from '../support/context.js';
import { temporaryFolder } from '../support/flow.js';
import { longestTurnAtBest } from '../support/turns.js';
import { anySender } from '../support/recordings.js';
import { eventually } from '../support/waiting.js';

/** A promise that the test resolves. */
function gate<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((opened) => {
    resolve = opened;
  });
  return { promise, resolve };
}

const NOW = 1_700_000_000_000_000;
const HOUR = 3_600_000_000;

/** A position to start from, and the time of the start. */
interface Restart {
  readonly from: Position;
  readonly now: number;
}

async function start(
  config: object = {},
  output: Partial<SourceOutput> = {},
  environment = anySender,
  { from, now }: Restart = { from: null, now: NOW },
) {
  const wall = { now };
  const clock = { now: () => wall.now, elapsed: () => 0 };
  const { context, recorded } = testContext({ links: new LinkTable([environment]), clock });
  const settings = withDefaults(http, { port: 0, idle_tick_ms: 0, ...config });
  const source = http.create(settings as never, context);
  const stop = new AbortController();
  const batches: SourceBatch[] = [];
  const ready = gate<null>();
  const ended = source.open(from, {
    signal: stop.signal,
    ready: () => {
      ready.resolve(null);
    },
    offer: (batch) => {
      batches.push(batch);
      return true;
    },
    ...output,
  });
  const close = async () => {
    stop.abort();
    await ended;
  };
  // The test handles the rejection of an open.
  afterThisTest(() => close().catch(() => undefined));
  await Promise.race([ready.promise, ended]);
  const { port } = source.describe!()['address'] as { readonly port: number };
  const post = async (body: Uint8Array | string, headers: Record<string, string> = {}, path = '/csi') => {
    const sent = { method: 'POST', body: typeof body === 'string' ? body : Buffer.from(body), headers };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, sent);
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as object };
  };
  const times = () => batches.flatMap(({ raw }) => [...raw!.time]);
  const frames = () =>
    batches
      .flatMap(({ raw }) => source.decode!(raw!).data)
      .reduce((sum, one) => sum + (one.port === 'csi' ? one.count : 0), 0);
  return { source, recorded, batches, wall, port, post, times, frames, close, stop };
}

test.each(SAMPLES)('accepts $format as a file, and record by record', async (sample) => {
  const { kind, records } = sample;
  const { post, frames } = await start();
  if (kind !== null) {
    const file = Buffer.concat(records.map((record) => Buffer.from(record)));
    const { body } = await post(gzipSync(file));
    expect(body).toMatchObject({ taken: records.length, left_out: 0, kind });
  }
  for (const record of bareRecords(sample).slice(0, 3)) {
    const { body } = await post(record);
    expect(body).toMatchObject({ taken: 1 });
  }
  expect(frames()).toBeGreaterThanOrEqual((kind === null ? 0 : records.length) + 3);
});

test('reads a pcap packet by packet, the last at its arrival and the others before it', async () => {
  const { post, times } = await start();
  const { records } = SAMPLES.find(({ format }) => format === 'nexmon')!;
  await post(pcapOf(records.slice(0, 3)));
  expect(times()).toEqual([NOW - 20_000, NOW - 10_000, NOW]);
  await post(pcapOf(records.slice(0, 3)));
  expect(times().slice(3)).toEqual([NOW + 1, NOW + 2, NOW + 3]);
});

test('records of bodies that arrive in the same moment have a time each, also over a restart', async () => {
  const line = encodeLine({ sequence: 1, timeMs: 5, rssi: -40 }, [Array<number>(104).fill(1)]);
  const { post, times, batches, close } = await start();
  for (let body = 0; body < 3; body++) await post(line);
  expect(times()).toEqual([NOW, NOW + 1, NOW + 2]);
  await close();
  const restarted = await start({}, {}, anySender, { from: batches.at(-1)!.position, now: NOW + 2 });
  await restarted.post(line);
  expect(restarted.times()).toEqual([NOW + 3]);
});

const good = Buffer.from(formatRecords['csi-json']!(0).bytes).toString();
const bad = '{"csi_data":{"antenna_data":[[{"real":1}]],"metadata":{}}}';

test.each([
  ['in a line', `${good}\n\n${bad}\n${good}`, `line 3 (byte ${good.length + 2})`],
  ['in an array', `[${good},\n ${bad}]`, `byte ${good.length + 4}`],
])('names the location of a faulty record %s', async (_, body, location) => {
  const { post, batches, source } = await start({ format: 'csi-json' });
  await post(body);
  const failed = batches.flatMap(({ raw }) => source.decode!(raw!).failed ?? []);
  expect(failed.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(new RegExp(`^body from .*: ${location.replace(/[()]/g, '\\$&')}: a record of`)),
  ]);
});

test('event time never decreases, until a clock set back is reported', async () => {
  const { post, times, source, wall } = await start();
  const line = encodeLine({ sequence: 1, timeMs: 5, rssi: -40 }, [Array<number>(104).fill(1)]);
  await post(line);
  wall.now = NOW - HOUR;
  await post(line);
  source.reanchor!(-HOUR);
  await post(line);
  expect(times()).toEqual([NOW, NOW + 1, NOW - HOUR]);
});

test('accepts JSON alone, one per line or in an array, each with its own time', async () => {
  const { post, times } = await start();
  const [one, two, three] = [0, 1, 2].map((index) =>
    Buffer.from(formatRecords['csi-json']!(index).bytes).toString().replace('2025', '2023'),
  );
  expect((await post(one!)).body).toMatchObject({ taken: 1, kind: 'record' });
  expect((await post(`${one}\n\n${two}\nno record\n`)).body).toMatchObject({ taken: 3 });
  expect((await post(`[${two},${three}]`)).body).toMatchObject({ taken: 2 });
  const first = Date.UTC(2023, 0, 15) * 1000;
  // The line that is no record follows the one before it, and event time never decreases.
  expect(times()).toEqual([
    ...[first, first, first + 10_000, first + 10_001],
    ...[first + 10_001, first + 20_000],
  ]);
});

test('lines without times have a time each, the last that of its arrival', async () => {
  const { post, times } = await start();
  const timeless = JSON.stringify({ antenna_data: [[{ real: 1, imag: -1 }]], metadata: { router_id: 'a' } });
  const ahead = Buffer.from(formatRecords['csi-json']!(0).bytes).toString().replace('2025', '2095');
  await post([timeless, timeless, timeless].join('\n'));
  await post([ahead, ahead].join('\n'));
  expect(times()).toEqual([NOW - 2, NOW - 1, NOW, NOW + 1, NOW + 2]);
});

test('formats without names use the sender that the call names', async () => {
  const environment = { ...testEnvironment, links: [{ ...testEnvironment.links[0]!, sender: 'attic' }] };
  const { post, frames, source } = await start({}, {}, environment);
  const line = encodeLine({ sequence: 1, timeMs: 5, rssi: -40 }, [Array<number>(104).fill(1)]);
  await post(line, {}, '/csi?sender=attic');
  await post(line);
  expect(frames()).toBe(1);
  expect(source.describe!()).toMatchObject({
    bodies: 2,
    records: 2,
    unknown_senders: { listed: [{ sender: '127.0.0.1' }] },
  });
});

test('refuses unusable input with the reason', async () => {
  const { post, port, source, batches } = await start({ token: 'long-enough', max_body_bytes: 2048 });
  const right = { Authorization: 'Bearer long-enough' };
  const status = async (...args: Parameters<typeof post>) => (await post(...args)).status;
  expect(await status('x')).toBe(401);
  expect(await status('x', { Authorization: 'Bearer long-enougH' })).toBe(401);
  expect(await status('x', right, '/other')).toBe(404);
  expect(await status('x', right)).toBe(415);
  expect(await status('', right)).toBe(415);
  expect(await status(Buffer.alloc(2049), right)).toBe(413);
  expect(await status(gzipSync(Buffer.alloc(5000)), right)).toBe(413);
  expect(await status(gzipSync(Buffer.alloc(5000)).subarray(0, 20), right)).toBe(400);
  expect(await status('x', { ...right, 'Content-Encoding': 'br' })).toBe(415);
  expect((await fetch(`http://127.0.0.1:${port}/csi`, { headers: right })).status).toBe(405);
  expect(source.describe!()).toMatchObject({ refused: 10, records: 0 });
  expect(batches).toEqual([]);
});

test('truncates a body without a stated length at the limit', async () => {
  const { port } = await start({ max_body_bytes: 2048 });
  const call = request({ port, host: '127.0.0.1', path: '/csi', method: 'POST' });
  call.on('error', () => undefined);
  call.write(Buffer.alloc(1500));
  call.write(Buffer.alloc(1500));
  const [answer] = (await once(call, 'response')) as [
    { statusCode: number; headers: object; resume(): void },
  ];
  answer.resume();
  expect(answer).toMatchObject({ statusCode: 413, headers: { connection: 'close' } });
  call.destroy();
});

const adr018 = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => formatRecords['adr018']!(index).bytes);

test('answers once the frames are on disk', async () => {
  const disk = gate<null>();
  const { post, batches } = await start({}, { journalled: () => disk.promise.then(() => undefined) });
  let isAnswered = false;
  const answered = post(adr018(1)[0]!).then(({ status }) => {
    isAnswered = true;
    return status;
  });
  await eventually(() => {
    expect(batches).toHaveLength(1);
  });
  expect(isAnswered).toBe(false);
  disk.resolve(null);
  expect(await answered).toBe(200);
});

test('answers with an error when the disk fails', async () => {
  const { post, recorded } = await start({}, { journalled: () => Promise.reject(new Error('disk full')) });
  const { status, headers } = await post(adr018(1)[0]!);
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('5');
  expect(recorded.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'disk full' }));
});

test('asks senders to wait while the queue is full, and loses nothing', async () => {
  const room = gate<boolean>();
  let offered = 0;
  const offer = () => {
    offered++;
    return room.promise;
  };
  const { post } = await start({}, { offer });
  const [record] = adr018(1);
  for (let i = 0; i < 16; i++) expect((await post(record!)).status).toBe(200);
  const { status, headers, body } = await post(record!);
  expect(status).toBe(429);
  expect(headers.get('retry-after')).toBe('1');
  expect(body).toEqual({ error: 'the queue is full' });
  expect(offered).toBe(16);
  room.resolve(true);
  await eventually(async () => {
    expect((await post(record!)).status).toBe(200);
  });
});

test('reports the number of frames that a full queue drops', async () => {
  let room = 2;
  const { post } = await start({ block_records: 2 }, { offer: () => room-- > 0 });
  const lines = Array.from({ length: 6 }, (_, sequence) =>
    encodeLine({ sequence, timeMs: sequence * 10, rssi: -40 }, [Array<number>(104).fill(1)]),
  );
  const { status, body } = await post(`${lines.join('\n')}\n`);
  expect(status).toBe(503);
  expect(body).toEqual({ error: 'the queue is full', taken: 4, of: 6 });
});

test('answers a call in progress during a stop', async () => {
  const disk = gate<null>();
  const { post, batches, close } = await start({}, { journalled: () => disk.promise.then(() => undefined) });
  const answered = post(adr018(1)[0]!);
  await eventually(() => {
    expect(batches).toHaveLength(1);
  });
  const closed = close();
  disk.resolve(null);
  expect((await answered).status).toBe(200);
  await closed;
});

test('names a port in use', async () => {
  const { port } = await start();
  await expect(start({ port })).rejects.toThrow(
    `TCP port ${port} of 127.0.0.1 cannot be opened: another program`,
  );
});

test.skipIf(spawnSync('openssl', ['version']).status !== 0)('with a certificate it speaks TLS', async () => {
  const folder = temporaryFolder();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '1',
  ];
  execFileSync('openssl', [...made, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const { port } = await start({ cert, key });
  const call = encrypted({ port, host: '127.0.0.1', path: '/csi', method: 'POST', ca: readFileSync(cert) });
  call.end(adr018(1)[0]);
  const [answer] = (await once(call, 'response')) as [{ statusCode: number; resume(): void }];
  answer.resume();
  expect(answer.statusCode).toBe(200);
});

test('names a missing certificate', async () => {
  await expect(start({ cert: 'no-cert.pem', key: 'no-key.pem' })).rejects.toThrow(/no-(cert|key)\.pem/);
});

const frame = Buffer.from(formatRecords['csi-json']!(0).bytes).toString();
const line = encodeLine({ sequence: 1, timeMs: 5, rssi: -40 }, [Array<number>(104).fill(1)]);

/** Ten times what a turn should take: a slow machine is part of it. */
const MAX_TURN_MS = 100;

// The client is in the same thread: it is given bytes, because encoding a text of megabytes would take most of a turn.
test.each([
  ['of brackets', '['.repeat(3_000_000)],
  ['of nested objects in lines', `{"x":${'['.repeat(900_000)}\n`.repeat(3)],
  ['of numbers', `[${'1,'.repeat(1_500_000)}1]`],
  ['of numbers behind a record', `[${frame},${'1,'.repeat(1_500_000)}1]`],
  ['of short lines', 'a\n'.repeat(2_000_000)],
  ['of empty lines', '\n'.repeat(4_000_000)],
  ['of lines that begin as a list', '[aaaaaaa\n'.repeat(400_000)],
  ['of lines that begin as a measurement', 'CSI_DATA,\n'.repeat(400_000)],
  ['of lines that hardly are records', '{"antenna_data":[]}\n'.repeat(200_000)],
  ['of a log whose lines are damaged', `${line}\n${'CSIRAW 1 2\n'.repeat(300_000)}`],
])('a body %s does not delay other calls', async (_what, body) => {
  const { post } = await start();
  const sent = Buffer.from(body);
  expect(await longestTurnAtBest(() => post(sent), MAX_TURN_MS)).toBeLessThan(MAX_TURN_MS);
});

test('rejects an empty body, and a blank one', async () => {
  const { post, batches } = await start();
  for (const body of ['', ' \n', '[]', '[ , ]']) expect((await post(body)).status).toBe(415);
  expect(batches).toEqual([]);
});

test('nor do several at once', async () => {
  const { post } = await start();
  const body = Buffer.from(`[${frame},${'1,'.repeat(500_000)}1]`);
  const several = () => Promise.all(Array.from({ length: 4 }, () => post(body)));
  expect(await longestTurnAtBest(several, MAX_TURN_MS)).toBeLessThan(MAX_TURN_MS);
});
