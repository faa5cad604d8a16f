import type { Context as KoaContext, Middleware } from 'koa';
import type { AnyEndpoint } from '../../contract/endpoint.js';
import type { AuditEntry, AuditLog } from '../../service/audit/audit-log.js';

const MAX_TEXT = 256;

/** Whether calls of an endpoint are recorded: all that may change something, except those that declare otherwise. */
export const isAudited = ({ method, audit }: AnyEndpoint): boolean =>
  audit !== false && (method !== 'GET' || audit !== undefined);

/**
 * Records each call of an audited endpoint, including those refused before a handler runs. It wraps all
 * routes, so that a new route cannot escape it.
 */
export const recordActions =
  (audit: AuditLog, endpointOf: (context: KoaContext) => AnyEndpoint | undefined): Middleware =>
  async (context, next) => {
    await next();
    const endpoint = endpointOf(context);
    if (endpoint && isAudited(endpoint)) await audit.note(entryOf(context, endpoint));
  };

function entryOf(context: KoaContext, { method, path }: AnyEndpoint): AuditEntry {
  const { account, requestId, problem, audit } = context.state;
  return {
    time: new Date().toISOString(),
    account: account?.name ?? null,
    role: account?.role ?? null,
    address: context.ip,
    request_id: requestId,
    action: `${method} ${path}`,
    details: bounded({ ...parametersOf(context), ...audit }),
    outcome: context.status < 400 ? 'done' : context.status < 500 ? 'refused' : 'failed',
    status: context.status,
    code: problem ?? null,
    repeated: 0,
  };
}

/** Names in the path. If nothing has that name, it may be a secret sent to the wrong place. */
const parametersOf = (context: KoaContext): Readonly<Record<string, unknown>> =>
  context.status < 400 || context.status === 409
    ? ((context['params'] as Record<string, unknown> | undefined) ?? {})
    : {};

const bounded = (details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(details)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, short(value)]),
  );

function short(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : value;
}
