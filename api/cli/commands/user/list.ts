import type { Command } from 'commander';
import { accountCommand, print, foldersOf, type AccountOptions } from '../../accounts.js';

export function register(user: Command): void {
  accountCommand(user, 'list', 'List the users and their roles.')
    .addHelpText('after', '\nExample:\n  csiflow user list --topology topologies/ward-3.yaml --json')
    .action(async (options: AccountOptions) => {
      const { Users } = await import('../../../service/accounts/users.js');
      const users = new Users((await foldersOf(options)).accounts).list();
      const width = Math.max(0, ...users.map(({ name }) => name.length));
      print(
        options.json,
        users,
        users.map(({ name, role }) => `${name.padEnd(width)}  ${role}`).join('\n') ||
          'no users yet: the first start creates an admin',
      );
    });
}
