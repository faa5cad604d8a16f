import { recoveryOf } from '../component/index.js';
import type { LinkedNode } from './graph.js';
import type { Place, Problems } from './problem.js';

/**
 * What a topology must be like whose partitions several processes share: one source that has partitions, and
 * sinks that stay right when another process writes again what the last one wrote since its checkpoint.
 *
 * @param place of `settings.scale_out`
 */
export function checkScaleOut(nodes: readonly LinkedNode[], place: Place, problems: Problems): void {
  const drafts = nodes.map(({ draft }) => draft);
  const sources = drafts.filter(({ kind }) => kind === 'source');
  if (sources.length > 1) {
    const message = `a topology that is scaled out has one source, this one has ${sources.length}: ${sources.map(({ id }) => id).join(', ')}`;
    problems.add('config.scale_out.source', place, message);
  }
  for (const { id, component, place: at } of sources) {
    if (component?.kind !== 'source' || component.partitions) continue;
    const message = `\`${id}\` (${component.name}) has no partitions that several processes could share: use \`kafka\``;
    problems.add('config.scale_out.source', at, message, { component });
  }
  for (const { id, component, config, place: at } of drafts) {
    if (component?.kind !== 'sink' || config === undefined || component.transactional === true) continue;
    const recovery = recoveryOf(component, config);
    if (recovery === 'rewind') {
      const message =
        `\`${id}\` (${component.name}) is one process' own and cannot be written by several: write to a sink that ` +
        'they share (kafka, influxdb)';
      problems.add('config.scale_out.sink', at, message, { component });
    } else if (recovery === 'at-least-once') {
      const message =
        `\`${id}\` (${component.name}) gets records again, with the same ids, when a partition moves: those since ` +
        'its last checkpoint';
      problems.add('config.scale_out.repeats', at, message, { component, severity: 'warning' });
    }
  }
}
