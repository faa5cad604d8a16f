import type { Context as KoaContext, Middleware } from 'koa';
import type { Deployment } from '../../service/deployment/deployment.js';
import { askStores } from '../../service/figures/stores.js';

/** How long an answer of the stores is cached, so that callers without credentials cannot overload them. */
const GOOD_FOR_MS = 1_000;

/**
 * At the root, without credentials, for service managers and orchestrators: `/livez` is 200 while the process
 * answers; `/readyz` is 200 while the main topology runs and each of its stores answers, otherwise 503 with
 * the failing part. Plain calls of `/livez` are answered before they come here (`answerLiveness`).
 */
export function serveProbes(deployment: Deployment): Middleware {
  const storeAway = rememberedFor(GOOD_FOR_MS, () => firstAway(deployment));
  return async (context, next) => {
    if (context.path === '/livez' && isReading(context)) answer(context, null);
    else if (context.path === '/readyz' && isReading(context))
      answer(context, notRunning(deployment) ?? (await storeAway()));
    else await next();
  };
}

/** The answer of `/livez`. */
export const ALIVE = 'ok\n';

export const isReading = ({ method }: { readonly method?: string | undefined }): boolean =>
  method === 'GET' || method === 'HEAD';

function answer(context: KoaContext, problem: string | null): void {
  context.type = 'text/plain';
  context.status = problem === null ? 200 : 503;
  context.body = problem === null ? ALIVE : `${problem}\n`;
}

/** Null if it runs. */
function notRunning({ main }: Deployment): string | null {
  const { state } = main;
  return state === 'running' || state === 'degraded' ? null : `the topology ${main.topology.id} is ${state}`;
}

/** Null if all stores answer. */
async function firstAway({ main }: Deployment): Promise<string | null> {
  const away = (await askStores(main)).filter(({ milliseconds }) => milliseconds === null);
  return away.length === 0 ? null : `the store ${away[0]!.node} does not answer`;
}

function rememberedFor<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let until = -Infinity;
  let last: Promise<T> | undefined;
  return () => {
    if (!last || performance.now() > until) {
      last = ask();
      until = performance.now() + milliseconds;
    }
    return last;
  };
}
