import type { CheckedNode, CheckedTopology } from '../../../pipeline/config/index.js';
import { errorText } from '../../../pipeline/base/error-text.js';
import { nodeContext } from './context.js';
import { ok, wrong, type Finding } from './finding.js';

/** Creates and opens each operator as a start would, which loads its models, files and backend, and closes it. */
export async function operatorsLoad(topology: CheckedTopology): Promise<readonly Finding[]> {
  const operators = topology.nodes.filter(({ component }) => component.kind === 'operator');
  const broken: Finding[] = [];
  const loaded: string[] = [];
  // One after the other: networks need memory.
  for (const node of operators) {
    try {
      loaded.push(await openOnce(topology, node));
    } catch (error) {
      broken.push(
        wrong(
          'model',
          'failed',
          `the operator ${node.id} does not open: ${errorText(error)}`,
          `check the files and the backend that it names; \`csiflow list backends\` shows what loads here, \`csiflow describe ${node.component.name}\` its fields`,
        ),
      );
    }
  }
  if (loaded.length === 0) return broken;
  return [...broken, ok('model', `${loaded.length} operators open, with their models: ${loaded.join(', ')}`)];
}

/** @returns the node, with its backend if it has one */
async function openOnce(topology: CheckedTopology, node: CheckedNode): Promise<string> {
  const { component, config } = node;
  if (component.kind !== 'operator') throw new TypeError(`${node.id} is not an operator`);
  const operator = component.create(config as never, nodeContext(topology, node));
  try {
    await operator.open?.();
    const { backend, device } = operator.describe?.() ?? {};
    return typeof backend === 'string' ? `${node.id} (${backend}, ${String(device)})` : node.id;
  } finally {
    await operator.close?.();
  }
}
