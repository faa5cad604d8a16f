import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { LinkTable, Window } from '../../../pipeline/model/index.js';
import { listenTo } from '../../../pipeline/runtime/listen.js';
import type { HearSettings } from './settings.js';

/** Learns from windows. */
interface Learner {
  add(window: Window): void;
  readonly heardSeconds: number;
}

/** Time without frames does not count: listening ends after this many times its duration. */
const PATIENCE = 3;

/**
 * Hands the windows of a node to a learner until it has heard enough.
 * @param wanted what must be so meanwhile, for people @param less what is less exact if frames are missing
 * @returns the topology's links
 * @throws CommandError if the node outputs no windows
 */
export async function hearWindows(
  topology: CheckedTopology,
  node: string,
  learner: Learner,
  {
    seconds,
    print,
    progress,
    wanted,
    less,
  }: HearSettings & { readonly wanted: string; readonly less: string },
): Promise<LinkTable> {
  const component = topology.nodes.find(({ id }) => id === node)?.component;
  if (component?.kind !== 'operator' || !component.outputs.includes('window')) {
    throw new CommandError(`${node} of ${topology.id} is not an operator that outputs windows`, EXIT.invalid);
  }
  let first: number | undefined;
  print(`listening to ${node} for ${seconds} s; ${wanted}`);
  const links = await listenTo(topology, node, (window) => {
    if (window.port !== 'window') return false;
    first ??= window.start;
    learner.add(window);
    progress?.(Math.min(learner.heardSeconds, seconds));
    return learner.heardSeconds >= seconds || window.start - first >= PATIENCE * seconds * 1e6;
  });
  if (learner.heardSeconds > 0 && learner.heardSeconds < seconds)
    print(`frames arrived in ${learner.heardSeconds.toFixed(1)} of ${seconds} s: ${less} less exact`);
  return links;
}
