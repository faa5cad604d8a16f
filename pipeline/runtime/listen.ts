import { Type } from 'typebox';
import { newTemporaryFolder, removeTemporaryFolder } from '../base/temporary-folders.js';
import { aborted } from '../base/waiting.js';
import { defineSink, portsOf } from '../component/index.js';
import type { CheckedNode, CheckedTopology } from '../config/topology/topology.js';
import { PORTS, type Data, type LinkTable } from '../model/index.js';
import { createLogger } from '../telemetry/log.js';
import { createRunner, type Runner } from './runner.js';

/**
 * Runs the part of a topology that `node` requires, and nothing else; its state is not touched. It ends with the first
 * failure: a run that resumes from a checkpoint would hand over some records twice.
 * @param node its id; it must exist
 * @param take is called with the output of `node`; true: stop, and it is not called again
 * @throws Error of a run that fails, such as that of a missing file
 * @returns the topology's links, once `take` has had enough or the input has ended
 */
export async function listenTo(
  topology: CheckedTopology,
  node: string,
  take: (record: Data) => boolean,
): Promise<LinkTable> {
  const enough = new AbortController();
  const stateFolder = newTemporaryFolder('csiflow-listen-');
  const nodes = upTo(topology, node);
  const listener = listenerOf(nodes.at(-1)!, (record) => {
    // Records come in batches of any size: results must not depend on where one ends.
    if (!enough.signal.aborted && take(record)) enough.abort();
  });
  const runner = createRunner(
    {
      ...topology,
      nodes: [...nodes, listener],
      settings: { ...topology.settings, journal: false, scaleOut: false, stateFolder },
    },
    { log: createLogger({ level: 'warn' }) },
  );
  const failure = failureOf(runner);
  try {
    await runner.start();
    await Promise.race([aborted(enough.signal), runner.finished(), failure]);
  } finally {
    await runner.stop({ force: true, saveState: false });
    removeTemporaryFolder(stateFolder);
  }
  return runner.links;
}

/** Rejects with the first failure of a topology that runs. */
function failureOf(runner: Runner): Promise<never> {
  const failure = new Promise<never>((_, reject) => {
    runner.onChange(({ state, problem }) => {
      if (state === 'restarting' || state === 'failed') reject(new Error(problem ?? 'the topology failed'));
    });
  });
  // Nobody waits for it if the start fails.
  failure.catch(() => undefined);
  return failure;
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
