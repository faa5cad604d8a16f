import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { components } from '../../api/components.js';
import {
  howCalibrated,
  isCalibrated,
  plannedRoom,
  playIn,
  uncalibrated,
  type Plan,
} from '../../bench/accuracy/chain/plan.js';
import { readCalibration } from '../../operators/infer-pose/model/calibration.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { loadTopology, type CheckedTopology } from '../../pipeline/config/index.js';

const demo = (): CheckedTopology =>
  loadTopology(packageFile('topologies/demo.yaml'), components, { env: {} }).topology!;

test('rooms are calibrated only for a topology that names a calibration', () => {
  const shipped = demo();
  expect(isCalibrated(shipped)).toBe(true);
  const nodes = shipped.nodes.map((node) =>
    node.component.name === 'infer-pose'
      ? { ...node, config: { ...node.config, calibration: undefined } }
      : node,
  );
  expect(isCalibrated({ ...shipped, nodes })).toBe(false);
});

test('rooms are received as the plan says, and tables say so', async () => {
  const shipped = demo();
  const kept = ['flat', 'gain', 'clean', 'phase', 'windows', 'motion', 'history'];
  const nodes = shipped.nodes
    .filter(({ id }) => kept.includes(id))
    .map((node) => ({ ...node, inputs: node.inputs.filter(({ from }) => kept.includes(from)) }));
  const plan: Plan = {
    topology: { ...shipped, nodes },
    ...{ seed: 1, rooms: 1, links: [2], minutes: { empty: 1, daily: 1 }, folder: '', atOnce: 1 },
    received: { device: 'esp32-ht', rate_hz: 20 },
    print: () => undefined,
  };
  const scene = { people: [], seconds: 4, windowsOf: 'windows', simulator: { loss: [0, 0] } };
  const { windows } = await playIn(plan, uncalibrated(1, 2), 'nobody', scene);
  const [link] = windows[4]!.links;
  expect(link!.frames).toBeGreaterThanOrEqual(38);
  expect(link!.frames).toBeLessThanOrEqual(42);
  expect(link!.subcarriers).toHaveLength(56);
  expect(howCalibrated(plan)).toMatch(/with receivers like esp32-ht, with 20 frames a second of each link$/);
});

test('rooms are calibrated with one who walks if the plan says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-plan-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const plan: Plan = {
    ...{
      topology: demo(),
      seed: 1,
      rooms: 1,
      links: [2],
      minutes: { empty: 1, daily: 1 },
      folder,
      atOnce: 1,
    },
    received: { rate_hz: 20, echo_db: 10 },
    print: () => undefined,
  };
  const echoesOf = async (walker: boolean) => {
    const { environment, calibration } = await plannedRoom({ ...plan, walker }, 1, 2);
    return readCalibration(calibration!).echoes[environment.id];
  };
  expect(await echoesOf(false)).toBeUndefined();
  expect(await echoesOf(true)).toBeGreaterThan(3);
});
