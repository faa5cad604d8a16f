import cors from '@koa/cors';
import { randomUUID } from 'node:crypto';
import type { Middleware, Context as KoaContext } from 'koa';
import compress from 'koa-compress';
import { constants } from 'node:zlib';
import { codeOf, statusOf, errorBody } from '../../contract/errors.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import { ApiError } from '../../service/errors.js';
import type { FormFinder } from './mounts.js';
import { isAway } from '../../../pipeline/component/index.js';
import { errorText, stackText } from '../../../pipeline/base/error-text.js';
import type { Routes } from './routes.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';

/**
 * Applies from 1 kB, if the client accepts it. Low levels: an answer of 1,000 rows shrinks by nine tenths
 * with the lowest level. Already compressed content such as images is sent unchanged; so are answers with
 * tokens (see `serve`).
 */
export const compressAnswers = compress({
  threshold: 1024,
  gzip: { level: constants.Z_BEST_SPEED },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } },
});

/** Uses a valid `X-Request-Id`, otherwise generates one. */
export const identify: Middleware = (context, next) => {
  context.state.requestId = requestIdOf(context.get('X-Request-Id'));
  context.set('X-Request-Id', context.state.requestId);
  return next();
};

/** The given id if it is valid, otherwise a new one. */
export const requestIdOf = (given: string | readonly string[] | undefined): string =>
  typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();

/** Headers of every answer. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy':
    "default-src 'self'; connect-src 'self' ws: wss:; style-src 'self'; img-src 'self' data:",
  'Cache-Control': 'no-store',
} as const;

export const securityHeaders: Middleware = (context, next) => {
  setHeaders(context, SECURITY_HEADERS);
  return next();
};

/** As `context.set` with an object, without a call of it for each header. */
export function setHeaders({ res }: KoaContext, headers: Readonly<Record<string, string>>): void {
  if (res.headersSent) return;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

/** Lets pages of the given origins call, and read the required headers. */
export const crossOrigin = (origins: readonly string[]): Middleware =>
  cors({
    origin: (context) => {
      const origin = context.get('Origin');
      return origins.includes(origin) ? origin : '';
    },
    allowMethods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'X-API-Key', 'X-Request-Id', 'If-Match'],
    exposeHeaders: [
      ...['Limit', 'Remaining', 'Reset', 'Window'].map((name) => `X-RateLimit-${name}`),
      ...['X-Request-Id', 'Retry-After', 'ETag', 'Location'],
    ],
    maxAge: 600,
  });

/** Counts the calls of the service interface and the time of their answers. */
export function measureAnswers(deployment: Deployment, formOf: FormFinder): Middleware {
  return async (context, next) => {
    const begun = performance.now();
    await next();
    if (formOf(context) !== null) deployment.probe.calls.add(performance.now() - begun);
  };
}

export function answerErrors(deployment: Deployment, formOf: FormFinder): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toApiError(thrown, context, deployment);
      context.state.problem = codeOf(error);
      context.status = statusOf(error);
      context.set(error.headers);
      const { elsewhere } = error.details;
      if (elsewhere !== undefined)
        context.set('Location', `${elsewhere.replace(/\/$/, '')}${context.originalUrl}`);
      const form = formOf(context) ?? deployment.form;
      context.body = errorBody(form, error, timestamp(deployment), context.state.requestId);
    }
  };
}

function toApiError(thrown: unknown, context: KoaContext, deployment: Deployment): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isAway(thrown)) return storeAway(thrown, context, deployment);
  deployment.log.error('a handler threw an error', {
    request_id: context.state.requestId,
    path: context.path,
    reason: stackText(thrown),
  });
  return new ApiError('SYSTEM_ERROR', `Internal error; the log has details under ${context.state.requestId}`);
}

/** The store, or another dependency, does not answer now: the topology's state and its log say so too. */
function storeAway(thrown: unknown, context: KoaContext, { log }: Deployment): ApiError {
  const reason = errorText(thrown);
  const { requestId } = context.state as { readonly requestId: string };
  log.warn('a call could not be answered', { request_id: requestId, path: context.path, reason });
  return new ApiError('SYSTEM_NOT_READY', `The service cannot answer now: ${reason}`, {
    headers: { 'Retry-After': '5' },
  });
}

/** 405 with `Allow` if the path exists for another method, otherwise 404. */
export function refuse(router: Routes): Middleware {
  return async (context) => {
    const allowed = new Set(
      router.match(context.path, context.method).path.flatMap((layer) => layer.methods),
    );
    if (allowed.size === 0) throw new ApiError('RESOURCE_NOT_FOUND', `Not found: ${context.path}`);
    throw new ApiError('METHOD_NOT_ALLOWED', `${context.path} does not support ${context.method}`, {
      headers: { Allow: [...allowed].join(', ') },
    });
  };
}

let latest = { ms: NaN, text: '' };

/** The time of an answer. Calls in the same millisecond share its text. */
export function timestamp({ clock }: Deployment): string {
  const ms = Math.floor(clock.now() / 1000);
  if (ms !== latest.ms) latest = { ms, text: isoTime(ms * 1000) };
  return latest.text;
}
