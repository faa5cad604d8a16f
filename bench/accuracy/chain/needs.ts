import { isOn, type CheckedNode, type CheckedTopology } from '../../../pipeline/config/index.js';
import type { Port } from '../../../pipeline/model/index.js';
import { readBy } from '../../../pipeline/runtime/listen.js';

/** What tables measure: records of a port that an operator makes, and that sinks receive. */
const RESULTS = {
  poses: { port: 'pose', operator: 'infer-pose' },
  tracks: { port: 'pose', operator: 'track-persons' },
  falls: { port: 'event', operator: 'detect-falls' },
  inactivity: { port: 'event', operator: 'detect-inactivity' },
  activities: { port: 'measure', operator: 'detect-activity' },
  zones: { port: 'measure', operator: 'watch-zones' },
  vitals: { port: 'measure', operator: 'estimate-vitals' },
} as const satisfies Readonly<Record<string, { readonly port: Port; readonly operator: string }>>;

export type Result = keyof typeof RESULTS;

/** What a table needs of a topology. `calibration`: that its rooms can be calibrated. */
export type Need = Result | 'calibration';

/**
 * Operators of csiflow that give results. Any other one, such as `script` or one of `--plugin`, may make all records
 * of its ports.
 */
export const OWN_OPERATORS: readonly string[] = [
  'aggregate',
  'body-velocity',
  'calibrate',
  'compare-poses',
  'deduplicate',
  'delay-until',
  'detect-activity',
  'detect-falls',
  'detect-inactivity',
  'detect-motion',
  'doppler',
  'enrich',
  'estimate-vitals',
  'filter',
  'infer-pose',
  'join',
  'map',
  'measure-links',
  'route',
  'sample',
  'throttle',
  'track-persons',
  'watch-zones',
];

/** Whether sinks of a topology receive such results. */
export function givesResult(topology: CheckedTopology, result: Result): boolean {
  const { port, operator } = RESULTS[result];
  const byId = new Map(topology.nodes.map((node) => [node.id, node]));
  const comesFrom = (reader: CheckedNode): boolean =>
    reader.inputs
      .filter(({ ports }) => ports.includes(port))
      .some(({ from }) => {
        const node = byId.get(from);
        return node?.component.kind === 'operator' && (makes(node, operator) || comesFrom(node));
      });
  return topology.nodes.some((node) => node.component.kind === 'sink' && isOn(node) && comesFrom(node));
}

const makes = (node: CheckedNode, operator: string): boolean =>
  isOn(node) && (node.component.name === operator || !OWN_OPERATORS.includes(node.component.name));

/** Why a topology does not have what a table needs, and what to do; undefined if it has. */
export function missingOf(topology: CheckedTopology, needs: readonly Need[]): string | undefined {
  for (const need of needs) {
    if (need === 'calibration') {
      if (readBy(topology, 'infer-pose', 'window') !== undefined) continue;
      return `${topology.id} has no infer-pose that reads windows, by which rooms are calibrated: add one`;
    }
    if (!givesResult(topology, need)) return withoutText(topology, need);
  }
  return undefined;
}

function withoutText({ id, nodes }: CheckedTopology, need: Result): string {
  const { operator } = RESULTS[need];
  const named = nodes.find(({ component }) => component.name === operator);
  if (!named) return `${id} has no ${operator}: add one, and name it in \`from\` of a sink`;
  if (!isOn(named))
    return `${operator} of ${id} is not enabled: remove \`enabled: false\` of its node ${named.id}`;
  return `no sink of ${id} reads ${operator}: name its node ${named.id} in \`from\` of a sink`;
}
