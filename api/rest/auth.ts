import { Type } from 'typebox';
import { ACCESS_SECONDS, type TokenPair } from '../auth/tokens.js';
import { defineEndpoint, formView } from '../contract/endpoint.js';
import { ApiError } from '../contract/errors.js';

interface Credentials {
  readonly username: string;
  readonly password: string;
}

const CredentialsSchema = Type.Object(
  {
    username: Type.String({ minLength: 1, maxLength: 256 }),
    password: Type.String({ minLength: 1, maxLength: 1024 }),
  },
  { additionalProperties: false },
);

const tokenFields = { access_token: Type.String(), token_type: Type.String(), expires_in: Type.Integer() };
const token = (pair: TokenPair) => ({
  access_token: pair.access,
  token_type: 'bearer',
  expires_in: ACCESS_SECONDS,
});

/** 4.1 */
export const authEndpoints = [
  defineEndpoint<Credentials, TokenPair>({
    method: 'POST',
    path: '/auth/token',
    summary: 'Exchanges a name and a password for an access token.',
    access: 'open',
    limit: 'authentication',
    status: 200,
    async handle({ username, password }, { deployment }) {
      const account = await deployment.users.check(username, password);
      if (!account) throw new ApiError('AUTHENTICATION_ERROR', 'The name or the password is wrong');
      return deployment.tokens.issue(account);
    },
    a: formView({
      body: CredentialsSchema,
      response: Type.Object(tokenFields, { additionalProperties: false }),
      read: ({ body }) => body,
      render: (pair) => ({ data: token(pair) }),
    }),
    b: formView({
      body: CredentialsSchema,
      response: Type.Object(
        { ...tokenFields, refresh_token: Type.String() },
        { additionalProperties: false },
      ),
      read: ({ body }) => body,
      render: (pair) => ({ data: { ...token(pair), refresh_token: pair.refresh } }),
    }),
  }),
];
