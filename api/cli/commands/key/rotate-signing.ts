import type { Command } from 'commander';
import { accountCommand, noteCommand, print, foldersOf, type AccountOptions } from '../../accounts.js';

export function register(key: Command): void {
  accountCommand(
    key,
    'rotate-signing',
    'Sign tokens with a new key from now on. Nobody is logged out: existing tokens stay valid.',
  )
    .addHelpText('after', '\nExample:\n  csiflow key rotate-signing --topology topologies/ward-3.yaml')
    .action(async (options: AccountOptions) => {
      const { Tokens } = await import('../../../service/accounts/tokens.js');
      const { state, accounts } = await foldersOf(options);
      const id = new Tokens(accounts).rotateKey();
      await noteCommand(state, 'key rotate-signing', { key_id: id });
      print(options.json, { key_id: id }, `tokens are signed with key ${id} from now on`);
    });
}
