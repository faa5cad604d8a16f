import { Type } from 'typebox';
import { ACCESS_SECONDS, type TokenPair } from '../../service/accounts/tokens.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { addressKey } from '../../service/limits/addresses.js';

const endpoint = endpointsWith<'users' | 'tokens'>();

interface Credentials {
  readonly username: string;
  readonly password: string;
}

const closed = { additionalProperties: false } as const;
const CredentialsSchema = Type.Object(
  {
    username: Type.String({ minLength: 1, maxLength: 256 }),
    password: Type.String({ minLength: 1, maxLength: 1024 }),
  },
  closed,
);

const RefreshSchema = Type.Object({ refresh_token: Type.String({ minLength: 1, maxLength: 4096 }) }, closed);

const tokenFields = { access_token: Type.String(), token_type: Type.String(), expires_in: Type.Integer() };
const PairSchema = Type.Object({ ...tokenFields, refresh_token: Type.String() }, closed);

const token = (pair: TokenPair) => ({
  access_token: pair.access,
  token_type: 'bearer',
  expires_in: ACCESS_SECONDS,
});
const renderPair = (pair: TokenPair) => ({ data: { ...token(pair), refresh_token: pair.refresh } });

/** 4.1 */
const logIn = endpoint<Credentials, TokenPair>({
  method: 'POST',
  path: '/auth/token',
  summary: 'Exchanges a name and a password for an access token.',
  access: 'open',
  limit: 'authentication',
  status: 200,
  // An unknown name may be a password typed into the wrong field.
  audit: ({ username }, { deployment }) => ({
    user: deployment.users.account(username) ? username : null,
  }),
  async handle({ username, password }, { deployment, limits, address }) {
    const from = addressKey(address);
    await limits.takePassword(username, from);
    const account = await deployment.users.check(username, password);
    if (!account) throw new ApiError('AUTHENTICATION_ERROR', 'Wrong name or password');
    await limits.returnPassword(username, from);
    return deployment.tokens.issue(account);
  },
  a: formView({
    body: CredentialsSchema,
    response: Type.Object(tokenFields, closed),
    read: ({ body }) => body,
    render: (pair) => ({ data: token(pair) }),
  }),
  b: formView({
    body: CredentialsSchema,
    response: PairSchema,
    read: ({ body }) => body,
    render: renderPair,
  }),
});

const refresh = endpoint<string, TokenPair>({
  method: 'POST',
  path: '/auth/refresh',
  summary:
    'Exchanges a refresh token, which works once, for a new pair. Using one a second time revokes the whole session.',
  access: 'open',
  limit: 'authentication',
  status: 200,
  handle(used, { deployment }) {
    const pair = deployment.tokens.refresh(used, (name) => deployment.users.account(name));
    if (!pair) throw new ApiError('AUTHENTICATION_ERROR', 'The refresh token is invalid: log in again');
    return Promise.resolve(pair);
  },
  b: formView({
    body: RefreshSchema,
    response: PairSchema,
    read: ({ body }) => body.refresh_token,
    render: renderPair,
  }),
});

const revoke = endpoint<string, null>({
  method: 'POST',
  path: '/auth/revoke',
  summary: 'Ends the session of a refresh token and revokes all its tokens.',
  access: 'open',
  limit: 'authentication',
  status: 204,
  handle(used, { deployment }) {
    deployment.tokens.revoke(used);
    return Promise.resolve(null);
  },
  b: formView({
    body: RefreshSchema,
    response: Type.Null(),
    read: ({ body }) => body.refresh_token,
    render: () => ({ data: null }),
  }),
});

const rotate = endpoint<null, string>({
  method: 'POST',
  path: '/auth/signing-keys/rotate',
  summary: 'Signs tokens with a new key from now on. Nobody is logged out: existing tokens stay valid.',
  access: 'admin',
  limit: 'configuration',
  status: 201,
  handle(_, { deployment }) {
    return Promise.resolve(deployment.tokens.rotateKey());
  },
  b: formView({
    response: Type.Object({ key_id: Type.String() }, closed),
    read: () => null,
    render: (id) => ({ data: { key_id: id } }),
  }),
});

export const authEndpoints = [logIn, refresh, revoke, rotate];
