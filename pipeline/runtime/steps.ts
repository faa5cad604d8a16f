import type { Step } from './status.js';

/** The steps of a start, a stop or a restart, and their progress. */
export class Steps {
  #steps: readonly Step[] = [];

  get list(): readonly Step[] {
    return this.#steps;
  }

  begin(names: readonly string[]): void {
    this.#steps = names.map((step) => ({ step, status: 'pending', progress: 0 }));
  }

  /** @param progress 0 to 1 */
  advance(step: string, progress: number): void {
    const status = progress >= 1 ? 'completed' : 'in_progress';
    this.#steps = this.#steps.map((known) => (known.step === step ? { step, status, progress } : known));
  }

  /** Incomplete steps have failed. */
  fail(): void {
    this.#steps = this.#steps.map((step) =>
      step.status === 'completed' ? step : { ...step, status: 'failed' },
    );
  }

  complete(): void {
    this.#steps = this.#steps.map((step) => ({ ...step, status: 'completed', progress: 1 }));
  }
}
