import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { Progress } from '../../api/cli/progress.js';
import type { Source } from '../../pipeline/component/index.js';
import { LinkTable, type Environment } from '../../pipeline/model/index.js';
import { file } from '../../pipeline/sources/file/file.js';
import { DEVICES } from '../../pipeline/sources/simulator/devices.js';
import { simulator } from '../../pipeline/sources/simulator/source.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-simulate-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const at = (name: string): string => join(folder, name);

const room: Environment = {
  id: 'room',
  size: { x: 5, y: 4, z: 2.6 },
  links: [
    { id: 'a', transmitter: [0.1, 0.1, 1], receiver: [4.9, 3.9, 1.2], sender: 'node-1' },
    { id: 'b', transmitter: [4.9, 0.1, 1], receiver: [0.1, 3.9, 1.2], sender: 'node-7@192.168.1.20' },
  ],
  walls: [],
  zones: [],
  timezone: 'UTC',
  assumed: [],
};
writeFileSync(at('room.yaml'), JSON.stringify(room));

/** A topology that is just a scene. */
function scene(fields: string, name = 'scene.yaml', environment = 'room.yaml'): string {
  writeFileSync(
    at(name),
    `id: scene\nenvironment: ${environment}\nsources: { flat: { type: simulator, ${fields} } }\n`,
  );
  return at(name);
}

/** All frames of a source in order; negative zeros become zeros, as in a datagram. */
async function framesOf(source: Source): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  await source.open(null, {
    signal: new AbortController().signal,
    offer: ({ raw, data = [] }) => {
      for (const block of raw ? source.decode!(raw).data : data) {
        if (block.port !== 'csi') continue;
        const size = block.values.length / block.count;
        for (let i = 0; i < block.count; i++) {
          const values = Array.from(block.values.subarray(i * size, (i + 1) * size), (value) => value + 0);
          const { key } = block.layout;
          rows.push([
            key,
            block.time[i],
            block.link[i],
            block.sequence[i],
            block.rssi[i],
            block.noise[i],
            values,
          ]);
        }
      }
      return true;
    },
  });
  return rows;
}

test.each(Object.keys(DEVICES))(
  'the capture contains exactly the frames of the simulator: %s',
  async (device) => {
    const topology = scene(`rate_hz: 20, seed: 4, duration_s: 3, device: ${device}`);
    const { code, output } = await csiflow('simulate', topology, '--out', at('a.csi'), '--force');
    expect(code, output).toBe(0);
    const { context } = testContext({ environments: [room], links: new LinkTable([room]) });
    const config = {
      rate_hz: 20,
      seed: 4,
      duration_s: 3,
      device,
      speed: 0,
      start_time: '2026-01-01T00:00:00Z',
    };
    const played = await framesOf(file.create(withDefaults(file, { path: at('a.csi') }) as never, context));
    const simulated = await framesOf(simulator.create(withDefaults(simulator, config) as never, context));
    expect(played.length).toBeGreaterThan(80);
    expect(played).toEqual(simulated);
  },
);

test('options override the file; the truth is written beside it', async () => {
  const topology = scene('rate_hz: 20, seed: 4, duration_s: 3', 'more.yaml');
  const { code, output } = await csiflow(
    'simulate',
    topology,
    '--out',
    at('b.csi'),
    '--seconds',
    '2',
    '--seed',
    '9',
    '--rate',
    '10',
    '--truth',
    at('b.ndjson'),
    '--json',
  );
  expect(code, output).toBe(0);
  expect(JSON.parse(output)).toMatchObject({ file: at('b.csi'), truth: at('b.ndjson') });
  const lines = readFileSync(at('b.ndjson'), 'utf8').trim().split('\n');
  expect(lines).toHaveLength(20);
  expect(JSON.parse(lines[0]!)).toMatchObject({ person: 0, activity: 'walk', environment: 'room' });
  const { output: inspected } = await csiflow('inspect', at('b.csi'), '--json');
  expect(JSON.parse(inspected)).toMatchObject({ format: 'adr018' });
  expect(inspected).toMatch(/node-7/);
});

test('existing files are not overwritten, except with --force', async () => {
  const topology = scene('rate_hz: 5, duration_s: 1', 'again.yaml');
  expect((await csiflow('simulate', topology, '--out', at('c.csi'))).code).toBe(0);
  const again = await csiflow('simulate', topology, '--out', at('c.csi'));
  expect(again).toMatchObject({ code: 2, output: expect.stringContaining('already exists') as string });
  expect((await csiflow('simulate', topology, '--out', at('c.csi'), '--force')).code).toBe(0);
});

test('rejects a sender that a datagram cannot name, and options out of range, with code 2', async () => {
  writeFileSync(at('star.yaml'), JSON.stringify({ ...room, links: [{ ...room.links[0]!, sender: '*' }] }));
  const star = await csiflow(
    'simulate',
    scene('duration_s: 1', 'star-scene.yaml', 'star.yaml'),
    '--out',
    at('d.csi'),
  );
  expect(star).toMatchObject({
    code: 2,
    output: expect.stringContaining('the link a is sent by `*`') as string,
  });
  const rate = await csiflow(
    'simulate',
    scene('duration_s: 1', 'rate.yaml'),
    '--out',
    at('e.csi'),
    '--rate',
    '5000',
  );
  expect(rate).toMatchObject({ code: 2, output: expect.stringContaining('/rate_hz') as string });
});

test('--help shows an example', async () => {
  expect((await csiflow('simulate', '--help')).output).toContain('Example:\n  csiflow simulate');
});

test('shows how much of the scene is simulated', async () => {
  const lines: string[] = [];
  const show = vi.spyOn(Progress.prototype, 'show').mockImplementation((text) => lines.push(text()));
  try {
    const topology = scene('rate_hz: 10', 'shown.yaml');
    await csiflow('simulate', topology, '--out', at('shown.csi'), '--seconds', '4');
  } finally {
    show.mockRestore();
  }
  expect([...new Set(lines)]).toEqual([0, 1, 2, 3, 4].map((second) => `${second} of 4 s simulated`));
});
