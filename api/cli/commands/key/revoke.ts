import type { Command } from 'commander';
import { accountCommand, noteCommand, print, foldersOf, type AccountOptions } from '../../accounts.js';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';

export function register(key: Command): void {
  accountCommand(key, 'revoke', 'Remove an API key.')
    .argument('<id>', 'from the output of `csiflow key list`')
    .addHelpText('after', '\nExample:\n  csiflow key revoke grafana --topology topologies/ward-3.yaml')
    .action(async (id: string, options: AccountOptions) => {
      const { ApiKeys } = await import('../../../service/accounts/api-keys.js');
      const { state, accounts } = await foldersOf(options);
      if (!new ApiKeys(accounts).remove(id))
        throw new CommandError(`there is no API key ${id}: run csiflow key list`, EXIT.invalid);
      await noteCommand(state, 'key revoke', { key_id: id });
      print(options.json, { removed: id }, `${id} is removed`);
    });
}
