import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { begin } from '../../api/main.js';
import { afterThisTest } from '../support/clean-up.js';
import { FakeTopology } from '../support/fake-topology.js';
import { temporaryFolder } from '../support/flow.js';
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
