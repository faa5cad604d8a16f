import { expect, test } from 'vitest';
import { Gate } from '../../pipeline/runtime/nodes/gate.js';
import { Pump } from '../../pipeline/runtime/stages/pump.js';
import type { SourceStage } from '../../pipeline/runtime/stages/source-stage.js';

test('takes no batch after a barrier on which a node failed', async () => {
  let batches = 0;
  const source = {
    waiting: true,
    anchor: null,
    ended: false,
    takeUnread: () => false,
    pump: () => {
      batches++;
      pump.end();
    },
  } as unknown as SourceStage;
  const barriers = {
    due: true,
    inject: () => {
      pump.end();
    },
    ask: () => undefined,
  };
  const gate = new Gate(
    () => 0,
    () => undefined,
  );
  const clock = { now: () => 0, elapsed: () => 0 };
  const pump = new Pump([source], new Map(), barriers, gate, clock, () => undefined);
  await pump.run();
  expect(batches).toBe(0);
});
