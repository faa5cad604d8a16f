import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import { errorText } from '../../pipeline/base/error-text.js';
import { Value } from 'typebox/value';
import type { AnySink, Context, Sink } from '../../pipeline/component/index.js';
import { LinkTable, type Environment } from '../../pipeline/model/index.js';
import { POSE_ENVIRONMENT } from './pose-frame.js';

export const environmentOf = (links: number): Environment => ({
  id: 'bench',
  size: { x: 5, y: 4, z: 2.6 },
  links: Array.from({ length: links }, (_, index) => ({
    id: `link-${index}`,
    sender: `node-${index}`,
    transmitter: [0, 0, 1],
    receiver: [5, 4, 1],
  })),
  walls: [],
  zones: [],
  timezone: 'UTC',
  assumed: [],
});

/** Context of a component or a decoder: a clock that stands still, no logger and no counters. */
export function benchContext(links: number): Context {
  const environments = [environmentOf(links)];
  const nothing = () => undefined;
  return {
    topology: 'bench',
    node: 'bench',
    environments,
    inputs: [],
    links: new LinkTable(environments),
    clock: { now: () => 0, elapsed: () => 0 },
    random: () => 0.5,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    metrics: { dropped: nothing, missing: nothing, failed: nothing, gauge: nothing, count: nothing },
    folder: '',
    stateFolder: '',
    provenance: { origin: 'simulated' },
    degrade: nothing,
  };
}

/**
 * An opened sink over `folder` for made-up pose frames, with a running clock.
 * @throws CommandError if it cannot be opened, for example because its server does not answer
 */
export async function openSink(component: AnySink, config: object, folder: string): Promise<Sink> {
  const clock = { now: () => Date.now() * 1000, elapsed: () => performance.now() };
  const environments = [{ ...environmentOf(1), id: POSE_ENVIRONMENT }];
  const context = { ...benchContext(1), environments, clock, folder, stateFolder: folder };
  const sink = component.create(Value.Default(component.config, { ...config }) as never, context);
  try {
    await sink.open();
  } catch (error) {
    // A sink that keeps trying to connect would hold the process. Why it did not open matters more than whether it closes.
    await sink.close().catch(() => undefined);
    throw new CommandError(`${component.name}: ${errorText(error)}`, EXIT.unavailable);
  }
  return sink;
}
