import type { Command } from 'commander';
import {
  accountCommand,
  noteCommand,
  print,
  requireName,
  roleOf,
  foldersOf,
  type AccountOptions,
} from '../../accounts.js';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';

interface CreateOptions extends AccountOptions {
  readonly role: string;
  readonly expires?: string;
}

export function register(key: Command): void {
  accountCommand(key, 'create', 'Create an API key for a service, sent as X-API-Key. It is shown only once.')
    .argument('<name>', 'its purpose: 1 to 64 letters, digits and _ . @ -')
    .option('--role <role>', 'viewer, operator or admin', 'viewer')
    .option('--expires <time>', 'such as 2027-01-01T00:00:00Z; default: never')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow key create grafana --role viewer --topology topologies/ward-3.yaml',
    )
    .action(async (name: string, options: CreateOptions) => {
      await requireName(name);
      const { ApiKeys } = await import('../../../service/accounts/api-keys.js');
      const { state, accounts } = await foldersOf(options);
      const keys = new ApiKeys(accounts);
      if (keys.list().some((other) => other.name === name))
        throw new CommandError(`there is already a key named ${name}`, EXIT.invalid);
      const role = await roleOf(options.role);
      const { key: secret, apiKey } = keys.create(name, role, expiry(options.expires));
      await noteCommand(state, 'key create', { key_id: apiKey.id, key_name: name, role });
      print(options.json, { ...apiKey, key: secret }, `${secret}\n(${role}; shown only once)`);
    });
}

function expiry(time: string | undefined): string | null {
  if (time === undefined) return null;
  const date = new Date(time);
  if (Number.isNaN(date.getTime()) || date.getTime() <= Date.now())
    throw new CommandError(
      `--expires ${time} must be a time in the future, such as 2027-01-01T00:00:00Z`,
      EXIT.invalid,
    );
  return date.toISOString();
}
