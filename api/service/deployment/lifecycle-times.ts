import { join } from 'node:path';
import { Type } from 'typebox';
import type { LifecycleState, RunningTopology } from '../../../pipeline/runtime/status.js';
import { StateFile } from '../../../pipeline/state/state-file.js';

export type Action = 'start' | 'stop' | 'restart';

const Seconds = Type.Array(Type.Number({ minimum: 0 }));
const TimesFile = Type.Object({ version: Type.Integer(), start: Seconds, stop: Seconds });

const LAYOUT = 1;
/** For each action: an estimate follows a machine that became slower, and ignores a single slow start. */
const MAX_SAMPLES = 5;

/** Durations of starts and stops of the main topology, over restarts of csiflow and for all callers. */
export class LifecycleTimes {
  readonly #file: StateFile<typeof TimesFile>;
  readonly #unlisten: () => void;
  #state: LifecycleState;
  #since = performance.now();

  /** @throws Error with the file's name if it cannot be read. */
  constructor(main: Pick<RunningTopology, 'status' | 'onChange'>, stateFolder: string) {
    this.#file = new StateFile(join(stateFolder, 'lifecycle.json'), {
      schema: TimesFile,
      layout: LAYOUT,
      initial: { version: LAYOUT, start: [], stop: [] },
      remedy: 'remove it: only the estimates of start times are lost',
    });
    this.#state = main.status().state;
    this.#unlisten = main.onChange(({ state }) => {
      this.#see(state);
    });
  }

  /** Median of the last durations, seconds to a tenth; 0 if there is none. A restart is a stop and a start. */
  estimate(action: Action): number {
    const { start, stop } = this.#file.content;
    const seconds =
      action === 'restart' ? median(stop) + median(start) : median(action === 'start' ? start : stop);
    return Math.round(seconds * 10) / 10;
  }

  close(): void {
    this.#unlisten();
  }

  #see(state: LifecycleState): void {
    if (state === this.#state) return;
    const seconds = (performance.now() - this.#since) / 1000;
    if (this.#state === 'starting' && (state === 'running' || state === 'degraded'))
      this.#store('start', seconds);
    if (this.#state === 'stopping' && state === 'stopped') this.#store('stop', seconds);
    this.#state = state;
    this.#since = performance.now();
  }

  #store(action: 'start' | 'stop', seconds: number): void {
    const before = this.#file.content;
    this.#file.write({ ...before, [action]: [...before[action], seconds].slice(-MAX_SAMPLES) });
  }
}

function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
