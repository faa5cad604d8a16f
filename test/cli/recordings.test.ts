import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EXIT } from '../../pipeline/base/exit.js';
import { CaptureWriter } from '../../api/cli/recordings/capture-writer.js';
import { recordUdp } from '../../api/cli/recordings/record.js';
import { replay } from '../../api/cli/recordings/replay.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { openRecording } from '../../pipeline/sources/recording.js';
import { batchesOf } from '../formats/batches.js';
import { FILES, SAMPLES } from '../formats/samples.js';
import { afterThisTest } from '../support/clean-up.js';
import { csiflow } from '../support/csiflow.js';

let folder: string;
let capture: string;
const FRAMES = 200;
const STEP_US = 5000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csiflow-recordings-'));
  capture = join(folder, 'in.csi');
  const records = Array.from({ length: FRAMES }, (_, i) => ({
    bytes: encodePairs(
      { node: 1, bins: 64, mhz: 2437, sequence: i, rssi: -40, noise: -90 },
      new Int8Array(128).fill(i),
    ),
    time: 1e15 + i * STEP_US,
  }));
  const parts = batchesOf(records, 50).map(encodeRecords);
  await writeFile(capture, Buffer.concat([encodeHeader({ format: 'adr018', origin: 'replay' }), ...parts]));
});
afterAll(() => rm(folder, { recursive: true }));

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}

describe('csiflow replay', () => {
  it('sends each record when it is due, and csiflow record writes them all', async () => {
    const port = await freePort();
    const out = join(folder, 'out.csi');
    const writer = await CaptureWriter.create(out, { format: 'adr018', origin: 'replay' }, false);
    const stop = new AbortController();
    const recorded = recordUdp({ host: '127.0.0.1', port }, 'adr018', writer, stop.signal, ({ records }) => {
      if (records === FRAMES) stop.abort();
    });
    const result = await replay(await openRecording(capture), {
      host: '127.0.0.1',
      port,
      speed: 4,
      signal: new AbortController().signal,
      onProgress: () => undefined,
      onProblem: () => undefined,
      onUnheard: () => undefined,
    });
    await recorded;
    await writer.close();
    expect(result.records).toBe(FRAMES);
    // 199 steps of 5 ms at four times the speed.
    expect(result.seconds).toBeGreaterThanOrEqual(0.24);
    const { code, out: stdout } = await csiflow('inspect', out, '--json');
    expect(code).toBe(EXIT.fine);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'capture',
      packets: { csi: FRAMES },
      senders: [{ sender: 'node-1', loss: 0 }],
    });
  });

  it('reports that nobody listens, and sends the rest', async () => {
    const to = `udp://127.0.0.1:${await freePort()}`;
    const { code, out: stdout, err: stderr } = await csiflow('replay', capture, '--to', to, '--speed', '10');
    expect(code).toBe(EXIT.fine);
    expect(stdout).toMatch(/^200 records/);
    expect(stderr).toMatch(`csiflow: no listener at ${to}: datagrams are lost until there is one`);
    expect(stderr.match(/no listener/g)).toHaveLength(1);
  });

  it('reports that its name does not exist', async () => {
    const { code, err: stderr } = await csiflow('replay', capture, '--to', 'udp://nobody.invalid:5005');
    expect(code).toBe(EXIT.unavailable);
    expect(stderr).toBe('csiflow: nobody.invalid cannot be reached: its name does not exist. Check --to\n');
  });

  it('rejects an invalid address', async () => {
    const { code, err: stderr } = await csiflow('replay', capture, '--to', 'localhost');
    expect([code, stderr]).toEqual([EXIT.invalid, expect.stringContaining('udp://127.0.0.1:5005')]);
  });
});

describe('csiflow convert', () => {
  it('writes a capture that plays the same, and does not overwrite one', async () => {
    const out = join(folder, 'converted.csi');
    expect((await csiflow('convert', capture, out)).code).toBe(EXIT.fine);
    const before = await csiflow('inspect', capture, '--json');
    const after = await csiflow('inspect', out, '--json');
    expect(JSON.parse(after.out)).toEqual({ ...(JSON.parse(before.out) as object), what: out });
    expect((await csiflow('convert', capture, out)).code).toBe(EXIT.invalid);
  });
});

describe('csiflow record', () => {
  it('reports that nothing arrived, and leaves no file', async () => {
    const from = `udp://127.0.0.1:${await freePort()}`;
    const out = join(folder, 'nothing.csi');
    const {
      code,
      out: stdout,
      err: stderr,
    } = await csiflow('record', '--from', from, '--out', out, '--seconds', '0.05');
    expect({ code, stdout }).toEqual({ code: EXIT.failed, stdout: '' });
    expect(stderr).toContain(`no packet arrived at ${from}`);
    expect(existsSync(out)).toBe(false);
  });

  it('stores datagrams of any format, and appends more of others', async () => {
    const port = await freePort();
    const out = join(folder, 'mixed.csi');
    const socket = createSocket('udp4');
    afterThisTest(() => {
      socket.close();
    });
    for (const format of ['espectre', 'micropython-csi', 'nexmon']) {
      const record = SAMPLES.find((sample) => sample.format === format)!.records[0]!;
      const recorded = csiflow(
        ...['record', '--from', `udp://127.0.0.1:${port}`, '--out', out, '--append', '--seconds', '0.5'],
      );
      const sending = setInterval(() => {
        socket.send(record, port, '127.0.0.1');
      }, 50);
      expect((await recorded).code).toBe(EXIT.fine);
      clearInterval(sending);
    }
    const found = JSON.parse((await csiflow('inspect', out, '--json')).out) as {
      senders: { heard: Record<string, { format: string }> }[];
    };
    expect(found).toMatchObject({ kind: 'capture', format: 'auto', malformed: {}, faults: [] });
    const heard = Object.values(found.senders[0]!.heard).map((sender) => sender.format);
    expect(heard).toEqual(['espectre', 'micropython-csi', 'nexmon']);
  });

  it.each([
    ['adr018', true],
    ['auto', false],
  ])('says what an appended capture of %s leaves unread', async (format, says) => {
    const out = join(folder, `appended-${format}.csi`);
    await writeFile(out, encodeHeader({ format, origin: 'replay' }));
    const port = await freePort();
    const { err } = await csiflow(
      ...['record', '--from', `udp://127.0.0.1:${port}`, '--out', out, '--append', '--seconds', '0.1'],
    );
    expect(err.includes(`its records are ${format}, so datagrams of other formats`)).toBe(says);
  });

  it('ends with code 3 if its port is in use, and leaves no file', async () => {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const { port } = socket.address();
    const out = join(folder, 'taken.csi');
    const { code, err: stderr } = await csiflow('record', '--from', `udp://127.0.0.1:${port}`, '--out', out);
    await new Promise<void>((resolve) => socket.close(resolve));
    expect([code, stderr]).toEqual([EXIT.unavailable, expect.stringContaining(`UDP port ${port}`)]);
    await expect(openRecording(out)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('csiflow inspect', () => {
  it.each([
    ['missing.csi', undefined, 'the file does not exist'],
    ['empty.csi', '', 'the file is empty'],
    ['empty.gz', gzipSync(''), 'the file is empty'],
    ['header.csi', encodeHeader({ format: 'adr018', origin: 'replay' }), 'contains no records'],
  ])('explains what is wrong with %s', async (name, content, expected) => {
    const path = join(folder, name);
    if (content !== undefined) await writeFile(path, content);
    const { code, out: stdout, err: stderr } = await csiflow('inspect', path);
    expect({ code, stdout }).toEqual({ code: EXIT.invalid, stdout: '' });
    expect(stderr).toContain(expected);
    expect(stderr).not.toMatch(/ENOENT|^ +at /m);
  });

  it('shows what comes before the damage of a compressed file, and plots it', async () => {
    const path = join(folder, 'cut.csi.gz');
    const image = join(folder, 'cut.svg');
    await writeFile(path, gzipSync(await readFile(capture), { level: 0 }).subarray(0, 20_000));
    const { code, out: stdout, err: stderr } = await csiflow('inspect', path, '--plot', image);
    expect([code, existsSync(image)]).toEqual([EXIT.invalid, true]);
    expect(stdout).toMatch(/cut\.csi\.gz: capture, records of adr018\n\d+ records/);
    expect(stderr).toMatch(/the gzip data is damaged or truncated after \d+ bytes/);
  });

  it('shows a part of a recording', async () => {
    const at = (frame: number) => new Date((1e15 + frame * STEP_US) / 1000).toISOString();
    const part = await csiflow('inspect', capture, '--start', at(20), '--end', at(50));
    expect(part.out).toContain('\n30 records');
    const none = await csiflow('inspect', capture, '--start', '2100-01-01');
    expect([none.code, none.err]).toEqual([
      EXIT.invalid,
      expect.stringContaining('contains no records from 2100-01-01\n'),
    ]);
    const port = await csiflow('inspect', 'udp://127.0.0.1:9', '--end', '2100-01-01');
    expect(port.err).toContain('--start and --end are for recordings');
  });

  it('says that band and channel are only assumed where a format states neither', async () => {
    const { records } = SAMPLES.find(({ format }) => format === 'feitcsi')!;
    const path = join(folder, 'card.dat');
    await writeFile(path, Buffer.concat(records));
    const { out: stdout } = await csiflow('inspect', path);
    expect(stdout).toContain('@5320/');
    expect(stdout).toContain('the band and channel are unknown');
    // An ADR-018 node states its channel.
    expect((await csiflow('inspect', capture)).out).not.toContain('unknown:');
  });

  it('prints senders that match when copied into an environment', async () => {
    const record = (router: string) => ({
      bytes: Buffer.from(
        JSON.stringify({
          timestamp: '2026-01-01T00:00:00Z',
          antenna_data: [[{ real: 1, imag: 2 }]],
          metadata: { router_id: router },
        }),
      ),
      sender: '10.0.0.4:49152',
    });
    const path = join(folder, 'routers.csi');
    const parts = batchesOf([record('router: 1'), record('hall')]).map(encodeRecords);
    await writeFile(path, Buffer.concat([encodeHeader({ format: 'csi-json', origin: 'replay' }), ...parts]));
    const { out: stdout } = await csiflow('inspect', path);
    const { links } = parse(stdout.slice(stdout.indexOf('links:'))) as { links: { sender: string }[] };
    expect(links.map(({ sender }) => sender)).toEqual(['router: 1', 'hall']);
    expect(stdout).toMatch(/sender: hall \} # csi-json, rate unknown, ht-ltf\/1x1/);
    expect((await csiflow('inspect', capture)).out).toMatch(/^sender: node-1$/m);
  });

  it('receives several formats on one port, and prints the line for each sender', async () => {
    const port = await freePort();
    const sender = createSocket('udp4');
    const formats = ['nexmon', 'realtek-csi', 'espectre'];
    const samples = SAMPLES.filter(({ format }) => formats.includes(format));
    let sent = 0;
    const timer = setInterval(() => {
      for (const { records } of samples) sender.send(records[sent % records.length]!, port, '127.0.0.1');
      sent++;
    }, 5);
    const { code, out: stdout } = await csiflow('inspect', `udp://127.0.0.1:${port}`, '--seconds', '1.5');
    clearInterval(timer);
    sender.close();
    expect(code).toBe(EXIT.fine);
    expect(stdout).toContain('records of several formats');
    const { links } = parse(stdout.slice(stdout.indexOf('links:'))) as { links: { sender: string }[] };
    const found = ['01:02:03:04:05:06', '02:00:00:00:00:01', '127.0.0.1'];
    expect(links.map((link) => link.sender).sort()).toEqual(found);
    for (const format of formats) expect(stdout).toMatch(new RegExp(`\\} # ${format}, [1-9]`));
  });

  it('says that datagrams are of no known format', async () => {
    const port = await freePort();
    const sender = createSocket('udp4');
    const timer = setInterval(() => {
      sender.send('hello', port, '127.0.0.1');
    }, 5);
    const { code, out: stdout } = await csiflow('inspect', `udp://127.0.0.1:${port}`, '--seconds', '1');
    clearInterval(timer);
    sender.close();
    expect(code).toBe(EXIT.fine);
    expect(stdout).toContain(`udp://127.0.0.1:${port}: udp, records of no known format`);
    expect(stdout).toContain('no format recognises it');
  });

  it('counts intervals between frames, not frames, for the rate', async () => {
    const path = 'test/formats/tables/fortran.npy';
    const { out: stdout } = await csiflow('inspect', path, '--table', '{ rate_hz: 10 }');
    expect(stdout).toMatch(/: 4 frames, 10\/s, /);
    expect(stdout).toContain('# 10 frames per second');
  });

  it('says that a channel is assumed, also if records name no sender', async () => {
    const path = join(folder, 'csi.dat');
    const { records } = FILES.find(({ kind }) => kind === 'intel5300-log')!;
    await writeFile(path, Buffer.concat(records));
    const { out: stdout } = await csiflow('inspect', path);
    expect(stdout).toContain('the band and channel are unknown: the records do not state them, and 5320 MHz');
  });

  it('ends with code 2 if a file is not a recording', async () => {
    const path = join(folder, 'text.txt');
    await writeFile(path, 'hello');
    const { code, err: stderr } = await csiflow('inspect', path);
    expect([code, stderr]).toEqual([EXIT.invalid, expect.stringContaining('no kind that csiflow reads')]);
  });
});
