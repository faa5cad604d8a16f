import { isDeepStrictEqual } from 'node:util';
import { recoveryOf } from '../../component/index.js';
import type { LinkedNode } from './nodes.js';
import type { DraftNode } from './nodes.js';
import type { Location, Problems } from '../problems/problem.js';
import type { Settings } from '../topology/topology.js';

/** A checkpoint is a transaction of that length, and brokers abort long ones. */
const MAX_INTERVAL_MS = 60_000;

/**
 * Checks a topology whose partitions several processes share: it needs one source with partitions, and sinks
 * that stay consistent when another process repeats what the last one wrote since its checkpoint.
 *
 * @param locationOf location of a field of `settings`
 */
export function checkScaleOut(
  nodes: readonly LinkedNode[],
  { checkpointIntervalMs, threads = 0 }: Settings,
  locationOf: (field: string) => Location,
  problems: Problems,
): void {
  const drafts = nodes.map(({ draft }) => draft);
  checkSource(drafts, locationOf('scale_out'), problems);
  checkSinks(drafts, problems);
  if (threads > 0) {
    const message = `a scaled-out topology runs its partitions on the main thread: remove \`threads: ${threads}\`, and start more processes`;
    problems.add('config.scale_out.threads', locationOf('threads'), message);
  }
  if (checkpointIntervalMs > MAX_INTERVAL_MS) {
    const message = `a scaled-out topology needs a checkpoint at least every ${MAX_INTERVAL_MS} ms, this one takes one every ${checkpointIntervalMs} ms`;
    problems.add('config.scale_out.interval', locationOf('checkpoint_interval_ms'), message);
  }
}

function checkSource(drafts: readonly DraftNode[], location: Location, problems: Problems): void {
  const sources = drafts.filter(({ kind }) => kind === 'source');
  if (sources.length > 1) {
    const message = `a scaled-out topology needs one source, this one has ${sources.length}: ${sources.map(({ id }) => id).join(', ')}`;
    problems.add('config.scale_out.source', location, message);
  }
  for (const { id, component, location: at } of sources) {
    if (component?.kind !== 'source' || component.partitions) continue;
    const message = `\`${id}\` (${component.name}) has no partitions that several processes can share: use \`kafka\``;
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
        const message = `\`${id}\` (${component.name}) writes through the connection of \`${source!.id}\`: set \`${field}\` to the same value in both`;
        problems.add('config.scale_out.connection', at, message, { component });
      }
      continue;
    }
    const recovery = recoveryOf(component, config);
    if (recovery === 'rewind') {
      const message =
        `\`${id}\` (${component.name}) belongs to one process and cannot be written by several: write to a sink that ` +
        'they share (kafka, influxdb)';
      problems.add('config.scale_out.sink', at, message, { component });
    } else if (recovery === 'at-least-once') {
      const message =
        `\`${id}\` (${component.name}) receives records again, with the same ids, when a partition moves: those since ` +
        'its last checkpoint';
      problems.add('config.scale_out.repeats', at, message, { component, severity: 'warning' });
    }
  }
}
