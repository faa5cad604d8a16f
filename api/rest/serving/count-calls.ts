import type { Middleware, Context as KoaContext } from 'koa';
import type { AnyEndpoint } from '../../contract/endpoint.js';
import type { Form } from '../../service/form.js';
import { addressKey } from '../../service/limits/addresses.js';
import type { Limits } from '../../service/limits/limits.js';
import type { EndpointFinder, FormFinder } from './mounts.js';

/**
 * Takes one call of the caller's limit, whatever becomes of the call. What is refused to everybody (nothing is there,
 * no credential) takes none: a probe that asks for it would else lock out all who come from its address.
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
