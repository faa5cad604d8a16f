import { requireSuccess, ServiceError } from './errors.js';

/** Who calls: by name and password, with a token made elsewhere, or with a key for services. */
export type Credentials =
  | { readonly username: string; readonly password: string }
  | { readonly token: string }
  | { readonly apiKey: string };

export type Fetch = (request: Request) => Promise<Response>;

interface Login {
  readonly token: string;
  readonly refreshToken: string;
  /** Milliseconds since 1970: then the token has little time left. */
  readonly renewAt: number;
}

/** A token is renewed so many seconds before its end, one that does not live so long after half of its life. */
const EARLY_S = 30;

/**
 * Puts credentials on requests. With name and password it logs in at the first one, renews the token before it
 * ends, and logs in once more where the service refuses it. Tokens are good for both forms; they are asked for
 * in Form B, which alone has refresh tokens.
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

  /** Sends a request with credentials. @throws ServiceError where they are refused at the login */
  readonly fetch: Fetch = async (request) => {
    const again = request.clone();
    const used = await this.token();
    const response = await this.#fetch(this.#signed(request, used));
    if (response.status !== 401 || !('password' in this.#credentials)) return response;
    await response.body?.cancel();
    await this.#forget(used);
    return this.#fetch(this.#signed(again, await this.token()));
  };

  /** A token that is good for a while yet; null with an API key. @throws ServiceError */
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

  /** Whether the service refuses who calls; also where a new login would not help. Rejects where it does not answer. */
  async isRefused(): Promise<boolean> {
    try {
      // Of the calls with a credential it is the one that may be made most often.
      const response = await this.fetch(new Request(`${this.#base}/health/detailed`));
      await response.body?.cancel();
      return response.status === 401;
    } catch (error) {
      if (error instanceof ServiceError) return error.status === 401;
      throw error;
    }
  }

  /** Headers of a key for services; they open a WebSocket too, where the platform lets them be set. */
  get keyHeaders(): Readonly<Record<string, string>> {
    return 'apiKey' in this.#credentials ? { 'X-API-Key': this.#credentials.apiKey } : {};
  }

  /** Ends the login with the service: its tokens are good no more. */
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

  /** Gives the login up that a refused token came from; not one that was made meanwhile. */
  async #forget(token: string | null): Promise<void> {
    const current = this.#login;
    const login = await current;
    if (login?.token === token && this.#isHeld(current)) this.#login = null;
  }

  /** The login itself may have ended meanwhile. */
  async #renew(login: Login, credentials: { username: string; password: string }): Promise<Login> {
    try {
      return await this.#ask('refresh', { refresh_token: login.refreshToken });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 401) throw error;
      return this.#ask('token', credentials);
    }
  }

  /** Whether no other has taken its place while it was waited for. */
  #isHeld(login: Promise<Login> | null): boolean {
    return this.#login === login;
  }

  /** A login that failed is not remembered: the next request tries again. */
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
