import type { Command } from 'commander';
import { accountCommand, noteCommand, print, foldersOf, type AccountOptions } from '../../accounts.js';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';

export function register(user: Command): void {
  accountCommand(user, 'remove', "Remove a user and revoke the user's tokens.")
    .argument('<name>')
    .addHelpText('after', '\nExample:\n  csiflow user remove ada --topology topologies/ward-3.yaml')
    .action(async (name: string, options: AccountOptions) => {
      const [{ LastAdminError, Users }, { Sessions }] = await Promise.all([
        import('../../../service/accounts/users.js'),
        import('../../../service/accounts/sessions.js'),
      ]);
      const { state, accounts } = await foldersOf(options);
      try {
        if (!new Users(accounts).remove(name))
          throw new CommandError(`there is no user ${name}`, EXIT.invalid);
      } catch (error) {
        throw error instanceof LastAdminError ? new CommandError(error.message, EXIT.failed) : error;
      }
      new Sessions(accounts).endOf(name);
      await noteCommand(state, 'user remove', { user: name });
      print(options.json, { removed: name }, `${name} is removed`);
    });
}
