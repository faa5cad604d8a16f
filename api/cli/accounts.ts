import type { Command } from 'commander';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';

export interface AccountOptions {
  readonly topology: string;
  readonly plugin: readonly string[];
  readonly json: boolean;
}

/** A command on a topology's users and keys. It works while the topology runs: csiflow reads them again. */
export const accountCommand = (parent: Command, name: string, description: string): Command =>
  parent
    .command(name)
    .description(description)
    .requiredOption('--topology <file>', 'topology whose users and keys to manage')
    .option('--plugin <file...>', 'modules with your own components that the topology names', [])
    .option('--json', 'print the result as JSON', false);

export interface AccountFolders {
  /** Folder of the audit log. */
  readonly state: string;
  readonly accounts: string;
}

/** The folders of a topology. */
export async function foldersOf({ topology: file, plugin }: AccountOptions): Promise<AccountFolders> {
  const [{ loadForCommand }, { registryWith }] = await Promise.all([
    import('./topologies.js'),
    import('../plugins.js'),
  ]);
  const variables = { env: process.env, secrets: process.env['CSIFLOW_SECRETS'] };
  const { stateFolder, accountsFolder } = loadForCommand(
    file,
    variables,
    await registryWith(plugin),
  ).settings;
  return { state: stateFolder, accounts: accountsFolder ?? stateFolder };
}

/** @throws CommandError */
export async function requireName(name: string): Promise<void> {
  const { NAME_PATTERN } = await import('../service/accounts/roles.js');
  if (new RegExp(NAME_PATTERN).test(name)) return;
  throw new CommandError(`invalid name \`${name}\`: use 1 to 64 letters, digits and _ . @ -`, EXIT.invalid);
}

/** @throws CommandError */
export async function roleOf(word: string): Promise<import('../service/accounts/roles.js').Role> {
  const { ROLES } = await import('../service/accounts/roles.js');
  const role = ROLES.find((known) => known === word);
  if (role) return role;
  throw new CommandError(`unknown role ${word}: choose one of ${ROLES.join(', ')}`, EXIT.invalid);
}

/** A password from CSIFLOW_NEW_PASSWORD, which keeps it out of the process list; otherwise generated and printed. */
export async function newPassword(): Promise<{ readonly password: string; readonly madeUp: boolean }> {
  const given = process.env['CSIFLOW_NEW_PASSWORD'];
  if (given === undefined || given === '')
    return { password: (await import('../service/accounts/users.js')).randomPassword(), madeUp: true };
  if (given.length < 8)
    throw new CommandError('CSIFLOW_NEW_PASSWORD has fewer than 8 characters', EXIT.invalid);
  return { password: given, madeUp: false };
}

/** Records in the audit log what a command changed in a state folder. */
export async function noteCommand(
  stateFolder: string,
  action: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const [{ AuditLog }, { userInfo }] = await Promise.all([
    import('../service/audit/audit-log.js'),
    import('node:os'),
  ]);
  const silent = () => undefined;
  const error = (message: string) => process.stderr.write(`csiflow: ${message}\n`);
  const audit = new AuditLog(stateFolder, { debug: silent, info: silent, warn: silent, error });
  await audit.note({
    time: new Date().toISOString(),
    account: null,
    role: null,
    address: 'command line',
    request_id: null,
    action: `csiflow ${action}`,
    details: { system_user: userInfo().username, ...details },
    outcome: 'done',
    status: 0,
    code: null,
    repeated: 0,
  });
  await audit.close();
}

export function print(json: boolean, result: unknown, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : `${text}\n`);
}
