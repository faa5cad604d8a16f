import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Type } from 'typebox';
import { expect, test, vi } from 'vitest';
import { begin } from '../../api/main.js';
import { undelivered, warnOfDrops } from '../../api/end-of-input.js';
import { defineOperator, NOTHING } from '../../pipeline/component/index.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { afterThisTest } from '../support/clean-up.js';
import { FakeTopology } from '../support/fake-topology.js';
import { FaultyStore, refused } from '../faults/faulty-store.js';
import { counter, runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { openService } from './support.js';

const failing = (state: 'failed' | 'stopped') => {
  const topology = new FakeTopology();
  topology.state = state;
  topology.start = () => Promise.reject(new Error('the cable is out'));
  return topology;
};

test('a start that fails ends the command', async () => {
  await expect(begin(failing('failed'))).rejects.toThrow('the cable is out');
});

test('with several topologies, names the one that failed to start', async () => {
  await expect(begin(failing('failed'), 'hall')).rejects.toThrow('hall: the cable is out');
});

test('a start cancelled through the service interface does not', async () => {
  await begin(failing('stopped'));
});

test('records that wait for a store at the end of the input are named, whatever other nodes report', async () => {
  const rejecting = new Table();
  rejecting.refuse = () => true;
  const away = new FaultyStore('rewind');
  away.down = refused;
  const folder = temporaryFolder();
  const nodes = {
    in: { component: counter },
    first: { component: rejecting.component, from: ['in'] },
    second: { component: away.component(), from: ['in'] },
  };
  const runner = runnerOf(topologyOf(nodes, folder));
  await runner.start();
  await runner.finished();
  expect(runner.status().problem).toMatch(/^first: /);
  expect(undelivered(runner)).toEqual([
    `test: all input was read, but not all is stored: second: its store is offline: connect ECONNREFUSED 127.0.0.1:8086, records left: 15. The rest waits in ${folder}: fix the problem and run it again`,
  ]);
});

test('a node that drops all of its input is logged at the end, with the reasons', async () => {
  const dropping = defineOperator({
    name: 'dropping',
    summary: 'Drops frames.',
    config: Type.Object({ share: Type.Number() }),
    examples: [],
    inputs: ['csi'],
    outputs: ['csi'],
    create: ({ share }, { metrics }) => ({
      process: ({ count }) => {
        metrics.dropped('not_finite', count * share);
        return NOTHING;
      },
    }),
  });
  const nodes = {
    in: { component: counter },
    all: { component: dropping, config: { share: 1 }, from: ['in'] },
    half: { component: dropping, config: { share: 0.5 }, from: ['in'] },
    out: { component: new Table().component, from: ['all', 'half'] },
  };
  const runner = runnerOf(topologyOf(nodes, temporaryFolder()));
  await runner.start();
  await runner.finished();
  const lines: string[] = [];
  warnOfDrops(runner, createLogger({ destination: { write: (line) => lines.push(line) } }));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: 'warn', topology: 'test', node: 'all', dropped: { not_finite: 100 } }),
  ]);
});

test('a start on a port in use leaves no timer behind', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  afterThisTest(() => {
    other.close();
  });
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const begun = vi.spyOn(globalThis, 'setInterval');
  const ended = vi.spyOn(globalThis, 'clearInterval');
  await expect(openService(undefined, { port, stateFolder: temporaryFolder() })).rejects.toThrow('is in use');
  expect(begun).toHaveBeenCalled();
  const cleared = ended.mock.calls.map(([timer]) => timer);
  const left = begun.mock.results.filter(({ value }) => !cleared.includes(value as NodeJS.Timeout));
  expect(left).toEqual([]);
});
