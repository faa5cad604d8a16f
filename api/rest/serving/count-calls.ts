import type { Middleware, Context as KoaContext } from 'koa';
import type { AnyEndpoint } from '../../contract/endpoint.js';
import type { Form } from '../../service/form.js';
import { addressKey } from '../../service/limits/addresses.js';
import type { Limits } from '../../service/limits/limits.js';
import { setHeaders } from './answers.js';
import type { EndpointFinder, FormFinder } from './mounts.js';

/**
 * Counts one call against the caller's limit, whatever its outcome. Calls that fail for everybody (unknown
 * path, no credential) do not count: a probe of them would otherwise lock out everybody at its address.
 * @throws ApiError 429
 */
export function countCalls(
  endpointOf: EndpointFinder,
  formOf: FormFinder,
  limits: Limits,
  configured: Form,
): Middleware {
  return async (context, next) => {
    const endpoint = endpointOf(context);
    const caller = endpoint ? callerOf(endpoint, context) : null;
    if (endpoint && caller !== null)
      setHeaders(context, await limits.take(formOf(context) ?? configured, endpoint.limit, caller));
    else if (endpoint && context.state.guessed)
      context.set(await limits.takeWrongCredential(addressKey(context.ip)));
    await next();
  };
}

/**
 * The key by which calls are counted; null for a call that needs an account and has none. A user can have the
 * name of an address.
 */
function callerOf({ access }: AnyEndpoint, context: KoaContext): string | null {
  if (access === 'open') return addressKey(context.ip);
  const { account } = context.state;
  return account && `account ${account.name}`;
}

/** All answers have the `X-RateLimit-*` headers: uncounted calls show the remaining number. */
export function showLimits(
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
