import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { defineSink, type Component, type State } from '../../pipeline/component/index.js';
import { PORTS } from '../../pipeline/model/index.js';
import { counter, runnerOf, sum, temporaryFolder, topologyOf } from '../support/flow.js';
import { codedError } from '../../pipeline/base/error-text.js';

/** Counts flushes; keeps the data of the next start for the test. */
function marked() {
  const given: State[] = [];
  let flushes = 0;
  let damaged = false;
  const component = defineSink({
    name: 'marked',
    summary: 'Says how far it has come.',
    config: Type.Object({}),
    examples: [],
    inputs: PORTS,
    recovery: 'rewind',
    create: () => ({
      open: async () => {
        if (damaged) throw codedError('store.damaged', 'the file of it is damaged');
      },
      write: async () => [],
      flush: async () => {
        flushes++;
      },
      mark: () => ({ flushes }),
      rewind: async (_, mark) => {
        given.push(mark);
      },
      close: async () => undefined,
    }),
  }) as Component;
  return {
    component,
    given,
    flushes: () => flushes,
    damage: () => {
      damaged = true;
    },
  };
}

const runnerWith = (component: Component, folder: string) =>
  runnerOf(
    topologyOf(
      {
        in: { component: counter, config: { count: 20, holdAt: 10 } },
        sums: { component: sum, from: ['in'] },
        out: { component, from: ['sums'] },
      },
      folder,
    ),
  );

test('a sink receives the mark it returned at the last checkpoint', async () => {
  const folder = temporaryFolder();
  const sink = marked();
  for (let start = 0; start < 2; start++) {
    const runner = runnerWith(sink.component, folder);
    await runner.start();
    await runner.stop();
  }
  expect(sink.given[0]).toBeUndefined();
  expect(sink.given[1]).toMatchObject({ flushes: expect.any(Number) as number });
});

test('a damaged store fails the start, even if it worked before', async () => {
  const folder = temporaryFolder();
  const sink = marked();
  const first = runnerWith(sink.component, folder);
  await first.start();
  await first.stop();
  sink.damage();
  const second = runnerWith(sink.component, folder);
  await expect(second.start()).rejects.toMatchObject({
    message: expect.stringContaining('the file of it is damaged') as string,
  });
});
