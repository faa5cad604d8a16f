import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  firstEnvironment,
  firstTopology,
  motionLine,
  windowFor,
} from '../../api/cli/recordings/first-topology.js';
import { heardIn, leftOut } from '../../api/cli/recordings/link-lines.js';
import type { Summary } from '../../api/cli/recordings/inspect.js';
import { lookIntoFile } from '../../api/cli/recordings/look.js';
import { seeded } from '../../pipeline/base/random.js';
import { EXIT } from '../../pipeline/base/exit.js';
import { encodeAth11kCfr } from '../../pipeline/formats/devices/qualcomm/ath11k-cfr.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeNexmon } from '../../pipeline/formats/devices/broadcom/nexmon.js';
import { recogniseRecord } from '../../pipeline/formats/index.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { batchesOf } from '../formats/batches.js';
import { csiflow } from '../support/csiflow.js';

let folder: string;
let capture: string;

/** Frames of node 7 with noise. */
const frame = (index: number): Uint8Array =>
  encodePairs(
    { node: 7, bins: 64, mhz: 2437, sequence: index, rssi: -40, noise: -90 },
    Int8Array.from({ length: 128 }, (_, i) => ((i * 31 + index * 17 * (i % 7)) % 60) - 30),
  );

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-init-'));
  capture = join(folder, 'Evening 1.csi');
  const records = Array.from({ length: 200 }, (_, i) => ({ bytes: frame(i), time: 1e15 + i * 25_000 }));
  const parts = batchesOf(records).map(encodeRecords);
  writeFileSync(capture, Buffer.concat([encodeHeader({ format: 'adr018', origin: 'replay' }), ...parts]));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('makes a topology and an environment from a recording, and its test passes', async () => {
  const room = join(folder, 'room');
  const { code, out } = await csiflow('init', capture, '--folder', room);
  expect([code, out]).toEqual([EXIT.fine, expect.stringMatching(/^ok .*the first recording is still read/m)]);
  const topology = parse(readFileSync(join(room, 'topology.yaml'), 'utf8')) as Record<string, unknown>;
  expect(topology).toMatchObject({ id: 'evening-1', sources: { air: { type: 'file', path: capture } } });
  expect(parse(readFileSync(join(room, 'room.yaml'), 'utf8'))).toMatchObject({
    links: [{ id: 'link-1', sender: 'node-7' }],
    assumed: [expect.stringContaining('the positions of the devices')],
  });
});

it.each(['topology', 'room'])(
  'names a schema in the first line of %s.yaml that accepts the file',
  async (name) => {
    const room = join(folder, `edited-${name}`);
    await csiflow('init', capture, '--folder', room);
    const text = readFileSync(join(room, `${name}.yaml`), 'utf8');
    const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)![1]!;
    const validate = new Ajv({ strict: false }).compile(
      JSON.parse(readFileSync(join(room, schema), 'utf8')) as object,
    );
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
  },
);

it('reads the cores and streams of a Nexmon as one frame, like csiflow inspect', async () => {
  const datagram = (index: number): Uint8Array =>
    encodeNexmon(
      {
        ...{ mac: Uint8Array.of(0x98, 0xde, 0xd0, 0x48, 0x92, 0x66), sequence: index >> 2, rssi: -50 },
        ...{ core: [0, 1, 8, 9][index % 4]!, chanspec: 0x1006, bins: 64 },
      },
      Array.from({ length: 110 }, (_, i) => (i * 31 + index * 17 * (i % 7)) % 600),
    );
  const recording = join(folder, 'rows.csi');
  const records = Array.from({ length: 400 }, (_, i) => ({ bytes: datagram(i), time: 1e15 + i * 5_000 }));
  const parts = batchesOf(records).map(encodeRecords);
  writeFileSync(recording, Buffer.concat([encodeHeader({ format: 'nexmon', origin: 'replay' }), ...parts]));
  expect((await csiflow('inspect', recording)).out).toContain(
    '`nexmon: { cores: 2, streams: 2 }` of the source',
  );
  const { code, out } = await csiflow('init', recording, '--folder', join(folder, 'rows'));
  expect([code, out]).toEqual([EXIT.fine, expect.stringMatching(/^ok .*the first recording is still read/m)]);
  const topology = parse(readFileSync(join(folder, 'rows', 'topology.yaml'), 'utf8')) as object;
  expect(topology).toMatchObject({ sources: { air: { nexmon: { cores: 2, streams: 2 } } } });
  expect(parse(readFileSync(join(folder, 'rows', 'room.yaml'), 'utf8'))).toMatchObject({
    links: [{ id: 'link-1', sender: '98:de:d0:48:92:66' }],
  });
});

const anyNumber = seeded(12);
it.each([
  ['zeros', () => new Int8Array(128), 'silent'],
  ['noise', () => Int8Array.from({ length: 128 }, () => Math.floor(250 * anyNumber()) - 125), 'noise'],
])('writes a test that passes for frames without motion, and says why: %s', async (name, numbers, fault) => {
  const dead = join(folder, `${name}.csi`);
  const head = { node: 7, bins: 64, mhz: 2437, rssi: -40, noise: -90 };
  const records = Array.from({ length: 400 }, (_, i) => ({
    bytes: encodePairs({ ...head, sequence: i }, numbers()),
    time: 1e15 + i * 25_000,
  }));
  const parts = batchesOf(records).map(encodeRecords);
  writeFileSync(dead, Buffer.concat([encodeHeader({ format: 'adr018', origin: 'replay' }), ...parts]));
  const room = join(folder, `room-${name}`);
  const schema = join(room, 'topology.schema.json');
  mkdirSync(room);
  writeFileSync(schema, '{}');
  const { code, out, err } = await csiflow('init', dead, '--folder', room);
  expect(readFileSync(schema, 'utf8')).toBe('{}');
  expect([code, out]).toEqual([EXIT.fine, expect.stringMatching(/^ok .*the first recording is still read/m)]);
  expect(err).toContain('its frames yield no motion, so the test expects none');
  expect(err).toContain(`"fault":"${fault}"`);
  expect(readFileSync(join(room, 'topology.yaml'), 'utf8')).not.toContain('from: motion, contains');
});

it('knows the line in which the test expects motion', async () => {
  const { summary, ...rest } = await lookIntoFile(capture, { kind: 'auto', format: 'auto' });
  const found = { ...rest, summary, what: capture, id: 'a', source: { type: 'file' }, capture };
  const lines = firstTopology(found).split('\n');
  expect(lines[motionLine(found)! - 1]).toContain('from: motion, contains');
  expect(motionLine({ ...found, yieldsMotion: false })).toBeNull();
});

it('overwrites nothing unless asked', async () => {
  const room = join(folder, 'room');
  const { code, err } = await csiflow('init', capture, '--folder', room);
  expect([code, err]).toEqual([EXIT.invalid, expect.stringContaining('already exists')]);
  expect((await csiflow('init', capture, '--folder', room, '--force')).code).toBe(EXIT.fine);
});

it('writes nothing if the folder has one of the files', async () => {
  const room = join(folder, 'own-room');
  mkdirSync(room);
  writeFileSync(join(room, 'room.yaml'), 'id: mine');
  const { code, err } = await csiflow('init', capture, '--folder', room);
  expect([code, err]).toEqual([EXIT.invalid, expect.stringContaining(join('own-room', 'room.yaml'))]);
  expect(readdirSync(room)).toEqual(['room.yaml']);
});

it('leaves the schema of `csiflow schema` in the folder alone', async () => {
  const room = join(folder, 'own-schema');
  mkdirSync(room);
  writeFileSync(join(room, 'topology.schema.json'), '{}');
  const { code, out } = await csiflow('init', capture, '--folder', room);
  expect([code, out]).toEqual([EXIT.fine, expect.not.stringContaining('topology.schema.json')]);
  expect(readFileSync(join(room, 'topology.schema.json'), 'utf8')).toBe('{}');
});

it('keeps input from a port for the test, and recognises its format by its bytes', async () => {
  const room = join(folder, 'live');
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  const sender = createSocket('udp4');
  let sent = 0;
  const timer = setInterval(() => {
    sender.send(frame(sent++), port, '127.0.0.1');
  }, 5);
  const address = `udp://127.0.0.1:${port}`;
  const { code } = await csiflow('init', address, '--folder', room, '--seconds', '1.5');
  clearInterval(timer);
  sender.close();
  expect(code).toBe(EXIT.fine);
  expect(
    readdirSync(room)
      .filter((file) => !file.endsWith('.schema.json'))
      .sort(),
  ).toEqual(['room.yaml', 'sample.csi', 'topology.yaml']);
  const topology = parse(readFileSync(join(room, 'topology.yaml'), 'utf8')) as Record<string, unknown>;
  expect(topology['sources']).toEqual({ air: { type: 'udp', host: '127.0.0.1', port, format: 'adr018' } });
});

it('reads a recording as configured, and so does its test', async () => {
  const path = join(folder, 'wide.cfr');
  const frames = Array.from({ length: 60 }, (_, i) =>
    encodeAth11kCfr(
      {
        ...{ mac: Uint8Array.of(2, 0, 0, 0, 0, 1), kind: 'legacy', width: 1, mhz: 5190, order: 'fft' },
        ...{ clock: i * 50_000, rssi: [-50], gain: [20] },
      },
      Array.from({ length: 208 }, (__, j) => ((j * 31 + i * 17 * (j % 7)) % 60) + 1),
    ),
  );
  writeFileSync(path, Buffer.concat(frames));
  const room = join(folder, 'wide');
  const refused = await csiflow('init', path, '--folder', room);
  expect([refused.code, refused.err]).toEqual([EXIT.invalid, expect.stringContaining('ath11k-cfr-fft')]);
  expect((await csiflow('inspect', path)).out).toContain('tone_order: 60 records from ');
  expect((await csiflow('init', path, '--folder', room, '--format', 'ath11k-cfr-fft')).code).toBe(EXIT.fine);
  const other = await csiflow('inspect', path, '--format', 'nexmon');
  expect([other.code, other.err]).toEqual([EXIT.invalid, expect.stringContaining('are ath11k-cfr')]);
});

/** Amplitudes of 60 frames of 52 carriers, with noise. */
const rows = Array.from({ length: 60 }, (_, i) =>
  Array.from({ length: 52 }, (__, j) => ((j * 31 + i * 17 * (j % 7)) % 60) + 1).join(','),
);

it('reads arrays as --table says, and so does its test', async () => {
  const path = join(folder, 'walk.csv');
  writeFileSync(path, rows.join('\n'));
  const room = join(folder, 'walk');
  const refused = await csiflow('init', path, '--folder', room);
  expect([refused.code, refused.err]).toEqual([EXIT.invalid, expect.stringContaining('rate_hz')]);
  const { code, err } = await csiflow('init', path, '--folder', room, '--table', '{ rate_hz: 20 }');
  expect([code, err]).toEqual([EXIT.fine, '']);
  const topology = parse(readFileSync(join(room, 'topology.yaml'), 'utf8')) as Record<string, object>;
  expect(topology['sources']).toMatchObject({
    air: { type: 'file', path, table: { rate_hz: 20 }, speed: 1 },
  });
  const udp = await csiflow('init', 'udp://127.0.0.1:5005', '--table', '{ rate_hz: 20 }');
  expect([udp.code, udp.err]).toEqual([EXIT.invalid, expect.stringContaining('--table is for files')]);
});

it('replays arrays, read as --table says', async () => {
  const path = join(folder, 'replayed.csv');
  writeFileSync(path, rows.join('\n'));
  const socket = createSocket('udp4');
  const heard: Buffer[] = [];
  const all = new Promise<void>((resolve) => {
    socket.on('message', (record) => {
      if (heard.push(record) === rows.length) resolve();
    });
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const to = `udp://127.0.0.1:${socket.address().port}`;
  const { code } = await csiflow('replay', path, '--table', '{ rate_hz: 1000 }', '--to', to);
  expect(code).toBe(EXIT.fine);
  await all;
  socket.close();
  expect(heard.map((record) => recogniseRecord(record)?.name)).toEqual(rows.map(() => 'table-frame'));
});

const recorded = (name: string, records: readonly { bytes: Uint8Array; time: number }[]): string => {
  const path = join(folder, name);
  const parts = batchesOf(records).map(encodeRecords);
  writeFileSync(path, Buffer.concat([encodeHeader({ format: 'adr018', origin: 'replay' }), ...parts]));
  return path;
};

it.each([
  ['zeros', new Int8Array(128), /200 of 200 frames from sender node-7 \(lltf.*\) are all zeros/],
  ['constant', Int8Array.from({ length: 128 }, (_, i) => i % 60), /199 of 200 frames .* repeat the previous/],
])('names frames that are no measurements: %s', async (name, values, warning) => {
  const dead = (sequence: number): Uint8Array =>
    encodePairs({ node: 7, bins: 64, mhz: 2437, sequence, rssi: -40, noise: -90 }, values);
  const records = Array.from({ length: 200 }, (_, i) => ({ bytes: dead(i), time: 1e15 + i * 25_000 }));
  const path = recorded(`${name}.csi`, records);
  expect((await csiflow('init', path, '--folder', join(folder, name))).err).toMatch(warning);
});

it('expects motion although one training field is rare', async () => {
  const wide = (sequence: number): Uint8Array =>
    encodePairs(
      { node: 7, bins: 128, mhz: 2437, sequence, rssi: -40, noise: -90 },
      Int8Array.from({ length: 256 }, (_, i) => ((i * 31 + sequence * 17 * (i % 7)) % 60) - 30),
    );
  const records = Array.from({ length: 200 }, (_, i) => ({
    bytes: i % 150 === 0 ? wide(i) : frame(i),
    time: 1e15 + i * 25_000,
  }));
  const room = join(folder, 'rare');
  const { code } = await csiflow('init', recorded('rare.csi', records), '--folder', room);
  expect([code, readFileSync(join(room, 'topology.yaml'), 'utf8')]).toEqual([
    EXIT.fine,
    expect.stringContaining('contains: { name: motion'),
  ]);
});

it('reports a recording without frames', async () => {
  const empty = join(folder, 'empty.csi');
  writeFileSync(empty, encodeHeader({ format: 'adr018', origin: 'replay' }));
  const { code, err } = await csiflow('init', empty, '--folder', join(folder, 'none'));
  expect([code, err]).toEqual([EXIT.invalid, expect.stringContaining('contains no frame')]);
});

const layout = {
  ...{ layout: 'lltf', frames: 1000, frames_per_second: 100, rssi_dbm: null },
  ...{ zero_frames: 0, repeated_frames: 0, longest_gap_s: 0.01 },
};
const summary = (heard: Record<string, number>, seconds: number): Summary => ({
  ...{ records: 1000, bytes: 1, start: null, seconds, packets: null, malformed: null, faults: [] },
  senders: [
    {
      ...{ sender: '*', format: 'nexmon', loss: null, assumed: null, layouts: [layout] },
      heard: Object.fromEntries(
        Object.entries(heard).map(([sender, frames]) => [
          sender,
          { format: 'nexmon', frames, frames_per_second: frames / seconds, layout: 'lltf' },
        ]),
      ),
    },
  ],
});

it('gives each frequent sender its own link, eight at most', () => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`10.0.0.${i}`, 100 + i]));
  expect(heardIn(summary({ ...many, rare: 2 }, 10)).map(({ sender }) => sender)).toEqual(
    Array.from({ length: 8 }, (_, i) => `10.0.0.${11 - i}`),
  );
  expect(heardIn(summary({}, 10))).toMatchObject([{ sender: '*', records: 1000, rate: 99.9 }]);
  const { links } = parse(firstEnvironment({ what: 'a.csi', summary: summary(many, 10) })) as {
    links: unknown[];
  };
  expect(links).toHaveLength(8);
});

it('with several formats, gives rare senders a link too, and computes windows for the others', () => {
  const { senders } = summary({ fast: 1000 }, 10);
  const report = { format: 'beamforming', frames: 5, frames_per_second: 0.5, layout: 'report' };
  const heard = { ...senders[0]!.heard, 'a/b': report };
  const found = { senders: [{ ...senders[0]!, format: null, heard }], seconds: 10 };
  const both = heardIn(found);
  expect(both.map(({ sender, format }) => [sender, format])).toEqual([
    ['fast', 'nexmon'],
    ['a/b', 'beamforming'],
  ]);
  expect([windowFor(both, 10), leftOut(found)]).toEqual([2000, { further: 0, rare: 0 }]);
  expect(leftOut(summary({ often: 1000, rare: 2 }, 10))).toEqual({ further: 0, rare: 1 });
});

it.each([
  [100, 60, 2000],
  [4, 60, 5000],
  [0.1, 600, null],
  [100, 2, null],
])('at %d frames per second over %d s, a window takes %j ms', (rate, seconds, expected) => {
  expect(windowFor([{ rate }], seconds)).toBe(expected);
});
