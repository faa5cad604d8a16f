import type { Command } from 'commander';
import {
  accountCommand,
  noteCommand,
  print,
  roleOf,
  foldersOf,
  type AccountOptions,
} from '../../accounts.js';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';

export function register(user: Command): void {
  accountCommand(user, 'role', 'Change the role of a user.')
    .argument('<name>')
    .argument('<role>', 'viewer, operator or admin')
    .addHelpText('after', '\nExample:\n  csiflow user role ada viewer --topology topologies/ward-3.yaml')
    .action(async (name: string, word: string, options: AccountOptions) => {
      const { LastAdminError, Users } = await import('../../../service/accounts/users.js');
      const role = await roleOf(word);
      const { state, accounts } = await foldersOf(options);
      try {
        if (!new Users(accounts).setRole(name, role))
          throw new CommandError(`there is no user ${name}`, EXIT.invalid);
      } catch (error) {
        throw error instanceof LastAdminError ? new CommandError(error.message, EXIT.failed) : error;
      }
      await noteCommand(state, 'user role', { user: name, role });
      print(options.json, { name, role }, `${name} is ${role}`);
    });
}
