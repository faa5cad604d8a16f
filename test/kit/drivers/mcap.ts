import { allocateBlock, csiLayout, type Data, type Window } from '../../../pipeline/model/index.js';
import { mcap } from '../../../sinks/mcap/mcap.js';
import { recordingsIn, type ReadMessage } from '../../support/mcap.js';
import { HOP, resultIdentity, resultRecord, START } from '../../support/records.js';
import type { SinkDriver } from '../sink.js';

const layout = csiLayout({
  rx: 1,
  tx: 1,
  subcarriers: [-1, 1],
  bandwidthMhz: 20,
  centreMhz: 2437,
  training: 'ht-ltf',
});

function frame(index: number): Data {
  const block = allocateBlock(layout, 1);
  block.time[0] = START + index * HOP;
  block.values.set([3, 4, 0, index]);
  return block;
}

/** Window of a single point; its picture is at its end. */
const window = (index: number): Window => ({
  port: 'window',
  environment: 'test-room',
  index,
  start: START + (index - 1) * HOP,
  step: HOP,
  points: 1,
  links: [
    {
      ...{ id: 'link-1', layout: layout.key, rx: 1, tx: 1, subcarriers: layout.subcarriers, centreMhz: 2437 },
      ...{ values: Float32Array.of(1, 0, 0, 1), gaps: Uint8Array.of(0), frames: 1, rssi: NaN },
      quality: { snrDb: NaN, fault: null },
    },
  ],
  provenance: { origin: 'live' },
});

/** Topics with one message per record, and their identities. */
function nameOf({ topic, time }: ReadMessage): string[] {
  const name = /^\/[^/]+\/(pose|events|measures|amplitude|windows)(\/|$)/.exec(topic)?.[1];
  if (name === undefined) return [];
  const port = { pose: 'pose', events: 'event', measures: 'measure', amplitude: 'csi', windows: 'window' }[
    name
  ];
  return [`${port!} ${(time - START) / HOP}`];
}

export const sink: SinkDriver = {
  component: mcap,
  config: { path: 'out.mcap' },
  invalid: [{}, { path: '' }, { path: 'a', compression: 'lz4' }, { path: 'a', rotate_ms: 1 }],
  backend: async (folder) => ({
    // Small enough for several files per test.
    config: { path: 'out.mcap', rotate_ms: 1_000 },
    read: async () => (await recordingsIn(folder)).flatMap(nameOf),
  }),
  record: (index) => (index % 5 < 3 ? resultRecord(index) : index % 5 === 3 ? frame(index) : window(index)),
  identity: (data) => {
    if (data.port === 'csi') return `csi ${(data.time[0]! - START) / HOP}`;
    return data.port === 'window' ? `window ${data.index}` : resultIdentity(data);
  },
};
