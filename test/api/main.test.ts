import { expect, test } from 'vitest';
import { begin } from '../../api/main.js';
import { FakeTopology } from '../support/fake-topology.js';

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
