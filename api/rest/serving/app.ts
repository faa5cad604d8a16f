import Koa, { type Middleware } from 'koa';
import { hostProblem, requireLogin } from './access.js';
import { recordActions } from './record-actions.js';
import { readCredentials } from '../../service/accounts/credentials.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import type { Hosts } from '../../service/limits/hosts.js';
import type { Limits } from '../../service/limits/limits.js';
import { Routes } from './routes.js';
import { ROOT, endpointFinder, formAtMount, formFinder, isAtRoot, mounts, rootMount } from './mounts.js';
import { ENDPOINTS } from '../endpoints.js';
import { stackText } from '../../../pipeline/base/error-text.js';
import { allow, limitCallsAtWork, onlyJson, readBody, serve, type Serving } from './serve.js';
import { showLimits, countCalls } from './count-calls.js';
import {
  compressAnswers,
  identify,
  securityHeaders,
  measureAnswers,
  answerErrors,
  crossOrigin,
  refuse,
} from './answers.js';

/** Limit of concurrent calls, except health checks. */
const CALLS_AT_ONCE = 128;

/** Parts outside the contract that are served at the root: metrics, the live page, the API's documentation. */
export interface RootRoutes {
  readonly metrics: () => Promise<string>;
  readonly pages: readonly Middleware[];
}

/** Origins, limits and timeouts of callers. */
export interface Outside {
  readonly hosts: Hosts;
  /** Origins whose pages may call from a browser. */
  readonly origins: readonly string[];
  /** A reading call is answered with 504 after this many milliseconds. */
  readonly answerMs: number;
  /** `/metrics` and the live page's scene also require a credential. */
  readonly loginRequired: boolean;
}

/** The HTTP application. */
export function createApp(deployment: Deployment, limits: Limits, root: RootRoutes, outside: Outside): Koa {
  const app = new Koa();
  const router = new Routes();
  const endpointOf = endpointFinder(router, deployment);
  const formOf = formFinder(deployment, endpointOf);
  app.on('error', (error: unknown) => {
    deployment.log.error('a request failed', { reason: stackText(error) });
  });
  app.use(compressAnswers);
  app.use(identify);
  app.use(securityHeaders);
  app.use(measureAnswers(deployment, formOf));
  app.use(recordActions(deployment.audit, endpointOf));
  app.use(showLimits(endpointOf, formOf, limits, deployment.form));
  app.use(answerErrors(deployment, formOf));
  app.use(async (context, next) => {
    const problem = hostProblem(context.req, outside.hosts);
    if (problem) throw problem;
    await next();
  });
  app.use(crossOrigin(outside.origins));
  if (outside.loginRequired) app.use(requireLogin(deployment.authenticator, limits));
  app.use(async (context, next) => {
    if (context.path !== '/metrics') {
      await next();
      return;
    }
    context.type = 'text/plain; version=0.0.4';
    context.body = await root.metrics();
  });
  for (const page of root.pages) {
    app.use(async (context, next) => {
      await (formOf(context) === null ? page(context, next) : next());
    });
  }
  registerEndpoints(router, { deployment, limits, answerMs: outside.answerMs });
  app.use(readCredentials(deployment.authenticator));
  app.use(countCalls(endpointOf, formOf, limits, deployment.form));
  app.use(router.routes());
  app.use(refuse(router));
  return app;
}

/** Authorises each call before its body is read. */
function registerEndpoints(router: Routes, serving: Serving): void {
  const { deployment } = serving;
  const limited = limitCallsAtWork(CALLS_AT_ONCE);
  for (const { base, form } of [...mounts(deployment.form), rootMount(deployment.form)]) {
    for (const endpoint of base === ROOT ? ENDPOINTS.filter(isAtRoot) : ENDPOINTS) {
      router.register(
        base + endpoint.path,
        [endpoint.method],
        [
          allow(endpoint),
          ...(endpoint.vital ? [] : [limited]),
          onlyJson,
          ...readBody(endpoint),
          serve(endpoint, formAtMount(deployment, base, endpoint.path) ?? form, serving),
        ],
      );
    }
  }
}
