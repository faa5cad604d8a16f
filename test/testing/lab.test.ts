import { expect, test, vi } from 'vitest';
import { Lab, type Busy } from '../../pipeline/testing/lab.js';

/** A node with this many records in its queue; `mock` if it replaces a sink. */
const node = (queueDepth: number, mock: Busy['mock'] = null) => {
  const meter = { queueDepth };
  return { meter, busy: { meter, mock } as unknown as Busy };
};

const settled = (lab: Lab, taken: () => boolean = () => true, signal = new AbortController().signal) => {
  const state = { is: false };
  const done = lab.settled(taken, signal).then(() => {
    state.is = true;
  });
  return { state, done };
};

const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const labWith = (...busy: readonly Busy[]) => {
  const lab = new Lab(['in'], () => undefined);
  lab.watch(busy);
  return lab;
};

test('waits for input until it is processed by every node', async () => {
  const { meter, busy } = node(1);
  let taken = false;
  const { state, done } = settled(labWith(busy), () => taken);
  await turns();
  meter.queueDepth = 0;
  await turns();
  expect(state.is).toBe(false);
  taken = true;
  await done;
});

test('waits for a sink that writes, not for one that fails', async () => {
  const writes = { faults: null, writing: 1 };
  const { state, done } = settled(labWith(node(0, writes).busy, node(9, { faults: {}, writing: 1 }).busy));
  await turns();
  expect(state.is).toBe(false);
  writes.writing = 0;
  await done;
});

test('the end of the test ends the wait', async () => {
  const end = new AbortController();
  const { done } = settled(labWith(node(1).busy), () => true, end.signal);
  await turns();
  end.abort();
  await done;
});

test('a node that hangs is reported, with the place in the input', async () => {
  const lab = labWith(node(1).busy);
  lab.readMs = 1500;
  const clock = vi.spyOn(performance, 'now');
  try {
    const { done } = settled(lab);
    const reported = expect(done).rejects.toThrow(/input up to 1500 ms has not passed through after 60 s/);
    clock.mockReturnValue(Infinity);
    await reported;
  } finally {
    clock.mockRestore();
  }
});
