import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelFolder, readMemory, readModel } from '../../operators/infer-pose/model/weights.js';
import type { TruthLine } from '../../pipeline/sources/simulator/truth-file.js';
import { csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-site-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const at = (name: string): string => join(folder, name);
const recording = at('evening.csi');
const labels = `${recording}.labels.csv`;

const ROOM = {
  id: 'room',
  size: { x: 5, y: 4, z: 2.6 },
  links: [
    { id: 'a', transmitter: [0.1, 0.1, 1], receiver: [4.9, 3.9, 1.2], sender: 'node-1' },
    { id: 'b', transmitter: [4.9, 0.1, 1], receiver: [0.1, 3.9, 1.2], sender: 'node-2' },
  ],
};
const SECONDS = 26;
/** Recorded at 5 GHz, for a few seconds. */
const high = at('high.csi');

beforeAll(async () => {
  writeFileSync(at('room.yaml'), JSON.stringify(ROOM));
  writeFileSync(
    at('scene.yaml'),
    `id: scene
environment: room.yaml
sources: { net: { type: simulator, rate_hz: 20, people: [{ script: [{ activity: walk, seconds: 30 }] }] } }
`,
  );
  writeFileSync(
    at('topology.yaml'),
    `id: my-room
environment: room.yaml
sources: { net: { type: udp, port: 5005 } }
operators:
  windows: { type: window, from: net, length_ms: 2000, hop_ms: 400, points: 100 }
  poses: { type: infer-pose, from: windows, backend: wasm }
sinks: { out: { type: console, from: poses } }
`,
  );
  const simulated = ['--seconds', String(SECONDS), '--out', recording, '--truth', at('truth.ndjson')];
  expect(await csiflow('simulate', at('scene.yaml'), ...simulated)).toMatchObject({ code: 0 });
  const scene = readFileSync(at('scene.yaml'), 'utf8');
  writeFileSync(at('high.yaml'), scene.replace('rate_hz: 20', 'rate_hz: 20, device: intel-5300'));
  const short = ['--seconds', '4', '--out', high];
  expect(await csiflow('simulate', at('high.yaml'), ...short)).toMatchObject({ code: 0 });
}, 240_000);

/** Labels of a user who knows the positions to the centimetre, twice per second. */
function writeLabels(): void {
  const lines = readFileSync(at('truth.ndjson'), 'utf8').trim().split('\n');
  const truth = lines.map((line) => JSON.parse(line) as TruthLine).filter((_, i) => i % 10 === 0);
  const rows = truth.map(({ time, root, posture }) =>
    [(time - truth[0]!.time) / 1e6, 'anna', ...root.map((value) => value.toFixed(2)), posture].join(),
  );
  writeFileSync(labels, ['time,person,x,y,posture', ...rows, ''].join('\n'));
}

const train = (...more: readonly string[]) =>
  csiflow('train', 'site', recording, '--topology', at('topology.yaml'), '--out', at('my-model'), ...more);

test('csiflow train site writes a model that loads, and a report of before and after', async () => {
  writeLabels();
  const { code, output } = await train('--steps', '50');
  expect(output).toMatch(/step 50 of 50, loss [\d.]+, in the part that is not trained on [\d.]+/);
  expect(code).toBe(0);
  const general = readModel(modelFolder('general', folder));
  const { manifest, weights } = readModel(at('my-model'));
  expect(weights).toEqual(general.weights);
  expect(manifest).toMatchObject({ name: 'csiflow-pose-my-model', site: { environment: 'room' } });
  expect(manifest.trainedOn).toContain('recordings of room');
  const memory = readMemory(at('my-model'), manifest)!;
  expect(memory.every(Number.isFinite)).toBe(true);
  const report = readFileSync(at('my-model/report.md'), 'utf8');
  expect(report).toMatch(/\| before \| \d\.\d\d m/);
  expect(report).toMatch(/\| after \| \d\.\d\d m/);
  expect(report).toContain("| *the room's middle* |");
  // A topology can name it.
  writeFileSync(
    at('own.yaml'),
    readFileSync(at('topology.yaml'), 'utf8').replace('backend: wasm', 'backend: wasm, weights: ./my-model'),
  );
  expect(await csiflow('validate', at('own.yaml'))).toMatchObject({ code: 0 });
}, 240_000);

test('it reports which labels are too few', async () => {
  writeFileSync(labels, 'time,person,x,y,posture\n0,anna,1,1,\n5,anna,1,1,\n');
  const { code, output } = await train();
  expect(code).toBe(2);
  expect(output).toMatch(/\d+ windows are labelled to be trained on, and \d+ to look at/);
}, 240_000);

/** What a training says that ends with an error. */
async function refused(...recordings: readonly string[]): Promise<string> {
  writeFileSync(`${high}.labels.csv`, 'time,person,x,y,posture\n0,anna,1,1,\n3,anna,1,1,\n');
  const into = ['--topology', at('topology.yaml'), '--out', at('high-model')];
  const { code, output } = await csiflow('train', 'site', ...recordings, ...into);
  expect(code).toBe(2);
  return output;
}

test('links at 5 GHz are trained from the model for 5 GHz', async () => {
  // Four seconds are too few.
  expect(await refused(high)).toMatch(/starting from csiflow-pose-general-5-ghz [^]*windows are labelled/);
}, 240_000);

test.each([
  ['2.4 GHz first', [recording, high]],
  ['5 GHz first', [high, recording]],
])(
  'links at both bands are not trained together: %s',
  async (_, recordings) => {
    writeLabels();
    expect(await refused(...recordings)).toContain('train a model for each band');
  },
  240_000,
);
