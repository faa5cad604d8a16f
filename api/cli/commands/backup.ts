import type { Command } from 'commander';
import { remoteOptions, type RemoteOptions } from '../remote.js';

interface BackupOptions extends RemoteOptions {
  readonly to?: string;
  readonly plugin: readonly string[];
}

interface Made {
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
}

export function register(program: Command): void {
  remoteOptions(
    program
      .command('backup')
      .argument('<topology>', 'file of the topology')
      .description(
        'Copy the state, stores, users and keys of a topology to a new folder, complete and consistent. If the topology runs, its csiflow makes the copy.',
      )
      .option('--to <folder>', 'move the copy there; default: `backups` in the state folder')
      .option('--plugin <file...>', 'modules with your own components', []),
  )
    .addHelpText('after', '\nExample:\n  csiflow backup topologies/ward-3.yaml --to /mnt/backups')
    .action(async (file: string, options: BackupOptions) => {
      const made = await moved(await backUp(file, options), options.to);
      const size = (made.bytes / 2 ** 20).toFixed(1);
      process.stdout.write(
        options.json ? `${JSON.stringify(made)}\n` : `${made.files} files, ${size} MiB, in ${made.folder}\n`,
      );
    });
}

/** Done by this process if the topology is stopped, otherwise by the process that runs it. */
async function backUp(file: string, options: BackupOptions): Promise<Made> {
  const [{ loadForCommand }, { registryWith }, { createRunner }, { createLogger }, { makeBackup }] =
    await Promise.all([
      import('../topologies.js'),
      import('../../plugins.js'),
      import('../../../pipeline/runtime/runner.js'),
      import('../../../pipeline/telemetry/log.js'),
      import('../../service/backup/make-backup.js'),
    ]);
  const variables = { env: process.env, secrets: process.env['CSIFLOW_SECRETS'] };
  const topology = loadForCommand(file, variables, await registryWith(options.plugin));
  try {
    return await makeBackup(createRunner(topology, { log: createLogger({ level: 'warn' }) }));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'state.locked')) throw error;
    const { ask } = await import('../remote.js');
    return (await ask(options, `/topologies/${topology.id}/backups`, {})) as Made;
  }
}

/** Moves the copy into the folder under its own name, atomically. */
async function moved(made: Made, to: string | undefined): Promise<Made> {
  if (to === undefined) return made;
  const [files, path] = await Promise.all([import('node:fs/promises'), import('node:path')]);
  const folder = path.join(to, path.basename(made.folder));
  await files.mkdir(to, { recursive: true });
  await files.cp(made.folder, `${folder}.part`, { recursive: true, errorOnExist: true, force: false });
  await files.rename(`${folder}.part`, folder);
  await files.rm(made.folder, { recursive: true });
  return { ...made, folder };
}
