import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { appendFileSync, chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeAth11kCfr } from '../../pipeline/formats/devices/qualcomm/ath11k-cfr.js';
import { encodeEspectre } from '../../pipeline/formats/devices/espressif/espectre.js';
import { encodeMediatek } from '../../pipeline/formats/devices/mediatek-csi.js';
import { encodeRealtek } from '../../pipeline/formats/devices/realtek/realtek-csi.js';
import { printRealtek } from '../../pipeline/formats/devices/realtek/realtek-log.js';
import { afterThisTest } from '../support/clean-up.js';
import { csiflow } from '../support/csiflow.js';
import { temporaryFolder } from '../support/flow.js';
import { feed, moving, startExample, stored } from '../support/receivers.js';
import { freePorts } from '../support/servers/server.js';
import { sharedFile } from '../support/shared.js';

// Each example of `topologies/` is started as its first lines say, and receives its receiver's output over
// the transport that it names: a recording if there is one, otherwise frames of its format.

/** A named pipe as a serial port: writers never wait for the reader. */
async function pipe() {
  const path = join(temporaryFolder(), 'receiver');
  execFileSync('mkfifo', [path]);
  const file = await open(path, 'r+');
  afterThisTest(() => file.close());
  return { path, write: (bytes: Uint8Array | string) => file.write(Buffer.from(bytes as string)) };
}

/** A recording in pieces of about one record each; repeats from the start. */
function pieces(path: string, records: number): (index: number) => Buffer {
  const file = readFileSync(path);
  const bytes: Buffer = path.endsWith('.gz') ? gunzipSync(file) : file;
  const each = Math.ceil(bytes.length / records);
  const count = Math.ceil(bytes.length / each);
  return (index) => bytes.subarray((index % count) * each, ((index % count) + 1) * each);
}

const MAC = Uint8Array.of(2, 0, 0, 0, 0, 1);

const realtek = (index: number): string =>
  printRealtek(
    encodeRealtek(
      {
        ...{ mac: MAC, clock: index * 20_000, sequence: index, channel: 10 },
        ...{ width: 0, protocol: 0, tones: 52, bits: 16, rssi: -40 },
      },
      moving(index, 52),
    ),
  );

const cfr = (index: number): Uint8Array =>
  encodeAth11kCfr(
    {
      ...{ mac: MAC, kind: 'legacy', width: 0, mhz: 5180, order: 'ascending' },
      ...{ clock: index * 20_000, rssi: [-50], gain: [30] },
    },
    moving(index, 52),
  );

const mediatek = (index: number): string =>
  encodeMediatek(
    {
      ...{ clock: index * 20_000, mac: '02:00:00:00:00:01', rssi: -50, width: 0, primary: 0 },
      ...{ mode: 4, tx: 0, rx: 0, order: 'fft' },
    },
    moving(index, 56),
  );

const seconds = { timeout: 300_000 };

const esp32 = sharedFile('captures/esp32-serial/motion.txt.gz');
test.runIf(esp32)('esp32-serial: the log of an ESP32 on its port', seconds, async () => {
  const { path, write } = await pipe();
  const example = await startExample('esp32-serial', { CSIFLOW_DEVICE: path });
  const log = pieces(esp32!, 6112);
  await feed(example, 20, (index) => write(log(index)));
  await stored(example);
});

test('realtek-serial: the log of an Ameba on its port', seconds, async () => {
  const { path, write } = await pipe();
  const example = await startExample('realtek-serial', { CSIFLOW_DEVICE: path });
  await feed(example, 20, (index) => write(`boot log\r\n${realtek(index)}`));
  await stored(example);
});

test('ath11k-cfr: the file of the driver, which ends and resumes', seconds, async () => {
  const { path, write } = await pipe();
  const example = await startExample('ath11k-cfr', { CSIFLOW_CFR: path });
  await feed(example, 20, (index) => write(cfr(index)));
  await stored(example);
});

describe('pc-card: a file that grows', () => {
  const cards = [
    ['an Intel 5300', 'intel5300/sample_0x1_ap.dat', 540, 'intel5300-scaled'],
    ['an Atheros', 'atheros/ath_csi_1.dat', 401, 'auto'],
    ['an AX200 with FeitCSI', 'feitcsi/HT20_2452.csi', 48, 'auto'],
    ['an AX200 with PicoScenes', 'picoscenes/picoscenes_ax200_example.csi', 885, 'auto'],
  ] as const;
  for (const [card, capture, records, format] of cards) {
    const from = sharedFile(`captures/${capture}`);
    test.runIf(from)(card, seconds, async () => {
      const file = join(temporaryFolder(), 'csi');
      const grown = pieces(from!, records);
      writeFileSync(file, grown(0));
      const example = await startExample('pc-card', { CSIFLOW_FILE: file, CSIFLOW_RECORDS: format });
      await feed(example, 20, (index) => {
        appendFileSync(file, grown(index + 1));
      });
      await stored(example);
    });
  }
});

const reports = sharedFile('captures/beamforming/11ac_SU_3x1_40.pcapng');
test.runIf(reports)('beamforming: tcpdump output of a card in monitor mode', seconds, async () => {
  const { path, write } = await pipe();
  const programs = temporaryFolder();
  const tcpdump = join(programs, 'tcpdump');
  writeFileSync(tcpdump, `#!/bin/sh\necho "$@" >&2\n[ "$*" = '-U -i wlan9 -w -' ] && exec cat '${path}'\n`);
  chmodSync(tcpdump, 0o755);
  const example = await startExample('beamforming', {
    CSIFLOW_INTERFACE: 'wlan9',
    CSIFLOW_SENDER: 'b0:b9:8a:63:55:9c/3c:37:86:24:52:63',
    PATH: `${programs}:${process.env['PATH']!}`,
  });
  const capture = pieces(reports!, 631);
  await feed(example, 50, (index) => write(capture(index)), false);
  await stored(example, false);
});

describe('nexmon-udp', () => {
  const capture = sharedFile('captures/nexmon/example_43455c0.pcap');
  test.runIf(capture)('the datagrams of a Raspberry Pi, as recorded', seconds, async () => {
    const [port] = await freePorts(1);
    const example = await startExample('nexmon-udp', { CSIFLOW_UDP_PORT: String(port) });
    const to = `udp://127.0.0.1:${port}`;
    // Slower than recorded: bursts of 200 frames per second, of 242 carriers each, are shed on a busy
    // machine.
    await feed(example, 20, () => csiflow('replay', capture!, '--to', to, '--speed', '0.5'));
    await stored(example);
  });

  test('those of ESPectre on the same port', seconds, async () => {
    const [port] = await freePorts(1);
    const example = await startExample('nexmon-udp', { CSIFLOW_UDP_PORT: String(port) });
    const socket = createSocket('udp4');
    afterThisTest(() => void socket.close());
    await feed(example, 20, (index) => {
      socket.send(encodeEspectre({ chip: 5, sequence: index }, moving(index, 57)), port, '127.0.0.1');
    });
    await stored(example);
  });
});

test('mediatek-http: rows posted by a router', seconds, async () => {
  const [port] = await freePorts(1);
  const example = await startExample('mediatek-http', { CSIFLOW_HTTP_PORT: String(port) });
  await feed(example, 200, async (index) => {
    const rows = Array.from({ length: 10 }, (_, i) => mediatek(10 * index + i)).join('\n');
    const answer = await fetch(`http://127.0.0.1:${port}/csi`, { method: 'POST', body: rows });
    expect(await answer.json()).toMatchObject({ taken: 10, left_out: 0 });
  });
  await stored(example);
});

test('lab-table: the shipped table', seconds, async () => {
  const example = await startExample('lab-table', {});
  await feed(example, 1000, () => undefined);
  expect(await example.run.interrupt(), example.run.output).toBe(0);
});

test('body-velocity: the shipped recordings, at their own pace', seconds, async () => {
  const { run } = await startExample('body-velocity', {});
  await run.printed(/three-sides body_velocity_x_mps = /);
  expect(await run.interrupt(), run.output).toBe(0);
});

test('calibrated-room: ESP32 nodes, after a second of the empty room', seconds, async () => {
  const [port] = await freePorts(1);
  const { run } = await startExample('calibrated-room', {
    CSIFLOW_UDP_PORT: String(port),
    CSIFLOW_LEARN_S: '1',
  });
  const socket = createSocket('udp4');
  afterThisTest(() => void socket.close());
  const header = { node: 1, bins: 64, mhz: 2437, rssi: -40, noise: -90 };
  const over = new AbortController();
  const shown = run.printed(/esp32-pair motion = /).finally(() => {
    over.abort();
  });
  for (let index = 0; !over.signal.aborted; index++) {
    const values = Int8Array.from(moving(index < 200 ? 0 : index, 64));
    socket.send(encodePairs({ ...header, sequence: index }, values), port, '127.0.0.1');
    await pause(20);
  }
  await shown;
  expect(run.output).not.toMatch(/does not fit/);
  expect(await run.interrupt(), run.output).toBe(0);
});

test('every example of a receiver is tested here or nearby', () => {
  const shipped = readdirSync(packageFile('topologies')).filter((name) => /^[^.]+\.yaml$/.test(name));
  const here = readFileSync(packageFile('test/long/receivers.test.ts'), 'utf8');
  const elsewhere = ['demo', 'esp32-udp', 'scale-out', 'onewifi-mqtt'];
  const names = shipped.map((name) => name.replace('.yaml', ''));
  expect(names.filter((name) => !here.includes(`startExample('${name}'`)).sort()).toEqual(elsewhere.sort());
});
