import type { Command } from 'commander';
import {
  accountCommand,
  newPassword,
  noteCommand,
  print,
  foldersOf,
  type AccountOptions,
} from '../../accounts.js';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';

export function register(user: Command): void {
  accountCommand(
    user,
    'password',
    'Set a new password for a user, from CSIFLOW_NEW_PASSWORD or generated. Ends all sessions of the user.',
  )
    .argument('<name>')
    .addHelpText('after', '\nExample:\n  csiflow user password ada --topology topologies/ward-3.yaml')
    .action(async (name: string, options: AccountOptions) => {
      const [{ Users }, { Sessions }] = await Promise.all([
        import('../../../service/accounts/users.js'),
        import('../../../service/accounts/sessions.js'),
      ]);
      const { state, accounts } = await foldersOf(options);
      const users = new Users(accounts);
      const { password, madeUp } = await newPassword();
      if (!(await users.setPassword(name, password)))
        throw new CommandError(`there is no user ${name}`, EXIT.invalid);
      new Sessions(accounts).endOf(name);
      await noteCommand(state, 'user password', { user: name });
      const told = madeUp ? `: ${password} (shown only once)` : '';
      print(options.json, { name, ...(madeUp && { password }) }, `${name} has a new password${told}`);
    });
}
