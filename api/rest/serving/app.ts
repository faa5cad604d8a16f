import Koa, { type Middleware } from 'koa';
import type { AnyEndpoint } from '../../contract/endpoint.js';
import { requireHost, requireLogin } from './access.js';
import { chain } from './chain.js';
import { recordActions } from './record-actions.js';
import { readCredentials } from '../../service/accounts/credentials.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import type { Hosts } from '../../service/limits/hosts.js';
import type { Limits } from '../../service/limits/limits.js';
import { Routes, type Route } from './routes.js';
import {
  ROOT,
  endpointFinder,
  formAtMount,
  formFinder,
  isAtRoot,
  mounts,
  rootMount,
  type FormFinder,
} from './mounts.js';
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
  const endpoints = registerEndpoints(router, { deployment, limits, answerMs: outside.answerMs });
  const endpointOf = endpointFinder(router, endpoints);
  const formOf = formFinder(deployment, endpointOf);
  app.on('error', (error: unknown) => {
    deployment.log.error('a request failed', { reason: stackText(error) });
  });
  app.use(
    chain([
      compressAnswers,
      identify,
      securityHeaders,
      measureAnswers(deployment, formOf),
      recordActions(deployment.audit, endpointOf),
      showLimits(endpointOf, formOf, limits, deployment.form),
      answerErrors(deployment, formOf),
      requireHost(outside.hosts),
      crossOrigin(outside.origins),
      ...(outside.loginRequired ? [requireLogin(deployment.authenticator, limits)] : []),
      outsideOf(formOf, chain([serveMetrics(root.metrics), ...root.pages])),
      readCredentials(deployment.authenticator),
      countCalls(endpointOf, formOf, limits, deployment.form),
      router.routes() as Middleware,
      refuse(router),
    ]),
  );
  return app;
}

/** Calls of the service interface pass these pages by. */
const outsideOf =
  (formOf: FormFinder, pages: Middleware): Middleware =>
  (context, next) =>
    (formOf(context) === null ? pages(context, next) : next()) as Promise<unknown>;

const serveMetrics =
  (metrics: () => Promise<string>): Middleware =>
  async (context, next) => {
    if (context.path !== '/metrics') {
      await next();
      return;
    }
    context.type = 'text/plain; version=0.0.4';
    context.body = await metrics();
  };

/** Authorises each call before its body is read. Returns the endpoints by their routes. */
function registerEndpoints(router: Routes, serving: Serving): ReadonlyMap<Route, AnyEndpoint> {
  const { deployment } = serving;
  const endpoints = new Map<Route, AnyEndpoint>();
  const limited = limitCallsAtWork(CALLS_AT_ONCE);
  for (const { base, form } of [...mounts(deployment.form), rootMount(deployment.form)]) {
    for (const endpoint of base === ROOT ? ENDPOINTS.filter(isAtRoot) : ENDPOINTS) {
      const middlewares = [
        allow(endpoint),
        ...(endpoint.vital ? [] : [limited]),
        onlyJson,
        ...readBody(endpoint),
        serve(endpoint, formAtMount(deployment, base, endpoint.path) ?? form, serving),
      ];
      const route = router.add(base + endpoint.path, endpoint.method, chain(middlewares));
      endpoints.set(route, endpoint);
    }
  }
  return endpoints;
}
