import { compiledModule } from '../../../pipeline/base/paths.js';
import type { Environment } from '../../../pipeline/model/index.js';
import type { Coverage } from '../../../pipeline/sources/simulator/coverage.js';
import { ApiError } from '../errors.js';
import { Thread, ThreadBusy, ThreadTooSlow } from '../threads/thread.js';

/** The thread's result. */
export type Simulated = { readonly coverage: Coverage } | { readonly refused: string };

/** Simulating hundreds of people takes a second or more, which would block the event loop. */
const thread = new Thread<Environment, Simulated>(compiledModule(import.meta.url, './coverage.worker.js'), {
  limitMs: 30_000,
  most: 4,
  heapMb: 256,
});

/**
 * @param gone nobody waits for it any more
 * @throws ApiError 422 for an environment that is too large; 503 while others are simulated
 */
export async function simulatedCoverage(environment: Environment, gone: AbortSignal): Promise<Coverage> {
  const simulated = await thread.ask(environment, gone).catch((error: unknown) => {
    if (!(error instanceof ThreadBusy || error instanceof ThreadTooSlow)) throw error;
    throw new ApiError('SYSTEM_NOT_READY', `The room cannot be simulated now: ${error.message}`, {
      headers: { 'Retry-After': '2' },
    });
  });
  if ('coverage' in simulated) return simulated.coverage;
  throw new ApiError('VALIDATION_ERROR', simulated.refused, {
    details: { fields: [{ field: 'text', message: simulated.refused, received: null }] },
  });
}
