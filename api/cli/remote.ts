import type { Command } from 'commander';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';

/** Options of the commands that call a running csiflow. */
export interface RemoteOptions {
  readonly url: string;
  readonly user: string;
  readonly json: boolean;
  /** For a logged-in user. */
  readonly token?: string;
}

/** The service cannot use what it was sent. */
export class RefusedInput extends CommandError {
  constructor(message: string) {
    super(message, EXIT.invalid);
  }
}

const DEFAULTS = { url: 'http://127.0.0.1:8000', user: 'admin' } as const;

export const remoteOptions = (command: Command): Command =>
  command
    .option('--url <address>', 'address of the running csiflow', DEFAULTS.url)
    .option('--user <name>', 'account; its password is read from CSIFLOW_PASSWORD', DEFAULTS.user)
    .option('--json', 'print the result as JSON', false);

/** The words that name the same csiflow and account in another command. */
export const remoteWords = (options: Pick<RemoteOptions, 'url' | 'user'>): readonly string[] =>
  (['url', 'user'] as const).flatMap((name) =>
    options[name] === DEFAULTS[name] ? [] : [`--${name}`, options[name]],
  );

/** The `data` of a Form B answer. @throws CommandError with the service's message */
export async function ask(options: RemoteOptions, path: string, body: object): Promise<unknown> {
  return (await askWhole(options, 'POST', path, body)).data;
}

/** The answer, including the fields beside its data. */
export interface Answer {
  readonly data?: unknown;
  readonly pagination?: { readonly total: number };
}

/** The same for any method. */
export async function askWhole(
  options: RemoteOptions,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answer> {
  const token = options.token ?? (await tokenOf(options));
  return call(options, method, path, body, { Authorization: `Bearer ${token}` });
}

/** Logs in once for several requests. */
export const signedIn = async <O extends RemoteOptions>(
  options: O,
): Promise<O & { readonly token: string }> => ({
  ...options,
  token: await tokenOf(options),
});

const tokenOf = async (options: RemoteOptions): Promise<string> =>
  process.env['CSIFLOW_TOKEN'] ?? (await logIn(options));

async function logIn(options: RemoteOptions): Promise<string> {
  const password = process.env['CSIFLOW_PASSWORD'];
  if (!password) {
    throw new CommandError(
      `set CSIFLOW_PASSWORD to the password of ${options.user}, or CSIFLOW_TOKEN`,
      EXIT.invalid,
    );
  }
  const { data } = await call(options, 'POST', '/auth/token', { username: options.user, password }, {});
  return (data as { access_token: string }).access_token;
}

async function call(
  options: RemoteOptions,
  method: string,
  path: string,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await reach(options.url, path, {
    method,
    headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status === 204) return {};
  const answer = (await response.json()) as Answer & { error?: { message: string } };
  if (response.ok) return answer;
  const message = answer.error?.message ?? `the service answered ${response.status}`;
  throw response.status === 422 ? new RefusedInput(message) : new CommandError(message, EXIT.failed);
}

async function reach(url: string, path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(`${url}/form-b/api/v1${path}`, request);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandError(
      `no csiflow answers at ${url}: start one with \`csiflow run\`, or set --url`,
      EXIT.unavailable,
    );
  }
}
