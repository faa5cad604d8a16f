import { Type } from 'typebox';
import type { ApiKey } from '../../service/accounts/api-keys.js';
import { NAME_PATTERN, ROLES, type Account, type Role } from '../../service/accounts/roles.js';
import { LastAdminError, randomPassword } from '../../service/accounts/users.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { pageOf, PageQuery, pagination, type PageOf } from '../../contract/pages.js';

const endpoint = endpointsWith<'users' | 'apiKeys' | 'tokens'>();

const closed = { additionalProperties: false } as const;
const RoleSchema = Type.Enum([...ROLES]);
const Name = Type.String({
  pattern: NAME_PATTERN,
  'x-expected': 'must be 1 to 64 letters, digits and _ . @ -',
  description: '1 to 64 letters, digits and _ . @ -',
});
const Password = Type.String({ minLength: 8, maxLength: 1024 });
const Nullable = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

const UserSchema = Type.Object({ name: Type.String(), role: RoleSchema }, closed);
const keyFields = {
  id: Type.String(),
  name: Type.String(),
  role: RoleSchema,
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Nullable,
};
const KeySchema = Type.Object(keyFields, closed);

/** Both lists are short, and only an admin reads them. */
interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly asked: PageOf;
}
const page = <T>(all: readonly T[], asked: PageOf): Promise<Page<T>> =>
  Promise.resolve({ items: pageOf(all, asked), total: all.length, asked });
const renderPage = <T>({ items, total, asked }: Page<T>) => ({
  data: items,
  pagination: pagination(asked, total),
});

const users = '/auth/users';
const keys = '/auth/api-keys';
const administrative = { access: 'admin', limit: 'configuration' } as const;

const listUsers = endpoint<PageOf, Page<Account>>({
  method: 'GET',
  path: users,
  summary: 'The users who may log in.',
  access: 'admin',
  limit: 'health',
  status: 200,
  handle: (asked, { deployment }) => page(deployment.users.list(), asked),
  b: formView({
    query: PageQuery,
    response: Type.Array(UserSchema),
    read: ({ query }) => query,
    render: renderPage,
  }),
});

interface NewUser {
  readonly name: string;
  readonly role: Role;
  readonly password: string;
}

const addUser = endpoint<Omit<NewUser, 'password'> & { password?: string }, NewUser>({
  method: 'POST',
  path: users,
  summary: 'Creates a user. Without a password, one is generated and shown only in this answer.',
  ...administrative,
  status: 201,
  audit: ({ name, role }) => ({ user: name, role }),
  async handle({ name, role, password = randomPassword() }, call) {
    if (!(await call.deployment.users.add(name, role, password)))
      throw new ApiError('RESOURCE_CONFLICT', `There is already a user ${name}`);
    return { name, role, password };
  },
  b: formView({
    body: Type.Object({ name: Name, role: RoleSchema, password: Type.Optional(Password) }, closed),
    response: Type.Object({ name: Type.String(), role: RoleSchema, password: Type.String() }, closed),
    read: ({ body }) => body,
    render: (user) => ({ data: user }),
  }),
});

interface UserChange {
  readonly name: string;
  readonly role?: Role;
  readonly password?: string;
}

const changeUser = endpoint<UserChange, Account>({
  method: 'PUT',
  path: `${users}/:name`,
  summary: 'Changes the role or the password of a user. A new password ends all sessions of that user.',
  ...administrative,
  status: 200,
  audit: ({ role, password }) => ({ role, new_password: password !== undefined }),
  async handle({ name, role, password }, call) {
    const { users, tokens } = call.deployment;
    try {
      if (role !== undefined && !users.setRole(name, role)) unknown('user', name);
    } catch (error) {
      throw refused(error);
    }
    if (password !== undefined) {
      if (!(await users.setPassword(name, password))) unknown('user', name);
      tokens.revokeUser(name);
    }
    const changed = users.account(name) ?? unknown('user', name);
    return changed;
  },
  b: formView({
    path: Type.Object({ name: Type.String() }),
    body: Type.Object({ role: Type.Optional(RoleSchema), password: Type.Optional(Password) }, closed),
    response: UserSchema,
    read: ({ path, body }) => ({ name: path.name, ...body }),
    render: (user) => ({ data: user }),
  }),
});

const removeUser = endpoint<string, null>({
  method: 'DELETE',
  path: `${users}/:name`,
  summary: "Removes a user and revokes the user's tokens.",
  ...administrative,
  status: 204,
  handle(name, call) {
    try {
      if (!call.deployment.users.remove(name)) unknown('user', name);
    } catch (error) {
      throw refused(error);
    }
    call.deployment.tokens.revokeUser(name);
    return Promise.resolve(null);
  },
  b: formView({
    path: Type.Object({ name: Type.String() }),
    response: Type.Null(),
    read: ({ path }) => path.name,
    render: () => ({ data: null }),
  }),
});

const listKeys = endpoint<PageOf, Page<ApiKey>>({
  method: 'GET',
  path: keys,
  summary: 'The API keys, without their secrets.',
  access: 'admin',
  limit: 'health',
  status: 200,
  handle: (asked, { deployment }) => page(deployment.apiKeys.list(), asked),
  b: formView({
    query: PageQuery,
    response: Type.Array(KeySchema),
    read: ({ query }) => query,
    render: renderPage,
  }),
});

interface NewKey {
  readonly name: string;
  readonly role: Role;
  readonly expires_at?: string | null;
}

const addKey = endpoint<NewKey, ApiKey & { readonly key: string }>({
  method: 'POST',
  path: keys,
  summary: 'Creates an API key; the key itself is shown only in this answer.',
  ...administrative,
  status: 201,
  audit: ({ name, role, expires_at }) => ({ key_name: name, role, expires_at }),
  handle({ name, role, expires_at = null }, call) {
    if (call.deployment.apiKeys.list().some((key) => key.name === name))
      throw new ApiError('RESOURCE_CONFLICT', `There is already a key named ${name}`);
    const { key, apiKey } = call.deployment.apiKeys.create(name, role, timeToCome(expires_at));
    return Promise.resolve({ ...apiKey, key });
  },
  b: formView({
    body: Type.Object({ name: Name, role: RoleSchema, expires_at: Type.Optional(Nullable) }, closed),
    response: Type.Object({ ...keyFields, key: Type.String() }, closed),
    read: ({ body }) => body,
    render: (key) => ({ data: key }),
  }),
});

const removeKey = endpoint<string, null>({
  method: 'DELETE',
  path: `${keys}/:id`,
  summary: 'Removes an API key.',
  ...administrative,
  status: 204,
  handle(id, call) {
    if (!call.deployment.apiKeys.remove(id)) unknown('API key', id);
    return Promise.resolve(null);
  },
  b: formView({
    path: Type.Object({ id: Type.String() }),
    response: Type.Null(),
    read: ({ path }) => path.id,
    render: () => ({ data: null }),
  }),
});

/** Users and API keys of a deployment. */
export const accountEndpoints = [listUsers, addUser, changeUser, removeUser, listKeys, addKey, removeKey];

function unknown(what: string, name: string): never {
  throw new ApiError('RESOURCE_NOT_FOUND', `There is no ${what} ${name}`);
}

/** The stored form. @throws ApiError 422 for a time in the past: the key would never be valid. */
function timeToCome(time: string | null): string | null {
  if (time === null) return null;
  const date = new Date(time);
  if (date.getTime() > Date.now()) return date.toISOString();
  const message = 'must be in the future, or null for a key that does not expire';
  throw new ApiError('VALIDATION_ERROR', `expires_at: ${message}`, {
    details: { fields: [{ field: 'expires_at', message, received: time }] },
  });
}

const refused = (error: unknown): unknown =>
  error instanceof LastAdminError ? new ApiError('RESOURCE_CONFLICT', error.message) : error;
