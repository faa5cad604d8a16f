import type { CheckedTopology, TopologyBuilder } from '../pipeline/config/index.js';
import { createRunner } from '../pipeline/runtime/runner.js';
import type { RunningTopology } from '../pipeline/runtime/status.js';
import { createLogger, type Level } from '../pipeline/telemetry/log.js';

export interface RunOptions {
  /** Lines of the log on standard error; default: `info`. */
  readonly log?: Level;
}

/** A topology that a program started. */
export type Running = Pick<
  RunningTopology,
  'topology' | 'state' | 'status' | 'stop' | 'finished' | 'onChange'
>;

/**
 * Starts a topology in this process, without the service interface. Resolves when it runs; rejects with the
 * cause if it cannot run. `finished()` resolves when all input has ended; `stop()` takes a checkpoint first.
 *
 * ```ts const running = await run(ward); process.once('SIGINT', () => void running.stop());
 * ```
 *
 * @throws TopologyError for an unfinished `topology()` with errors.
 */
export async function run(
  topology: CheckedTopology | Pick<TopologyBuilder<never>, 'build'>,
  { log }: RunOptions = {},
): Promise<Running> {
  const checked = 'build' in topology ? topology.build() : topology;
  const runner = createRunner(checked, { log: createLogger({ level: log ?? 'info' }) });
  await runner.start();
  return runner;
}
