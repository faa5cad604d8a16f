/** `csiflow/client`: the service interface as typed calls, in Node.js and in browsers. See docs/client.md. */
import createRest, { type Client } from 'openapi-fetch';
import { requireSuccess } from './errors.js';
import { Live } from './subscriptions.js';
import type { LiveOptions, SocketClass } from './subscription-types.js';
import { Session, type Credentials, type Fetch } from './session.js';
import type { paths as FormA } from './types/form-a.js';
import type { paths as FormB } from './types/form-b.js';

export { CREDENTIAL_ENDED } from './close-codes.js';
export type { Credentials } from './session.js';
export { ServiceError, SubscriptionError } from './errors.js';
export { Live } from './subscriptions.js';
export {
  type AlertFilters,
  type LiveOptions,
  type LiveState,
  type LiveSubscription,
  type PoseFilters,
  type PoseUpdate,
  type ServerMessages,
  type Socket,
  type SocketClass,
} from './subscription-types.js';
export type { FormA, FormB };

interface Forms {
  readonly a: FormA;
  readonly b: FormB;
}

export interface ClientOptions<F extends keyof Forms> {
  /** URL of the service, without a path: `http://127.0.0.1:8000`. */
  readonly address: string;
  /** Shape of the answers: `a` bare, `b` in an envelope. */
  readonly form: F;
  readonly credentials: Credentials;
  /** Default: that of the platform. */
  readonly fetch?: Fetch;
  /** Default: that of the platform; Node.js 20 has none: pass the one of `ws`. */
  readonly WebSocket?: SocketClass;
}

/** Typed calls of one form. `rest.GET('/pose/latest')` resolves to `{ data, response }`. */
export interface CsiflowClient<F extends keyof Forms> {
  /** Calls reject with a {@link ServiceError} if the service answers with an error. */
  readonly rest: Client<Forms[F]>;
  /** A connection to `/ws/pose` that reconnects when it breaks. */
  live: (options?: Partial<LiveOptions>) => Live<F>;
  /** An access token that stays valid for a while; null with an API key. Rejects with a {@link ServiceError}. */
  token: () => Promise<string | null>;
  /** Ends the session, if it is one by password. */
  logOut: () => Promise<void>;
}

/** A client of a csiflow service. It does not connect yet. */
export function createClient<F extends keyof Forms>(options: ClientOptions<F>): CsiflowClient<F> {
  const address = options.address.replace(/\/+$/, '');
  const base = `${address}/form-${options.form}/api/v1`;
  const session = new Session(address, options.credentials, options.fetch ?? ((request) => fetch(request)));
  const rest = createRest<Forms[F]>({
    baseUrl: base,
    fetch: session.fetch,
  });
  rest.use({
    onResponse: ({ response }) => requireSuccess(response),
  });
  return {
    rest,
    live: (live = {}) =>
      new Live(base, session, { ...(options.WebSocket && { WebSocket: options.WebSocket }), ...live }),
    token: () => session.token(),
    logOut: () => session.end(),
  };
}
