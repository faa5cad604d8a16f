import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import { defineSink, portsOf } from '../component/index.js';
import type { CheckedNode, CheckedTopology } from '../config/topology/topology.js';
import { PORTS, type Data, type LinkTable } from '../model/index.js';
import { createLogger } from '../telemetry/log.js';
import { createRunner } from './runner.js';

/**
 * Runs the part of a topology that `node` requires, and nothing else; its state is not touched.
 * @param node its id; it must exist
 * @param take is called with the output of `node`; true: stop
 * @returns the topology's links, once `take` has had enough or the input has ended
 */
export async function listenTo(
  topology: CheckedTopology,
  node: string,
  take: (record: Data) => boolean,
): Promise<LinkTable> {
  let hasEnough: () => void = () => undefined;
  const enough = new Promise<void>((resolve) => {
    hasEnough = resolve;
  });
  const stateFolder = await mkdtemp(join(tmpdir(), 'csiflow-listen-'));
  const nodes = upTo(topology, node);
  const listener = listenerOf(nodes.at(-1)!, (record) => {
    if (take(record)) hasEnough();
  });
  const runner = createRunner(
    {
      ...topology,
      nodes: [...nodes, listener],
      settings: { ...topology.settings, journal: false, scaleOut: false, stateFolder },
    },
    { log: createLogger({ level: 'warn' }) },
  );
  try {
    await runner.start();
    await Promise.race([enough, runner.finished()]);
  } finally {
    await runner.stop({ force: true, saveState: false });
    await rm(stateFolder, { recursive: true, force: true });
  }
  return runner.links;
}

/** The node from which a node reads a port; undefined if it reads none. */
export const inputOf = ({ inputs }: CheckedNode, port: Data['port']): string | undefined =>
  inputs.find(({ ports }) => ports.includes(port))?.from;

/** The node from which the first node of a component reads a port; undefined if there is none. */
export function readBy(
  { nodes }: CheckedTopology,
  component: string,
  port: Data['port'],
): string | undefined {
  const reader = nodes.find((node) => node.component.name === component);
  return reader && inputOf(reader, port);
}

function upTo(topology: CheckedTopology, node: string): readonly CheckedNode[] {
  const byId = new Map(topology.nodes.map((one) => [one.id, one]));
  const needed = new Set<string>();
  const need = (id: string): void => {
    needed.add(id);
    for (const { from } of byId.get(id)?.inputs ?? []) need(from);
  };
  need(node);
  return topology.nodes.filter(({ id }) => needed.has(id));
}

const listenerOf = (node: CheckedNode, take: (record: Data) => void): CheckedNode => ({
  id: `${node.id} (listener)`,
  component: defineSink({
    name: 'listener',
    summary: 'Passes records to a listener.',
    inputs: PORTS,
    recovery: 'at-least-once',
    config: Type.Object({}, { additionalProperties: false }),
    examples: [],
    create: () => ({
      open: async () => undefined,
      write: async (records) => {
        for (const record of records) take(record);
        return [];
      },
      flush: async () => undefined,
      close: async () => undefined,
    }),
  }),
  config: {},
  inputs: [{ from: node.id, ports: portsOf(node.component, node.config) }],
  queue: null,
  secrets: [],
  hash: 'listener',
});
