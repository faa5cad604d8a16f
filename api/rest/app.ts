import { randomUUID } from 'node:crypto';
import { constants } from 'node:zlib';
import cors from '@koa/cors';
import compress from 'koa-compress';
import Koa, { type Context as KoaContext, type Middleware } from 'koa';
import { hostProblem, requireLogin, requireRole } from './access.js';
import { recordActions } from './record-actions.js';
import { readCredentials } from '../service/accounts/credentials.js';
import { viewOf, type AnyEndpoint } from '../contract/endpoint.js';
import { codeOf, errorBody, statusOf } from '../contract/errors.js';
import { ApiError } from '../service/errors.js';
import { successBody } from '../contract/form.js';
import { type Form } from '../service/form.js';
import type { Deployment } from '../service/deployment/deployment.js';
import { addressKey } from '../service/limits/addresses.js';
import type { Hosts } from '../service/limits/hosts.js';
import type { Limits } from '../service/limits/limits.js';
import { accountEndpoints } from './accounts.js';
import { analyticsEndpoints } from './analytics/index.js';
import { auditEndpoints } from './audit.js';
import { authEndpoints } from './auth.js';
import { backupEndpoints } from './backups.js';
import { exportEndpoints } from './exports.js';
import { readJson } from './bodies.js';
import { clipEndpoints } from './clips.js';
import { configurationEndpoints } from './configuration.js';
import { deadLetterEndpoints } from './dead-letters.js';
import { eventEndpoints } from './events.js';
import { healthEndpoints } from './health.js';
import { parseJson } from './json.js';
import { poseEndpoints } from './pose.js';
import { poseQueryEndpoints } from './pose-query.js';
import { processEndpoints } from './process.js';
import { checkBody, checkQuery } from './requests.js';
import { Routes } from './routes.js';
import { systemEndpoints } from './system.js';
import { tapEndpoints } from './taps.js';
import { topologyEndpoints } from './topologies.js';
import { trackEndpoints } from './tracks.js';
import { webhookEndpoints } from './webhooks.js';

/** Every operation of the service interface, once. A new resource is a file beside this one and a line here. */
export const ENDPOINTS: readonly AnyEndpoint[] = [
  ...authEndpoints,
  ...accountEndpoints,
  ...poseEndpoints,
  ...poseQueryEndpoints,
  ...processEndpoints,
  ...trackEndpoints,
  ...eventEndpoints,
  ...analyticsEndpoints,
  ...clipEndpoints,
  ...systemEndpoints,
  ...configurationEndpoints,
  ...topologyEndpoints,
  ...tapEndpoints,
  ...webhookEndpoints,
  ...deadLetterEndpoints,
  ...backupEndpoints,
  ...exportEndpoints,
  ...auditEndpoints,
  ...healthEndpoints,
];

/** Largest body, bytes; of calls that anybody may make. */
const [BODY_LIMIT, OPEN_BODY_LIMIT] = [1024 * 1024, 64 * 1024];
/** Values in a body. */
export const BODY_VALUES = 10_000;
/** Calls at work at the same time; those of health are not among them. */
const CALLS_AT_ONCE = 128;

/** Where a deployment chooses the form. */
export const CHOSEN_BASE = '/api/v1';

/** Paths whose form a deployment may choose by itself, as the contract writes them: `/pose/tracking/{track_id}`. */
export const formPaths = (): readonly string[] => [
  ...new Set([...ENDPOINTS.map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}')), WEBSOCKET_PATH]),
];

export const WEBSOCKET_PATH = '/ws/pose';

/** Where the forms are mounted. */
export const mounts = (configured: Form): readonly { readonly base: string; readonly form: Form }[] => [
  { base: '/form-a/api/v1', form: 'a' },
  { base: '/form-b/api/v1', form: 'b' },
  { base: CHOSEN_BASE, form: configured },
];

/** Probes that know nothing of the base address ask for `/health` at the root. */
const ROOT = '';
const rootMount = (configured: Form) => ({ base: ROOT, form: configured });
const isAtRoot = ({ path }: AnyEndpoint): boolean => path === '/health';

/** What of the outside of the contract is served at the root: metrics, the live page, the API's documentation. */
export interface RootRoutes {
  readonly metrics: () => Promise<string>;
  readonly pages: readonly Middleware[];
}

/** Who may call from where, and how long they wait. */
export interface Outside {
  readonly hosts: Hosts;
  /** Origins whose pages may call from a browser. */
  readonly origins: readonly string[];
  /** A reading call is answered 504 after so many milliseconds. */
  readonly answerMs: number;
  /** `/metrics` and the live page's scene need a credential too. */
  readonly loginRequired: boolean;
}

/** The HTTP application. */
export function createApp(deployment: Deployment, limits: Limits, root: RootRoutes, outside: Outside): Koa {
  const app = new Koa();
  const router = new Routes();
  const endpointOf = endpointFinder(router, deployment);
  const formOf = formFinder(deployment, endpointOf);
  app.on('error', (error: unknown) => {
    deployment.log.error('a request failed', {
      reason: error instanceof Error ? error.stack : String(error),
    });
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
  const limited = limitCallsAtWork(CALLS_AT_ONCE);
  for (const { base, form } of [...mounts(deployment.form), rootMount(deployment.form)]) {
    for (const endpoint of base === ROOT ? ENDPOINTS.filter(isAtRoot) : ENDPOINTS) {
      // Who may not call has no body read.
      router.register(
        base + endpoint.path,
        [endpoint.method],
        [
          allow(endpoint),
          ...(endpoint.vital ? [] : [limited]),
          onlyJson,
          ...readBody(endpoint),
          serve(endpoint, formAtMount(deployment, base, endpoint.path) ?? form, {
            deployment,
            limits,
            answerMs: outside.answerMs,
          }),
        ],
      );
    }
  }
  app.use(readCredentials(deployment.authenticator));
  app.use(countCalls(endpointOf, formOf, limits, deployment.form));
  app.use(router.routes());
  app.use(refuse(router));
  return app;
}

/**
 * From 1 kB on, where the client takes it. Low levels: an answer of 1,000 rows shrinks by nine tenths with the lowest
 * already. What is packed by itself, as images are, goes as it is; so do answers with tokens (see `serve`).
 */
const compressAnswers = compress({
  threshold: 1024,
  gzip: { level: constants.Z_BEST_SPEED },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } },
});

/** Takes over a sane `X-Request-Id`, else makes one. */
const identify: Middleware = async (context, next) => {
  const given = context.get('X-Request-Id');
  context.state.requestId = /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
  context.set('X-Request-Id', context.state.requestId);
  await next();
};

const securityHeaders: Middleware = async (context, next) => {
  context.set({
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy':
      "default-src 'self'; connect-src 'self' ws: wss:; style-src 'self'; img-src 'self' data:",
    'Cache-Control': 'no-store',
  });
  await next();
};

/** Lets pages of the given origins call, and read the headers that they need. */
const crossOrigin = (origins: readonly string[]): Middleware =>
  cors({
    origin: (context) => {
      const origin = context.get('Origin');
      return origins.includes(origin) ? origin : '';
    },
    allowMethods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'X-API-Key', 'X-Request-Id', 'If-Match'],
    exposeHeaders: [
      ...['Limit', 'Remaining', 'Reset', 'Window'].map((name) => `X-RateLimit-${name}`),
      ...['X-Request-Id', 'Retry-After', 'ETag'],
    ],
    maxAge: 600,
  });

/** Counts the calls of the service interface and the time that their answers took. */
function measureAnswers(deployment: Deployment, formOf: FormFinder): Middleware {
  return async (context, next) => {
    const begun = performance.now();
    await next();
    if (formOf(context) !== null) deployment.probe.calls.add(performance.now() - begun);
  };
}

function answerErrors(deployment: Deployment, formOf: FormFinder): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toApiError(thrown, context, deployment);
      context.state.problem = codeOf(error);
      context.status = statusOf(error);
      context.set(error.headers);
      const form = formOf(context) ?? deployment.form;
      context.body = errorBody(form, error, timestamp(deployment), context.state.requestId);
    }
  };
}

function toApiError(thrown: unknown, context: KoaContext, deployment: Deployment): ApiError {
  if (thrown instanceof ApiError) return thrown;
  deployment.log.error('a handler threw', {
    request_id: context.state.requestId,
    path: context.path,
    reason: thrown instanceof Error ? thrown.stack : String(thrown),
  });
  return new ApiError(
    'SYSTEM_ERROR',
    `Something failed inside; the log has it under ${context.state.requestId}`,
  );
}

/** The form that a call is answered in; null outside of the service interface. */
type FormFinder = (context: KoaContext) => Form | null;

function formFinder(deployment: Deployment, endpointOf: EndpointFinder): FormFinder {
  const known = mounts(deployment.form);
  return (context) => {
    const mount = mountOf(context.path, known);
    if (!mount) return null;
    const path = deployment.formsOf.size === 0 ? undefined : endpointOf(context, true)?.path;
    return formAtMount(deployment, mount.base, path) ?? mount.form;
  };
}

/** The form that an endpoint has on its own where the deployment chooses forms. */
const formAtMount = ({ formsOf }: Deployment, base: string, path: string | undefined): Form | undefined =>
  base === CHOSEN_BASE ? formsOf.get(path?.replaceAll(/:(\w+)/g, '{$1}') ?? '') : undefined;

/** The form that an error at a path is told in. */
export const formAt = (path: string, configured: Form): Form =>
  mountOf(path, mounts(configured))?.form ?? configured;

const mountOf = (path: string, known: ReturnType<typeof mounts>) =>
  known.find(
    ({ base }) => path.startsWith(base) && (path.length === base.length || path[base.length] === '/'),
  );

/** The endpoint that a call means; with `anyMethod` also one that its path has for another method. */
type EndpointFinder = (context: KoaContext, anyMethod?: boolean) => AnyEndpoint | undefined;

function endpointFinder(router: Routes, deployment: Deployment): EndpointFinder {
  const endpoints = new Map<string, AnyEndpoint>(
    [...mounts(deployment.form), rootMount(deployment.form)].flatMap(({ base }) =>
      ENDPOINTS.map((endpoint) => [`${endpoint.method} ${base}${endpoint.path}`, endpoint] as const),
    ),
  );
  return (context, anyMethod = false) => {
    const found = router.match(context.path, context.method);
    const layer = found.pathAndMethod[0] ?? (anyMethod ? found.path[0] : undefined);
    return layer && endpoints.get(`${layer.methods.at(-1)!} ${String(layer.path)}`);
  };
}

/**
 * Takes one call of the caller's limit, whatever becomes of the call. What is refused to everybody (nothing is there,
 * no credential) takes none: a probe that asks for it would else lock out all who come from its address.
 * @throws ApiError 429
 */
function countCalls(
  endpointOf: EndpointFinder,
  formOf: FormFinder,
  limits: Limits,
  configured: Form,
): Middleware {
  return async (context, next) => {
    const endpoint = endpointOf(context);
    const caller = endpoint ? callerOf(endpoint, context) : null;
    if (endpoint && caller !== null)
      context.set(await limits.take(formOf(context) ?? configured, endpoint.limit, caller));
    else if (endpoint && context.state.guessed)
      context.set(await limits.takeWrongCredential(addressKey(context.ip)));
    await next();
  };
}

/** What calls are counted by; null for one that needs an account and has none. A user may be named like an address. */
function callerOf({ access }: AnyEndpoint, context: KoaContext): string | null {
  if (access === 'open') return addressKey(context.ip);
  const { account } = context.state;
  return account && `account ${account.name}`;
}

/** All answers have the `X-RateLimit-*` headers: on those that took no call they say what is left. */
function showLimits(
  endpointOf: EndpointFinder,
  formOf: FormFinder,
  limits: Limits,
  configured: Form,
): Middleware {
  return async (context, next) => {
    await next();
    if (context.res.hasHeader('X-RateLimit-Limit')) return;
    const category = endpointOf(context, true)?.limit ?? 'pose_data';
    context.set(await limits.show(formOf(context) ?? configured, category, addressKey(context.ip)));
  };
}

/** @throws ApiError 401 without an account, 403 for one with too few rights. */
const allow =
  ({ access }: AnyEndpoint): Middleware =>
  async (context, next) => {
    requireRole(access, context.state.account);
    await next();
  };

/** A call that was answered 504 is at work until its end. @throws ApiError 503 while so many calls are at work. */
function limitCallsAtWork(most: number): Middleware {
  let atWork = 0;
  const leave = (): void => {
    atWork--;
  };
  return async (context, next) => {
    if (atWork >= most)
      throw new ApiError('SYSTEM_NOT_READY', 'Too many calls are at work: try again in a moment', {
        headers: { 'Retry-After': '1' },
      });
    atWork++;
    try {
      await next();
    } finally {
      const { work } = context.state;
      if (work) work.then(leave, leave);
      else leave();
    }
  };
}

/** A body of another type would be passed over, and its fields reported as missing. @throws ApiError 400 */
const onlyJson: Middleware = async (context, next) => {
  const hasBody = Number(context.get('Content-Length')) > 0 || context.get('Transfer-Encoding') !== '';
  if (hasBody && !context.is('json'))
    throw new ApiError('BAD_REQUEST', 'Send the body as JSON, with Content-Type: application/json');
  await next();
};

/** Bytes that a body of an endpoint may have. */
export const bodyLimit = ({ access, largest }: AnyEndpoint): number =>
  access === 'open' ? OPEN_BODY_LIMIT : (largest?.bytes ?? BODY_LIMIT);

function readBody(endpoint: AnyEndpoint): readonly Middleware[] {
  if (endpoint.method === 'GET') return [];
  const { largest, readBody: parseElsewhere } = endpoint;
  const options = { values: largest?.values ?? BODY_VALUES, shown: !holdsSecrets(endpoint) };
  return readJson(bodyLimit(endpoint), parseElsewhere ?? ((text) => parseJson(text, options)));
}

interface Serving {
  readonly deployment: Deployment;
  readonly limits: Limits;
  readonly answerMs: number;
}

function serve(endpoint: AnyEndpoint, mounted: Form, { deployment, limits, answerMs }: Serving): Middleware {
  const { form, view } = viewOf(endpoint, mounted);
  return async (context) => {
    const { account, requestId } = context.state;
    // The length of a packed answer would tell how much of what was sent is in a secret beside it (BREACH).
    if (holdsSecrets(endpoint)) context.compress = false;
    const path = checkQuery(view.path, context['params'] as Record<string, unknown>);
    const query = checkQuery(view.query, context.query);
    const sent: unknown = context.request.body;
    const checked = endpoint.readBody !== undefined && sent !== undefined;
    const body = checked ? sent : checkBody(view.body, sent, !holdsSecrets(endpoint));
    const abort = new AbortController();
    // The request itself closes once its body is read.
    context.res.once('close', () => {
      if (!context.res.writableFinished) abort.abort(gone());
    });
    const { signal } = abort;
    const ifMatch = context.get('If-Match') || null;
    const call = { deployment, limits, account, address: context.ip, requestId, ifMatch, signal };
    const input = view.read({ path: path as never, query: query as never, body: body as never });
    if (endpoint.audit) context.state.audit = endpoint.audit(input as never, call);
    const handled = endpoint.handle(input as never, call);
    context.state.work = handled;
    // What changes something goes on anyway, so its end is waited for.
    const result = await (isReading(endpoint) ? inTime(handled, answerMs, abort) : handled);
    context.status = endpoint.status;
    if (endpoint.status === 204) return;
    const rendered = view.render(result as never, call);
    context.set({ ...rendered.headers });
    if (endpoint.document) {
      context.set(endpoint.document.headers);
      context.type = endpoint.document.type;
      context.body = rendered.data;
      return;
    }
    context.body = successBody(form, rendered, endpoint.bare ?? false, timestamp(deployment), requestId);
  };
}

/** Questions that take a body change nothing either. */
const isReading = ({ method, audit }: AnyEndpoint): boolean => method === 'GET' || audit === false;

/** Told to nobody: it ends what is at work for a caller who is not there any more. */
const gone = (): ApiError => new ApiError('TIMEOUT', 'The caller has gone before the answer');

/** @throws ApiError 504 where it takes longer; then nobody waits for it any more, and what it asks of stores ends. */
async function inTime<T>(work: Promise<T>, limitMs: number, abort: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new ApiError(
        'TIMEOUT',
        `No answer within ${limitMs / 1000} seconds: ask for less at a time`,
      );
      reject(error);
      abort.abort(error);
    }, limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Passwords, tokens and keys come in the bodies of these. */
const holdsSecrets = ({ path }: AnyEndpoint): boolean => /^\/(auth|users|webhooks)\b/.test(path);

/** 405 with `Allow` where the path is known under another method, else 404. */
function refuse(router: Routes): Middleware {
  return async (context) => {
    const allowed = new Set(
      router.match(context.path, context.method).path.flatMap((layer) => layer.methods),
    );
    if (allowed.size === 0) throw new ApiError('RESOURCE_NOT_FOUND', `Nothing is at ${context.path}`);
    throw new ApiError('METHOD_NOT_ALLOWED', `${context.path} does not take ${context.method}`, {
      headers: { Allow: [...allowed].join(', ') },
    });
  };
}

const timestamp = (deployment: Deployment): string => new Date(deployment.clock.now() / 1000).toISOString();
