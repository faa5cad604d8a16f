import type { LinkedNode } from './nodes.js';
import type { Problems } from '../problems/problem.js';

/** Ports with a radio's measurements. */
const MEASURED: readonly string[] = ['csi', 'window'];

/**
 * Rejects nodes that need the amplitudes of channel estimates but receive frames from beamforming reports.
 * @param open ids of the nodes whose files may be read
 */
export function checkMeasurements(
  nodes: readonly LinkedNode[],
  folder: string,
  open: ReadonlySet<string>,
  problems: Problems,
): void {
  /** For each node that passes on reports, the source of the reports. */
  const reports = new Map<string, string>();
  for (const { draft, inputs } of nodes) {
    const { component, config, id } = draft;
    if (!component || !config) continue;
    if (component.kind === 'source') {
      if (open.has(id) && component.measures?.(config as never, folder) === 'beamforming-report')
        reports.set(id, id);
      continue;
    }
    const measured = inputs.filter(({ ports }) => ports.some((port) => MEASURED.includes(port)));
    const source = measured.map(({ from }) => reports.get(from)).find((one) => one !== undefined);
    if (source === undefined || component.kind !== 'operator') continue;
    reports.set(id, source);
    const why = component.needsAmplitude?.(config as never);
    if (why === undefined) continue;
    const message =
      `\`${id}\` (${component.name}) needs the amplitudes of channel estimates, ${why}: \`${source}\` outputs ` +
      'beamforming reports, which have no absolute amplitude';
    problems.add('config.measurement.amplitude', draft.from[0]?.location ?? draft.location, message, {
      component,
    });
  }
}
