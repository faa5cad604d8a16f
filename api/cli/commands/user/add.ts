import type { Command } from 'commander';
import {
  accountCommand,
  newPassword,
  noteCommand,
  print,
  requireName,
  roleOf,
  foldersOf,
  type AccountOptions,
} from '../../accounts.js';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';

interface AddOptions extends AccountOptions {
  readonly role: string;
}

export function register(user: Command): void {
  accountCommand(
    user,
    'add',
    'Create a user. The password is read from CSIFLOW_NEW_PASSWORD, or generated and printed.',
  )
    .argument('<name>', '1 to 64 letters, digits and _ . @ -')
    .option('--role <role>', 'viewer, operator or admin', 'viewer')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow user add ada --role operator --topology topologies/ward-3.yaml',
    )
    .action(async (name: string, options: AddOptions) => {
      await requireName(name);
      const { LastAdminError, Users } = await import('../../../service/accounts/users.js');
      const { state, accounts } = await foldersOf(options);
      const users = new Users(accounts);
      const role = await roleOf(options.role);
      const { password, madeUp } = await newPassword();
      const added = await users.add(name, role, password).catch((error: unknown) => {
        throw error instanceof LastAdminError
          ? new CommandError(`${error.message}: csiflow user add NAME --role admin`, EXIT.failed)
          : error;
      });
      if (!added)
        throw new CommandError(
          `user ${name} already exists: change it with csiflow user password or user role`,
          EXIT.invalid,
        );
      await noteCommand(state, 'user add', { user: name, role });
      const told = madeUp ? `; password ${password} (shown only once)` : '';
      print(options.json, { name, role, ...(madeUp && { password }) }, `${name} is ${role}${told}`);
    });
}
