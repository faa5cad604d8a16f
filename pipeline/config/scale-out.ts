import { isDeepStrictEqual } from 'node:util';
import { recoveryOf } from '../component/index.js';
import type { LinkedNode } from './nodes.js';
import type { DraftNode } from './nodes.js';
import type { Location, Problems } from './problem.js';
import type { Settings } from './topology.js';

/** A checkpoint is a transaction, which is open for as long, and which brokers do not keep open for ever. */
const MAX_INTERVAL_MS = 60_000;

/**
 * What a topology must be like whose partitions several processes share: one source that has partitions, and
 * sinks that stay right when another process writes again what the last one wrote since its checkpoint.
 *
 * @param locationOf a field of `settings`
 */
export function checkScaleOut(
  nodes: readonly LinkedNode[],
  { checkpointIntervalMs }: Settings,
  locationOf: (field: string) => Location,
  problems: Problems,
): void {
  const drafts = nodes.map(({ draft }) => draft);
  checkSource(drafts, locationOf('scale_out'), problems);
  checkSinks(drafts, problems);
  if (checkpointIntervalMs > MAX_INTERVAL_MS) {
    const message = `a topology that is scaled out has a checkpoint every ${MAX_INTERVAL_MS} ms at least, this one every ${checkpointIntervalMs} ms`;
    problems.add('config.scale_out.interval', locationOf('checkpoint_interval_ms'), message);
  }
}

function checkSource(drafts: readonly DraftNode[], location: Location, problems: Problems): void {
  const sources = drafts.filter(({ kind }) => kind === 'source');
  if (sources.length > 1) {
    const message = `a topology that is scaled out has one source, this one has ${sources.length}: ${sources.map(({ id }) => id).join(', ')}`;
    problems.add('config.scale_out.source', location, message);
  }
  for (const { id, component, location: at } of sources) {
    if (component?.kind !== 'source' || component.partitions) continue;
    const message = `\`${id}\` (${component.name}) has no partitions that several processes could share: use \`kafka\``;
    problems.add('config.scale_out.source', at, message, { component });
  }
}

function checkSinks(drafts: readonly DraftNode[], problems: Problems): void {
  const source = drafts.find(({ kind }) => kind === 'source');
  for (const { id, component, config, location: at } of drafts) {
    if (component?.kind !== 'sink' || config === undefined) continue;
    if (component.transactional === true) {
      const differs = (component.likeSource ?? []).filter(
        (field) => source?.config && !isDeepStrictEqual(source.config[field], config[field]),
      );
      for (const field of differs) {
        const message = `\`${id}\` (${component.name}) writes through the connection of \`${source!.id}\`: make \`${field}\` the same in both`;
        problems.add('config.scale_out.connection', at, message, { component });
      }
      continue;
    }
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
