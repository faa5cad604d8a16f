import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { rawRecord, type Context, type RawBatch } from '../../pipeline/component/index.js';
import { encodeLine } from '../../pipeline/formats/devices/espressif/esp32-serial.js';
import type { Data } from '../../pipeline/model/index.js';
import { LinkTable } from '../../pipeline/model/index.js';
import { serial } from '../../pipeline/sources/serial/serial.js';
import { pcapOf } from '../formats/pcap-files.js';
import { SAMPLES } from '../formats/samples.js';
import { withDefaults } from '../kit/definition.js';
import { afterThisTest } from '../support/clean-up.js';
import { testContext } from '../support/context.js';
import { temporaryFolder } from '../support/flow.js';
import { anySender } from '../support/recordings.js';
import { eventually } from '../support/waiting.js';
import { collector } from './outputs.js';

function start(config: object, folder = temporaryFolder(), extra: Partial<Context> = {}) {
  const { context, recorded } = testContext({ links: new LinkTable([anySender]), folder, ...extra });
  const settings = withDefaults(serial, { reconnect_ms: 10, idle_tick_ms: 0, ...config });
  const source = serial.create(settings as never, context);
  const taken = collector();
  const problems: (string | null)[] = [];
  const ended = source.open(null, {
    ...taken.output,
    problem: (problem) => problems.push(problem),
  });
  const stop = async () => {
    taken.stop();
    await ended;
  };
  // The test handles the rejection of an open.
  const over = ended.catch(() => undefined);
  afterThisTest(async () => {
    taken.stop();
    await over;
  });
  const decoded = (): readonly Data[] =>
    taken.batches.flatMap(({ raw }) => (raw ? source.decode!(raw).data : []));
  const frames = () => decoded().reduce((sum, one) => sum + (one.port === 'csi' ? one.count : 0), 0);
  return { source, taken, recorded, problems, ended, stop, frames };
}

/** A program that prints a file and keeps running, or ends. */
const printing = (file: string, then = ''): string[] => [
  process.execPath,
  '-e',
  `process.stdout.write(require('fs').readFileSync(${JSON.stringify(file)})); ${then}`,
];
const STAY = 'setInterval(() => {}, 1000)';

const KINDS = SAMPLES.filter(({ kind }) => kind !== null);

test.each(KINDS)(
  'reads the $kind output of a program record by record',
  async ({ kind, format, records }) => {
    const folder = temporaryFolder();
    const file = join(folder, 'stream');
    writeFileSync(file, Buffer.concat(records.map((record) => Buffer.from(record))));
    const { source, taken, frames } = start({ command: printing(file, STAY) }, folder);
    // A line is complete when the next one begins; a record with a length is complete immediately.
    await eventually(() => {
      expect(frames()).toBeGreaterThanOrEqual(11);
    });
    expect(source.describe!()).toMatchObject({ kind, format, connected: true });
    expect(taken.batches.every(({ raw }) => raw!.origin === 'live')).toBe(true);
  },
);

const lines = (...sequences: readonly number[]): string =>
  sequences.map((sequence) => `${encodeLine({ sequence, timeMs: sequence, rssi: -40 }, [PAIRS])}\n`).join('');
const PAIRS = Array.from({ length: 104 }, (_, i) => (i % 100) - 50);

test('reads each packet of a capture when it arrives, not with the next one', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'stream');
  const { records } = SAMPLES.find(({ format }) => format === 'nexmon')!;
  writeFileSync(file, pcapOf(records));
  const { frames } = start({ command: printing(file, STAY) }, folder);
  await eventually(() => {
    expect(frames()).toBe(records.length);
  });
});

test('loses no line when a device restarts: its clock does not count', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'stream');
  writeFileSync(file, lines(900_000, 900_010, 5, 15, 25, 35));
  const { frames, taken } = start({ command: printing(file, STAY) }, folder);
  await eventually(() => {
    expect(frames()).toBe(6);
  });
  expect(taken.batches.at(-1)!.raw!.senders).toEqual([process.execPath]);
});

test('restarts a command that ends, and reports its last output', async () => {
  const script =
    'console.error("one"); console.error("tcpdump: eth9: No such device exists"); process.exit(3)';
  const { problems, source } = start({ command: [process.execPath, '-e', script] });
  await eventually(() => {
    expect(source.describe!()['reconnects']).toBeGreaterThan(1);
  });
  expect(problems[0]).toBe(
    `\`${process.execPath}\` ended with code 3: one; tcpdump: eth9: No such device exists`,
  );
});

test('a command that prints a line and ends is restarted less and less often', async () => {
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    elapsed: () => 0,
    timer: (ms: number, then: () => void) => {
      // Processes are given 2,000 ms to exit: those waits are not of interest.
      if (ms !== 2000) waits.push(ms);
      const timer = setTimeout(then, ms === 2000 ? ms : 0);
      return () => {
        clearTimeout(timer);
      };
    },
  };
  const { problems, source } = start(
    { command: ['printf', 'one\n'], reconnect_ms: 1000 },
    temporaryFolder(),
    { clock, random: () => 1 },
  );
  await eventually(() => {
    expect(waits.slice(0, 5)).toEqual([250, 500, 1000, 1000, 1000]);
  });
  expect(problems).toContain('`printf` ended with code 0; attempt 4 follows in 1.0 s');
  expect(source.describe!()['failures']).toBeGreaterThanOrEqual(4);
});

test('a command that cannot start keeps the source from opening', async () => {
  const { ended } = start({ command: ['no-such-program-9'] });
  await expect(ended).rejects.toThrow(
    /`no-such-program-9` cannot be started: the program or the folder .* does not exist/,
  );
});

test('a stop ends the program and its children', async () => {
  const folder = temporaryFolder();
  const pids = join(folder, 'pids');
  const script = `
    const { pid } = require('child_process').spawn('sleep', ['1000'], { stdio: 'inherit' });
    require('fs').writeFileSync(${JSON.stringify(pids)}, process.pid + ' ' + pid);
    console.log('here');
    ${STAY}`;
  const { stop, source } = start({ command: [process.execPath, '-e', script] }, folder);
  await eventually(() => {
    expect(source.describe!()['bytes']).toBe(5);
  });
  await stop();
  for (const pid of readFileSync(pids, 'utf8').split(' '))
    await eventually(() => {
      expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    });
});

test("the program does not see csiflow's secrets", async () => {
  vi.stubEnv('CSIFLOW_SECRET_MQTT', 'hush-hush');
  afterThisTest(() => {
    vi.unstubAllEnvs();
  });
  const script =
    'console.error(Object.keys(process.env).filter((name) => name.startsWith("CSIFLOW_")).length)';
  const { problems } = start({ command: [process.execPath, '-e', script] });
  await eventually(() => {
    expect(problems[0]).toMatch(/ended with code 0: 0$/);
  });
});

test('waits for a pipe whose writer has left, and reads on', async () => {
  const folder = temporaryFolder();
  const device = join(folder, 'receiver');
  execFileSync('mkfifo', [device]);
  const { frames, problems, source } = start({ device: 'receiver' }, folder);
  const write = async (text: string) => {
    const pipe = await open(device, 'w');
    await pipe.writeFile(text);
    await pipe.close();
  };
  await write(lines(1, 2, 3));
  await eventually(() => {
    expect(problems).toEqual([`${device}: its writer has closed it`]);
  });
  await write(lines(4, 5));
  await eventually(() => {
    expect(frames()).toBe(5);
  });
  expect(problems).toContain(null);
  expect(source.describe!()['links']).toMatchObject({ 'link-1': { received: 5, lost: 0 } });
});

test('waits for a missing device', async () => {
  const folder = temporaryFolder();
  const device = join(folder, 'ttyUSB0');
  const { problems, frames } = start({ device }, folder);
  await eventually(() => {
    expect(problems).toEqual([
      `${device} cannot be opened: the device does not exist: plug it in, or set \`device\` to one that does`,
    ]);
  });
  execFileSync('mkfifo', [device]);
  const pipe = await open(device, 'w');
  await pipe.writeFile(lines(1, 2));
  await eventually(() => {
    expect(frames()).toBe(2);
  });
  await pipe.close();
});

test.each([
  ['a file', 'plain', /is a file: use the source `file`/],
  ['a path that is not a device', '/dev/null', /is not a serial device or a named pipe/],
])('rejects %s', async (_what, device, message) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'plain'), 'x');
  const { ended } = start({ device }, folder);
  await expect(ended).rejects.toThrow(message);
});

test('reports an unknown stream, and reads it once it is known', async () => {
  const folder = temporaryFolder();
  const device = join(folder, 'receiver');
  execFileSync('mkfifo', [device]);
  const { frames, problems } = start({ device }, folder);
  const pipe = await open(device, 'w');
  await pipe.writeFile('noise '.repeat(11_000));
  await eventually(() => {
    expect(problems[0]).toMatch(/^none of the \d+ bytes received are of a kind that csiflow reads/);
  });
  // Whole pieces more, so that the same amount remains to be searched.
  await pipe.writeFile('noise noise noise'.slice(0, 16).repeat(8192));
  await pipe.writeFile(`\n${lines(1, 2, 3)}`);
  await eventually(() => {
    expect(frames()).toBe(3);
  });
  expect(problems.at(-1)).toBeNull();
  // Once, not with each further bad piece.
  expect(problems.filter((problem) => problem !== null)).toHaveLength(1);
  await pipe.close();
});

/** Opens a terminal, prints its name, and writes what it reads to it. */
const TERMINAL = `
import os, pty, sys
main, other = pty.openpty()
print(os.ttyname(other), flush=True)
while piece := os.read(0, 65536):
    while piece:
        piece = piece[os.write(main, piece):]
`;

/** A board on a pseudo terminal. */
async function plugIn() {
  const board = spawn('python3', ['-c', TERMINAL], { stdio: ['pipe', 'pipe', 'inherit'] });
  afterThisTest(() => {
    board.kill();
  });
  const [name] = (await once(board.stdout, 'data')) as [Buffer];
  const unplug = async () => {
    board.stdin.end();
    await once(board, 'exit');
  };
  return {
    device: name.toString().trim(),
    send: (bytes: Uint8Array | string) => board.stdin.write(bytes),
    unplug,
  };
}

const connected = (source: { describe?: () => Readonly<Record<string, unknown>> }) =>
  eventually(() => {
    expect(source.describe!()['connected']).toBe(true);
  });

describe.skipIf(spawnSync('python3', ['-c', '']).status !== 0)('a serial device', () => {
  test('is read unchanged, and waited for when unplugged', async () => {
    const device = join(temporaryFolder(), 'ttyUSB0');
    const board = await plugIn();
    symlinkSync(board.device, device);
    const { frames, problems, source } = start({ device });
    await connected(source);
    board.send(`\u001b[0;32mI (574) csi: begins\u001b[0m\r\n${lines(1, 2, 3).replaceAll('\n', '\r\n')}`);
    await eventually(() => {
      expect(frames()).toBe(3);
    });
    await board.unplug();
    await eventually(() => {
      expect(problems.at(-1)).toMatch(/the device has gone|cannot be opened/);
    });
    const again = await plugIn();
    rmSync(device);
    symlinkSync(again.device, device);
    await connected(source);
    again.send(lines(4, 5).replaceAll('\n', '\r\n'));
    await eventually(() => {
      expect(frames()).toBe(5);
    });
  });

  // A terminal would echo, translate and swallow some of these bytes if it were not configured to keep them.
  test.each(['esp-framed-file', 'atheros-log', 'feitcsi-file', 'realtek-csi-file'])(
    'passes each byte of a %s',
    async (kind) => {
      const { records } = SAMPLES.find((sample) => sample.kind === kind)!;
      const board = await plugIn();
      const { taken, source } = start({ device: board.device });
      await connected(source);
      const sent = Buffer.concat(records);
      board.send(sent);
      const read = () => taken.batches.flatMap(({ raw }) => recordsOf(raw!));
      await eventually(() => {
        expect(read()).toHaveLength(records.length);
      });
      for (const [i, record] of read().entries())
        expect(Buffer.from(records[i]!).includes(Buffer.from(record))).toBe(true);
    },
  );
});

const recordsOf = (raw: RawBatch): readonly Uint8Array[] =>
  Array.from({ length: raw.count }, (_, i) => rawRecord(raw, i));
