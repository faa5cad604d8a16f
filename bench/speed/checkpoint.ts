import { createRunner } from '../../pipeline/runtime/runner.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { BLOCK, csiBlocks, lineOf, median, sourceNode, STEPS, withFolder } from './bench-line.js';

export interface CheckpointPause {
  /** Time of a checkpoint on the pump (snapshots, encoding, handing over to the store), milliseconds. */
  readonly medianMs: number;
  readonly longestMs: number;
  readonly checkpoints: number;
}

/** Checkpoints of denoise, phase-sanitize and window, with all windows of `links` links full. */
export function checkpointPause(links = 100, checkpoints = 15): Promise<CheckpointPause> {
  return withFolder(async (folder) => {
    // Two seconds of frames: every window is full.
    const input = csiBlocks(Math.ceil((links * 200) / BLOCK), links);
    let fed: () => void = () => undefined;
    const full = new Promise<void>((resolve) => {
      fed = resolve;
    });
    const source = sourceNode(async (output) => {
      for (const [index, block] of input.entries()) await output.offer({ position: index, data: [block] });
      fed();
      await new Promise<void>((resolve) => {
        output.signal.addEventListener('abort', () => {
          resolve();
        });
      });
    });
    const nodes = [source, ...STEPS];
    const runner = createRunner(lineOf(nodes, links, { stateFolder: folder, checkpointIntervalMs: 50 }), {
      log: createLogger({ level: 'error' }),
    });
    await runner.start();
    await full;
    const pauses = new Map<number, number>();
    while (pauses.size < checkpoints + 2) {
      const { checkpoint } = runner.status();
      if (checkpoint) pauses.set(checkpoint.epoch, checkpoint.pauseMs);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await runner.stop({ force: true });
    // The first ones run code that is not compiled yet.
    const warm = [...pauses.values()].slice(2);
    return { medianMs: median(warm), longestMs: Math.max(...warm), checkpoints: warm.length };
  });
}
