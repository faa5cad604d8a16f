import { parentPort, workerData } from 'node:worker_threads';
import type { Component } from '../../component/index.js';
import { Chain } from './chain.js';
import type { SentNode, ThreadSetup, ToThread } from './messages.js';

/** A node with the code of its component. @throws Error if its module does not export the component */
async function loaded({ module, name, ...node }: SentNode) {
  const exported = Object.values((await import(module)) as Record<string, unknown>).flat();
  const component = exported.find((one): one is Component => isComponent(one) && one.name === name);
  if (!component)
    throw new Error(`${module} exports no component ${name}: \`module\` must be import.meta.url`);
  return { ...node, component };
}

const isComponent = (value: unknown): value is Component =>
  typeof value === 'object' && value !== null && 'kind' in value && 'create' in value;

const port = parentPort!;
const setup = workerData as ThreadSetup;
const nodes = await Promise.all(setup.nodes.map(loaded));
const components = new Map(nodes.map(({ id, component }) => [id, component]));
const chain = new Chain(setup, nodes, (message) => {
  port.postMessage(message);
});
port.on('message', (message: ToThread) => {
  if (message.kind === 'close') void chain.close();
  else if (message.kind !== 'adjust') chain.take(message);
  else chain.adjust(message.nodes.map((node) => ({ ...node, component: components.get(node.id)! })));
});
await chain.open();
