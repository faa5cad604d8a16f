import { tmpdir } from 'node:os';
import type { Context, Logger } from '../../../pipeline/component/index.js';
import { LinkTable, type Environment, type Link } from '../../../pipeline/model/index.js';

/**
 * Context to use a source without a topology: a link for every node that a recording can contain (256
 * numbers, and `*` for formats that number none), with unknown and unused positions.
 */
export function commandContext(): Context {
  const environments = [everyNode()];
  return {
    topology: 'command-line',
    node: 'recording',
    environments,
    inputs: [],
    links: new LinkTable(environments),
    clock: {
      now: () => (performance.timeOrigin + performance.now()) * 1000,
      elapsed: () => performance.now(),
    },
    random: () => 0.5,
    log: warnings,
    metrics: { dropped: ignore, missing: ignore, failed: ignore, gauge: ignore, count: ignore },
    folder: process.cwd(),
    stateFolder: tmpdir(),
    provenance: { origin: 'live' },
    degrade: ignore,
  };
}

const ignore = () => undefined;

const print = (message: string) => {
  process.stderr.write(`csiflow: ${message}\n`);
};
const warnings: Logger = { debug: ignore, info: ignore, warn: print, error: print };

function everyNode(): Environment {
  const link = (sender: string): Link => ({
    id: sender,
    sender,
    transmitter: [0, 0, 1],
    receiver: [1, 1, 1],
  });
  const links = [...Array.from({ length: 256 }, (_, node) => link(`node-${node}`)), link('*')];
  return { id: 'any', size: { x: 1, y: 1, z: 1 }, links, walls: [], zones: [], timezone: 'UTC', assumed: [] };
}
