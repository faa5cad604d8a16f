import { redact } from '../../pipeline/base/secrets.js';
import type { Context } from '../../pipeline/component/index.js';
import type { PoseFrame, SensedEvent } from '../../pipeline/model/index.js';

/** A window as its dead letter describes it. */
interface FailedWindow {
  readonly environment: string;
  /** Microseconds. */
  readonly start: number;
  readonly step: number;
  readonly points: number;
}

/** Reports once to each environment that the backend of its results failed, and that it works again. */
export class BackendHealth {
  readonly #context: Pick<Context, 'node' | 'provenance'>;
  /** Environments that have an event of the failure. */
  readonly #degraded = new Set<string>();

  constructor(context: Pick<Context, 'node' | 'provenance'>) {
    this.#context = context;
  }

  /**
   * The event that follows a result, at the end of its window; null if its environment knows.
   * @param problem why the backend fails; null if it works
   */
  eventOf(result: PoseFrame | FailedWindow, backend: string, problem: string | null): SensedEvent | null {
    const { environment } = result;
    if (this.#degraded.has(environment) === (problem !== null)) return null;
    if (problem === null) this.#degraded.delete(environment);
    else this.#degraded.add(environment);
    const { node, provenance } = this.#context;
    const type = problem === null ? 'inference_restored' : 'inference_degraded';
    const time = 'windowEnd' in result ? result.windowEnd : result.start + result.step * result.points;
    return {
      port: 'event',
      id: `${environment}-${type}-${node}-${Math.round(time / 1000)}`,
      type,
      severity: problem === null ? 'low' : 'medium',
      environment,
      time,
      confidence: 1,
      person: null,
      location: null,
      metadata: { node, backend, ...(problem !== null && { reason: redact(problem) }) },
      source: 'csiflow',
      provenance: { ...provenance },
    };
  }

  snapshot(): readonly string[] {
    return [...this.#degraded];
  }

  restore(degraded: readonly string[]): void {
    for (const environment of degraded) this.#degraded.add(environment);
  }
}
