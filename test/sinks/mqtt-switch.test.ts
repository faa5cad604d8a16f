import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { Type } from 'typebox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineOperator } from '../../pipeline/component/index.js';
import type { Runner } from '../../pipeline/runtime/runner.js';
import { mqtt } from '../../sinks/mqtt/mqtt.js';
import { Radio, runnerOf, topologyOf } from '../support/flow.js';
import { startBroker } from '../support/mqtt-broker.js';
import { poseFrame } from '../support/records.js';

/** A pose frame with each frame's number. */
const people = defineOperator({
  name: 'people',
  summary: 'Poses.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi'],
  outputs: ['pose'],
  create: () => ({
    process: (data) => ({
      data: [...data.sequence].map((number) => poseFrame(number)),
    }),
  }),
});

let folder: string;
let broker: Awaited<ReturnType<typeof startBroker>>;
let reader: MqttClient;
let seen: number[];
let radio: Radio;
let runner: Runner;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-switch-'));
  broker = await startBroker();
  const url = `mqtt://127.0.0.1:${broker.port}`;
  reader = await connectAsync(url);
  seen = [];
  reader.on('message', (_topic, payload) => {
    seen.push((JSON.parse(payload.toString()) as { frame_id: number }).frame_id);
  });
  await reader.subscribeAsync('csiflow/+/pose/person/+', { qos: 1 });
  radio = new Radio();
  const topology = topologyOf(
    {
      radio: { component: radio.component },
      people: { component: people, from: ['radio'] },
      broker: { component: mqtt, from: ['people'], config: { url, protocol: '3.1.1' } },
    },
    folder,
  );
  runner = runnerOf(topology);
  await runner.start();
});
afterEach(async () => {
  await runner.stop();
  await reader.endAsync(true);
  await broker.close();
  rmSync(folder, { recursive: true });
});

function turn(enabled: boolean): void {
  const { topology } = runner;
  runner.adjust({
    ...topology,
    nodes: topology.nodes.map((node) => (node.id === 'broker' ? { ...node, enabled } : node)),
  });
}

const sink = () => runner.status().nodes.find(({ id }) => id === 'broker')!;

test('disabled, it publishes nothing and stays connected; enabled, it continues with new records', async () => {
  await radio.send([1]);
  await expect.poll(() => seen).toEqual([1]);
  turn(false);
  await radio.send([2, 3]);
  await expect.poll(() => sink().dropped).toEqual({ switched_off: 2 });
  expect(broker.broker.connectedClients).toBe(2);
  turn(true);
  await radio.send([4]);
  await expect.poll(() => seen).toEqual([1, 4]);
});
