import { requireSuccess, ServiceError } from './errors.js';

/** Credentials of the caller: name and password, a token from elsewhere, or an API key. */
export type Credentials =
  | { readonly username: string; readonly password: string }
  | { readonly token: string }
  | { readonly apiKey: string };

export type Fetch = (request: Request) => Promise<Response>;

interface Login {
  readonly token: string;
  readonly refreshToken: string;
  /** Milliseconds since 1970 at which the token is close to its end. */
  readonly renewAt: number;
}

/** A token is renewed this many seconds before its end, a shorter-lived one after half of its life. */
const EARLY_S = 30;

/**
 * Adds credentials to requests. With name and password it logs in at the first one, renews the token before
 * it expires, and logs in again if the service rejects it. Tokens are valid for both forms; they are
 * requested in Form B, because only that has refresh tokens.
 */
export class Session {
  readonly #base: string;
  readonly #credentials: Credentials;
  readonly #fetch: Fetch;
  #login: Promise<Login> | null = null;

  /** @param address of the service, without a path: `http://127.0.0.1:8000` */
  constructor(address: string, credentials: Credentials, fetch: Fetch) {
    this.#base = `${address}/form-b/api/v1`;
    this.#credentials = credentials;
    this.#fetch = fetch;
  }

  /** Sends a request with credentials. @throws ServiceError if the login rejects them */
  readonly fetch: Fetch = async (request) => {
    const again = request.clone();
    const used = await this.token();
    const response = await this.#fetch(this.#signed(request, used));
    if (response.status !== 401 || !('password' in this.#credentials)) return response;
    await response.body?.cancel();
    await this.#forget(used);
    return this.#fetch(this.#signed(again, await this.token()));
  };

  /** A token that stays valid for a while; null with an API key. @throws ServiceError */
  async token(): Promise<string | null> {
    if ('apiKey' in this.#credentials) return null;
    if ('token' in this.#credentials) return this.#credentials.token;
    const { username, password } = this.#credentials;
    const current = (this.#login ??= this.#remember(this.#ask('token', { username, password })));
    const login = await current;
    if (Date.now() < login.renewAt) return login.token;
    // Concurrent callers wait for the same renewal: each refresh token works once.
    if (this.#isHeld(current)) this.#login = this.#remember(this.#renew(login, { username, password }));
    return this.token();
  }

  /** Whether the service rejects the credentials, even after a new login. Rejects if it does not answer. */
  async isRefused(): Promise<boolean> {
    try {
      // The call with a credential that has the highest rate limit.
      const response = await this.fetch(new Request(`${this.#base}/health/detailed`));
      await response.body?.cancel();
      return response.status === 401;
    } catch (error) {
      if (error instanceof ServiceError) return error.status === 401;
      throw error;
    }
  }

  /** Headers of an API key; they also open a WebSocket, if the platform can set them. */
  get keyHeaders(): Readonly<Record<string, string>> {
    return 'apiKey' in this.#credentials ? { 'X-API-Key': this.#credentials.apiKey } : {};
  }

  /** Ends the session at the service, which revokes its tokens. */
  async end(): Promise<void> {
    const login = await this.#login;
    this.#login = null;
    if (login) await this.#post('revoke', { refresh_token: login.refreshToken });
  }

  #signed(request: Request, token: string | null): Request {
    if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
    for (const [name, value] of Object.entries(this.keyHeaders)) request.headers.set(name, value);
    return request;
  }

  /** Drops the session of a rejected token, but not a newer one. */
  async #forget(token: string | null): Promise<void> {
    const current = this.#login;
    const login = await current;
    if (login?.token === token && this.#isHeld(current)) this.#login = null;
  }

  /** The session itself may have ended in the meantime. */
  async #renew(login: Login, credentials: { username: string; password: string }): Promise<Login> {
    try {
      return await this.#ask('refresh', { refresh_token: login.refreshToken });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 401) throw error;
      return this.#ask('token', credentials);
    }
  }

  /** Whether it is still current after waiting. */
  #isHeld(login: Promise<Login> | null): boolean {
    return this.#login === login;
  }

  /** A failed login is not remembered: the next request tries again. */
  #remember(login: Promise<Login>): Promise<Login> {
    login.catch(() => {
      if (this.#isHeld(login)) this.#login = null;
    });
    return login;
  }

  async #ask(what: 'token' | 'refresh', body: object): Promise<Login> {
    const { data } = (await (await this.#post(what, body)).json()) as {
      readonly data: { access_token: string; refresh_token: string; expires_in: number };
    };
    const { access_token: token, refresh_token: refreshToken, expires_in: life } = data;
    return { token, refreshToken, renewAt: Date.now() + Math.max(life - EARLY_S, life / 2) * 1000 };
  }

  /** @throws ServiceError */
  async #post(what: string, body: object): Promise<Response> {
    const request = new Request(`${this.#base}/auth/${what}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const response = await this.#fetch(request);
    await requireSuccess(response);
    return response;
  }
}
