import type { Command } from 'commander';
import { accountCommand, print, foldersOf, type AccountOptions } from '../../accounts.js';

export function register(key: Command): void {
  accountCommand(key, 'list', 'List the API keys; the keys themselves are not stored.')
    .addHelpText('after', '\nExample:\n  csiflow key list --topology topologies/ward-3.yaml --json')
    .action(async (options: AccountOptions) => {
      const { ApiKeys } = await import('../../../service/accounts/api-keys.js');
      const keys = new ApiKeys((await foldersOf(options)).accounts).list();
      const lines = keys.map(
        ({ id, name, role, expires_at }) =>
          `${id}  ${role.padEnd(8)}  ${expires_at ?? 'does not expire'}  ${name}`,
      );
      print(options.json, keys, lines.join('\n') || 'no API keys');
    });
}
