import type { Middleware } from 'koa';
import { viewOf, type AnyEndpoint, type FullCall } from '../../contract/endpoint.js';
import { successText } from '../../contract/form.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import { ApiError } from '../../service/errors.js';
import type { Form } from '../../service/form.js';
import type { Limits } from '../../service/limits/limits.js';
import { requireRole } from './access.js';
import { timestamp } from './answers.js';
import { CallEnd } from './call-end.js';
import { readJson } from '../requests/bodies.js';
import { parseJson } from '../requests/json.js';
import { checkQuery, checkBody } from '../requests/requests.js';

/** Largest body, bytes; for calls without a credential. */
const [BODY_LIMIT, OPEN_BODY_LIMIT] = [1024 * 1024, 64 * 1024];
/** What Koa makes of `json` anew for each answer. */
const JSON_TYPE = 'application/json; charset=utf-8';
/** Values in a body. */
export const BODY_VALUES = 10_000;

/** @throws ApiError 401 without an account, 403 for one with too few rights. */
export const allow =
  ({ access }: AnyEndpoint): Middleware =>
  (context, next) => {
    requireRole(access, context.state.account);
    return next();
  };

/** A call answered with 504 counts as active until its end. @throws ApiError 503 while too many calls are active. */
export function limitCallsAtWork(most: number): Middleware {
  let atWork = 0;
  const leave = (): void => {
    atWork--;
  };
  return async (context, next) => {
    if (atWork >= most)
      throw new ApiError('SYSTEM_NOT_READY', 'Too many concurrent calls: try again in a moment', {
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

/** A body of another type would be ignored, and its fields reported as missing. @throws ApiError 400 */
export const onlyJson: Middleware = (context, next) => {
  const hasBody = Number(context.get('Content-Length')) > 0 || context.get('Transfer-Encoding') !== '';
  if (hasBody && !context.is('json'))
    throw new ApiError('BAD_REQUEST', 'Send the body as JSON, with Content-Type: application/json');
  return next();
};

/** Bytes that a body of an endpoint may have. */
export const bodyLimit = ({ access, largest }: AnyEndpoint): number =>
  access === 'open' ? OPEN_BODY_LIMIT : (largest?.bytes ?? BODY_LIMIT);

export function readBody(endpoint: AnyEndpoint): readonly Middleware[] {
  if (endpoint.method === 'GET') return [];
  const { largest, readBody: parseElsewhere } = endpoint;
  const options = { values: largest?.values ?? BODY_VALUES, shown: !holdsSecrets(endpoint) };
  return readJson(bodyLimit(endpoint), parseElsewhere ?? ((text) => parseJson(text, options)));
}

export interface Serving {
  readonly deployment: Deployment;
  readonly limits: Limits;
  readonly answerMs: number;
}

export function serve(
  endpoint: AnyEndpoint,
  mounted: Form,
  { deployment, limits, answerMs }: Serving,
): Middleware {
  const { form, view } = viewOf(endpoint, mounted);
  return async (context) => {
    const { account, requestId } = context.state;
    // The length of a compressed answer would reveal how much of the input matches a secret beside it
    // (BREACH).
    if (holdsSecrets(endpoint)) context.compress = false;
    const path = checkQuery(view.path, context['params'] as Record<string, unknown>);
    const query = checkQuery(view.query, context.query);
    const sent: unknown = context.request.body;
    const checked = endpoint.readBody !== undefined && sent !== undefined;
    const body = checked ? sent : checkBody(view.body, sent, !holdsSecrets(endpoint));
    const end = new CallEnd(context.res);
    const call: FullCall = {
      ...{ deployment, limits, account, requestId },
      address: context.ip,
      ifMatch: context.get('If-Match') || null,
      get signal() {
        return end.signal;
      },
    };
    const input = view.read({ path: path as never, query: query as never, body: body as never });
    if (endpoint.audit) context.state.audit = endpoint.audit(input as never, call);
    const handled = endpoint.handle(input as never, call);
    context.state.work = handled;
    // A call that changes something cannot be interrupted, so its end is awaited.
    const result = await (isReading(endpoint) ? inTime(handled, answerMs, end) : handled);
    context.status = endpoint.status;
    if (endpoint.status === 204) return;
    const rendered = view.render(result as never, call);
    if (rendered.headers) context.set({ ...rendered.headers });
    if (endpoint.document) {
      context.set(endpoint.document.headers);
      context.type = endpoint.document.type;
      context.body = rendered.data;
      return;
    }
    context.set('Content-Type', JSON_TYPE);
    context.body = successText(form, rendered, endpoint.bare ?? false, timestamp(deployment), requestId);
  };
}

/** Queries with a body change nothing either. */
const isReading = ({ method, audit }: AnyEndpoint): boolean => method === 'GET' || audit === false;

/** @throws ApiError 504 if it takes longer; its queries of stores are then cancelled. */
function inTime<T>(work: Promise<T>, limitMs: number, end: CallEnd): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new ApiError(
        'TIMEOUT',
        `No answer within ${limitMs / 1000} seconds: request less data at a time`,
      );
      reject(error);
      end.end(error);
    }, limitMs);
    const clear = (): void => {
      clearTimeout(timer);
    };
    work.then(resolve, reject);
    work.then(clear, clear);
  });
}

/** Bodies of these contain passwords, tokens and keys. */
const holdsSecrets = ({ path }: AnyEndpoint): boolean => /^\/(auth|users|webhooks)\b/.test(path);
