import { resolve } from 'node:path';
import { readProfiles } from '../../../operators/infer-pose/weights.js';
import type { CheckedNode, CheckedTopology } from '../../../pipeline/config/index.js';
import { errorText } from '../../../pipeline/base/error-text.js';

/** What of a topology's pose networks is not calibrated, for a person; null where each knows its room. */
export function uncalibrated({ nodes, folder, environments }: CheckedTopology): string | null {
  const links = environments.flatMap((environment) => environment.links.map(({ id }) => id));
  for (const node of nodes.filter(({ component }) => component.name === 'infer-pose')) {
    const problem = problemOf(node, folder, links);
    if (problem !== null) return `${node.id} ${problem}`;
  }
  return null;
}

function problemOf({ config }: CheckedNode, folder: string, links: readonly string[]): string | null {
  const file = config['calibration'];
  if (typeof file !== 'string') return 'has no calibration';
  try {
    const known = readProfiles(resolve(folder, file));
    return links.some((id) => id in known) ? null : `has a calibration of other links (${file})`;
  } catch (error) {
    return `has a calibration that cannot be read: ${errorText(error)}`;
  }
}
