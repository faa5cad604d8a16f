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
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A token is renewed so long before its end. */
const EARLY_MS = 30_000;

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
    const response = await this.#fetch(await this.#signed(request));
    if (response.status !== 401 || !('password' in this.#credentials)) return response;
    await response.body?.cancel();
    this.#login = null;
    return this.#fetch(await this.#signed(again));
  };

  /** A token that is good for a while yet; null with an API key. @throws ServiceError */
  async token(): Promise<string | null> {
    if ('apiKey' in this.#credentials) return null;
    if ('token' in this.#credentials) return this.#credentials.token;
    const { username, password } = this.#credentials;
    const login = await (this.#login ??= this.#keep(this.#ask('token', { username, password })));
    if (login.expiresAt - Date.now() > EARLY_MS) return login.token;
    this.#login = this.#keep(this.#ask('refresh', { refresh_token: login.refreshToken }));
    return (await this.#login).token;
  }

  /** Whether the service refuses who calls; also where a new login would not help. Rejects where it does not answer. */
  async isRefused(): Promise<boolean> {
    try {
      const response = await this.fetch(new Request(`${this.#base}/system/status`));
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

  async #signed(request: Request): Promise<Request> {
    const token = await this.token();
    if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
    for (const [name, value] of Object.entries(this.keyHeaders)) request.headers.set(name, value);
    return request;
  }

  /** A login that failed is not kept: the next request tries again. */
  #keep(login: Promise<Login>): Promise<Login> {
    login.catch(() => {
      if (this.#login === login) this.#login = null;
    });
    return login;
  }

  async #ask(what: 'token' | 'refresh', body: object): Promise<Login> {
    const { data } = (await (await this.#post(what, body)).json()) as {
      readonly data: { access_token: string; refresh_token: string; expires_in: number };
    };
    return {
      token: data.access_token,
      refreshToken: data.refresh_token,
      expiresAt: Date.now() + data.expires_in * 1000,
    };
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
