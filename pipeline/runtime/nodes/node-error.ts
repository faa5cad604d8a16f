import { errorText } from '../../base/error-text.js';
import type { CheckedNode } from '../../config/topology/topology.js';

/** An error that names its node. */
export async function named<T>(node: CheckedNode, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? { code: error.code } : {};
    throw Object.assign(
      new Error(`${node.id} (${node.component.name}): ${errorText(error)}`, { cause: error }),
      code,
    );
  }
}
