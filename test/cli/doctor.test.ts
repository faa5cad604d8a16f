import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plausibleTime, steadyTime } from '../../api/cli/doctor/clock.js';
import { folderUsable, newestData, notInUse } from '../../api/cli/doctor/folders.js';
import { linksHeard } from '../../api/cli/doctor/links.js';
import { nodeVersion, openFiles, synchronised } from '../../api/cli/doctor/machine.js';
import { ofHealth, ofTopology } from '../../api/cli/doctor/service.js';
import type { Finding } from '../../api/cli/doctor/finding.js';
import { findingsText } from '../../api/cli/doctor/text.js';
import { lockFile } from '../../pipeline/base/file-lock.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { loadTopology } from '../../pipeline/config/index.js';
import { components } from '../../api/components.js';
import { csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-doctor-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A topology that listens on a UDP port. */
function topologyAt(port: number, more = ''): string {
  const file = join(folder, `t-${port}.yaml`);
  writeFileSync(
    file,
    `id: t
environment: ${packageFile('topologies/environments/esp32-pair.yaml')}
sources: { routers: { type: udp, port: ${port} } }
operators:
  windows: { type: window, from: routers, length_ms: 1000, hop_ms: 200, points: 50 }
  motion: { type: detect-motion, from: windows }
${more}
sinks: { lines: { type: file, from: motion, path: out.ndjson } }
`,
  );
  return file;
}

const states = (findings: readonly Finding[]) => findings.map(({ check, state }) => `${check} ${state}`);

describe('the machine', () => {
  test.each([
    ['20.19.0', 'ok'],
    ['20.18.9', 'failed'],
    ['18.20.0', 'failed'],
    ['24.0.0', 'ok'],
  ])('Node.js %s: %s', (version, state) => {
    expect(nodeVersion(version).state).toBe(state);
  });

  test('few files, many, and a system that does not report', () => {
    const of = (soft: string) => openFiles(`Max open files            ${soft}      4096     files\n`).state;
    expect([of('256'), of('1024'), of('unlimited')]).toEqual(['warning', 'ok', 'ok']);
    expect(openFiles('').state).toBe('unknown');
  });

  test('the clock: not set, behind the data, set; with a jump, and without', () => {
    const now = Date.UTC(2026, 10, 23) * 1000;
    expect(plausibleTime(0).message).toContain('1970-01-01');
    expect(plausibleTime(now, now + 3_600e6).message).toContain(
      'earlier runs wrote data at 2026-11-23T01:00',
    );
    expect(plausibleTime(now, now - 1).state).toBe('ok');
    const from = { wallMs: 0, steadyMs: 0 };
    expect(steadyTime(from, { wallMs: 9_000, steadyMs: 3_000 }, 1000).message).toContain('jumped by 6.0 s');
    expect(steadyTime(from, { wallMs: 3_400, steadyMs: 3_000 }, 1000).state).toBe('ok');
  });

  test('checks whether its clock is synchronised, by its own program', async () => {
    const run = (texts: Record<string, string>) => (program: string) =>
      program in texts ? Promise.resolve(texts[program]!) : Promise.reject(new Error('not found'));
    expect((await synchronised(run({ timedatectl: 'yes\n' }))).state).toBe('ok');
    expect((await synchronised(run({ timedatectl: 'no\n' }))).state).toBe('warning');
    const tracking = 'Stratum : 0\nLeap status     : Not synchronised\n';
    expect((await synchronised(run({ chronyc: tracking }))).state).toBe('warning');
    expect((await synchronised(run({}))).state).toBe('unknown');
  });
});

describe('folders', () => {
  const at = (path: string, reserveBytes = 2 ** 30) => ({ path, owner: 'the state', reserveBytes });

  test('are judged by what they will contain', () => {
    expect(states(folderUsable(at(join(folder, 'not', 'yet')), () => 2 ** 40))).toEqual([
      'folder ok',
      'disk ok',
    ]);
    expect(states(folderUsable(at(folder), () => 2 ** 29))).toEqual(['folder ok', 'disk warning']);
    expect(states(folderUsable(at(folder), () => 2 ** 20))).toEqual(['folder ok', 'disk failed']);
  });

  test('that cannot be written fail, with a fix', () => {
    const [finding] = folderUsable(at('/proc/csiflow'));
    expect(finding).toMatchObject({ state: 'failed', check: 'folder' });
    expect(finding!.message).toContain('/proc, the folder of the state, cannot be written');
  });

  test('in use by another csiflow fail', () => {
    const { topology } = loadTopology(topologyAt(5005), components, { env: {} });
    const { stateFolder } = topology!.settings;
    mkdirSync(stateFolder, { recursive: true });
    expect(notInUse(topology!)).toEqual([]);
    const release = lockFile(join(stateFolder, 'lock'));
    expect(notInUse(topology!)[0]!.message).toContain(`in use by process ${process.pid}`);
    release();
    expect(newestData(topology!)).toBeUndefined();
    writeFileSync(join(stateFolder, 'journal'), '');
    utimesSync(join(stateFolder, 'journal'), 4e9, 4e9);
    expect(newestData(topology!)).toBe(4e15);
  });
});

describe('links', () => {
  const link = { environment: 'e', sender: 'node-1', rssi: null, noise: null, snrDb: null };
  const heard = { ...link, id: 'a', rate: 50, loss: 0.01, last: '2026-01-01T00:00:00Z', leftOut: null };

  test('heard, silent, ignored, lossy; and senders without a link', () => {
    const findings = linksHeard(
      [
        heard,
        { ...link, id: 'b', rate: null, loss: null, last: null, leftOut: 'no frame' },
        { ...heard, id: 'c', leftOut: 'its frames repeat' },
        { ...heard, id: 'd', loss: 0.5 },
      ],
      [{ node: 'routers', sender: 'node-9@10.0.0.9:5', frames: 7, last: '', line: 'sender: node-9' }],
    );
    expect(states(findings)).toEqual([
      'link ok',
      'link failed',
      'link failed',
      'link warning',
      'senders warning',
    ]);
    expect(findings.at(-1)!.fix).toContain('`sender: node-9`');
  });

  test('none heard is one finding', () => {
    const silent = { ...link, id: 'b', rate: null, loss: null, last: null, leftOut: 'no frame' };
    expect(states(linksHeard([silent, silent], []))).toEqual(['senders failed']);
  });
});

test('a service: its clock, its disk, its nodes', () => {
  const health = {
    ...{ overall_status: 'healthy', timestamp: '2026-11-23T00:00:00Z', version: '1', uptime: 1 },
    metrics: { disk_usage: 97, cpu_usage: 1, memory_usage: 1, network_io: { bytes_in: 0, bytes_out: 0 } },
  };
  const findings = ofHealth(health as never, 'http://x', Date.UTC(2026, 10, 23, 0, 1));
  expect(states(findings)).toEqual(['service ok', 'clock warning', 'disk failed']);
  const node = { id: 'routers', kind: 'source', status: 'degraded', failed: 2, undelivered: 0 };
  const dropped = { kernel_buffer: 4, repeated: 9 };
  const topology = { id: 't', status: 'degraded', problem: 'no input', nodes: [{ ...node, dropped }] };
  expect(states(ofTopology(topology as never))).toEqual([
    'topology warning',
    'node warning',
    'node warning',
    'drops warning',
  ]);
});

test('text for people names the fix', () => {
  expect(findingsText([{ check: 'port', state: 'failed', message: 'taken', fix: 'stop it' }])).toBe(
    'failed   port      taken\n                   to fix it: stop it\n1 failed, 0 warnings\n',
  );
  expect(findingsText([])).toBe('nothing is wrong\n');
});

describe('csiflow doctor', () => {
  const socket = createSocket('udp4');
  let taken: number;
  beforeAll(async () => {
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    taken = socket.address().port;
  });
  afterAll(() => socket.close());

  test('names a port in use, and ends with 1', async () => {
    const { code, out } = await csiflow(
      'doctor',
      topologyAt(taken),
      '--port',
      '0',
      '--seconds',
      '0.1',
      '--json',
    );
    expect(code).toBe(1);
    const { fine, findings } = JSON.parse(out) as { fine: boolean; findings: readonly Finding[] };
    expect(fine).toBe(false);
    const port = findings.find(({ check }) => check === 'port');
    expect(port).toMatchObject({ state: 'failed' });
    expect(port!.message).toContain(`UDP port ${taken} of 127.0.0.1 cannot be opened for the source routers`);
    for (const { state, fix } of findings) expect(fix === null).toBe(state === 'ok');
    expect(states(findings)).toContain('model ok');
  });

  test('without a topology examines the machine', async () => {
    const { output } = await csiflow('doctor', '--port', '0', '--seconds', '0.1');
    expect(output).toMatch(/^ok +node +Node\.js /m);
    expect(output).toMatch(/^ok +port +TCP port 0/m);
  });

  test('a broken model, and an operator that opens', async () => {
    const more = `  poses: { type: infer-pose, from: windows, weights: ${folder}/none }`;
    const { code, output } = await csiflow('doctor', topologyAt(0, more), '--port', '0', '--seconds', '0.1');
    expect(code).toBe(1);
    expect(output).toMatch(/^failed +model +the operator poses does not open: /m);
    expect(output).toMatch(/^ok +model +2 operators open, with their models: windows, motion/m);
  });

  test('rejects topology and --url together', async () => {
    expect((await csiflow('doctor', 'x.yaml', '--url', 'http://x')).code).toBe(2);
  });
});
