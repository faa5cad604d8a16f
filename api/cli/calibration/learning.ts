import type { Static } from 'typebox';
import { calibrate, settingsOf } from '../../../operators/calibrate/calibrate.js';
import { calibrator } from '../../../operators/calibrate/calibrator.js';
import { entryOf } from '../../../operators/calibrate/link-calibration.js';
import type { CheckedNode, CheckedTopology } from '../../../pipeline/config/index.js';

/** Layouts by link id, in the form of a calibration file. */
export type LearntLinks = Readonly<Record<string, readonly object[]>>;

export const calibrators = ({ nodes }: CheckedTopology): readonly CheckedNode[] =>
  nodes.filter(({ component }) => component === calibrate);

/** A topology whose `calibrate` nodes learn again, and the nodes that have not run yet. */
export interface Learning {
  readonly topology: CheckedTopology;
  readonly left: () => readonly string[];
}

/**
 * The same topology, with its `calibrate` nodes without their files.
 * @param seconds of frames to learn each link from @param into receives the result
 */
export function learning(
  topology: CheckedTopology,
  seconds: number,
  into: Record<string, object[]>,
): Learning {
  const left = new Set(calibrators(topology).map(({ id }) => id));
  const nodes = topology.nodes.map((node): CheckedNode => {
    if (node.component !== calibrate) return node;
    const fields = node.config as Static<typeof calibrate.config>;
    const config = { ...fields, learn_s: seconds, calibration: undefined };
    return {
      ...node,
      config,
      component: {
        ...calibrate,
        create: (_config: never, context) => {
          left.delete(node.id);
          const onLearnt = (link: string, ...[layout, learnt]: Parameters<typeof entryOf>): void => {
            (into[link] ??= []).push(entryOf(layout, learnt));
          };
          return calibrator({ ...settingsOf(config, context.folder), onLearnt }, context);
        },
      },
    };
  });
  return { topology: { ...topology, nodes }, left: () => [...left] };
}
