import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { Csiflow, csiflow, csiflowWith } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-tap-'));
let service: Csiflow;
let url: string;
let env: Record<string, string>;

beforeAll(async () => {
  const topology = join(folder, 't.yaml');
  writeFileSync(
    topology,
    `id: t
environment: ${packageFile('topologies/environments/esp32-pair.yaml')}
sources: { room: { type: simulator, rate_hz: 20 } }
operators:
  windows: { type: window, from: room, length_ms: 1000, hop_ms: 100, points: 50 }
  motion: { type: detect-motion, from: windows }
sinks: { lines: { type: file, from: motion, path: out.ndjson } }
`,
  );
  service = new Csiflow(['run', topology, '--port', '0', '--log', 'error']);
  const [, password] = await service.printed(/admin \/ (\S+)/);
  const [, address] = await service.printed(/live page +(http:\/\/[\d.:]+)/);
  url = address!;
  env = { CSIFLOW_PASSWORD: password! };
}, 60_000);

afterAll(async () => {
  await service.interrupt();
  rmSync(folder, { recursive: true });
});

const command = (...args: readonly string[]) => csiflowWith(env, ...args, '--url', url);

describe('tap', () => {
  test('shows records of a node as they arrive, then ends', async () => {
    const { code, output } = await command(
      'tap',
      'room',
      '--limit',
      '3',
      '--format',
      'json',
      '--every',
      '10',
    );
    expect(code, output).toBe(0);
    const lines = output.split('\n').filter((line) => line.startsWith('{'));
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      port: 'csi',
      link: expect.stringMatching(/^node-/) as string,
    });
  });

  test('shows amplitudes of the frames that match an expression', async () => {
    const link = 'csi.sequence > 0.0 && csi.rx == 1.0';
    const { code, output } = await command('tap', 'room', '--limit', '2', '--csi', '--where', link);
    expect(code, output).toBe(0);
    expect(output).toMatch(/csi: link node-\d.*amplitudes [\u2581-\u2588]{20,}$/m);
  });

  test('says once how many records arrived if none of them matches', async () => {
    const tap = new Csiflow(['tap', 'room', '--where', 'csi.rx == 9.0', '--url', url], { env });
    await tap.printed(/csiflow: \d+ records arrived, none of which matches --where; waiting/);
    await tap.interrupt();
    expect(tap.output.match(/arrived/g)).toHaveLength(1);
  });

  test('an invalid expression ends with 1 and names the position', async () => {
    const { code, output } = await command('tap', 'room', '--where', 'csi.lnk == "a"');
    expect(code).toBe(1);
    expect(output).toContain('where, column 5: there is no field `lnk` here; did you mean `link`?');
  });

  test('an unknown node ends with 2 and lists the known ones', async () => {
    const { code, output } = await command('tap', 'rom', '--limit', '1');
    expect(code).toBe(2);
    expect(output).toContain('unknown node rom; available nodes: room, windows');
  });
});

test('top shows a row for each node, and the same as JSON', async () => {
  const table = await command('top', '--once', '--interval', '0.3');
  expect(table.code, table.output).toBe(0);
  expect(table.output).toMatch(/^NODE +IN\/s/m);
  expect(table.output).toMatch(/^room +\d.*\n windows +\d.*\n {2}motion +\d.*\n {3}lines +\d/m);
  const { output } = await command('top', '--once', '--interval', '0.3', '--json');
  const { nodes } = JSON.parse(output) as { nodes: { node: string; received_per_s: number }[] };
  expect(nodes.find(({ node }) => node === 'room')!.received_per_s).toBeGreaterThan(0);
});

test.each(['tap', 'top'])('%s --help shows an example', async (name) => {
  expect((await csiflow(name, '--help')).output).toContain(`Example:\n  csiflow ${name}`);
});

test('the code is 3 if no csiflow answers', async () => {
  const { code, output } = await csiflow('top', '--once', '--url', 'http://127.0.0.1:1');
  expect(code).toBe(3);
  expect(output).toContain('no csiflow answers at http://127.0.0.1:1');
});
