import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import type { Finding } from '../doctor/finding.js';
import { portNumber } from '../number-options.js';

interface Options {
  readonly url?: string;
  readonly user: string;
  readonly host: string;
  readonly port: number;
  readonly seconds: string;
  readonly plugin: readonly string[];
  readonly json: boolean;
}

export function register(program: Command): void {
  program
    .command('doctor')
    .argument('[topology]', 'file of a topology that is to run here; without one: the machine alone')
    .description(
      'Find what is wrong with a machine, a topology on it, or a running csiflow, and how to fix it.',
    )
    .option('--url <address>', 'examine the csiflow that runs at this address instead')
    .option('--user <name>', 'account for --url; its password is read from CSIFLOW_PASSWORD', 'admin')
    .option('--host <address>', 'address that the API is to listen on', '127.0.0.1')
    .option('--port <number>', 'port of the API', portNumber, 8000)
    .option('--seconds <n>', 'how long to watch the clock, and to listen on UDP ports', '3')
    .option('--plugin <file...>', 'modules with your own components', [])
    .option('--json', 'print the findings as JSON', false)
    .addHelpText(
      'after',
      '\nIt checks ports, kernel buffers, sockets, clocks, the rights and the disk of data folders, models and backends,' +
        '\nand who sends to the UDP ports of the topology. Exit code 1: a check has failed. Warnings do not fail.' +
        '\nExample:\n  csiflow doctor topologies/esp32-udp.yaml --seconds 10\n  csiflow doctor --url http://127.0.0.1:8000',
    )
    .action(doctor);
}

async function doctor(file: string | undefined, options: Options): Promise<void> {
  if (file !== undefined && options.url !== undefined)
    throw new CommandError('give a topology or --url, not both', EXIT.invalid);
  const findings =
    options.url === undefined
      ? await ofMachine(file, options)
      : await (await import('../doctor/service.js')).examineService({ ...options, url: options.url });
  const failed = findings.some(({ state }) => state === 'failed');
  const { findingsText } = await import('../doctor/text.js');
  process.stdout.write(
    options.json ? `${JSON.stringify({ fine: !failed, findings }, null, 2)}\n` : findingsText(findings),
  );
  if (failed) process.exitCode = EXIT.failed;
}

async function ofMachine(
  file: string | undefined,
  { host, port, seconds, plugin }: Options,
): Promise<readonly Finding[]> {
  const [{ examine }, { numberOption }, { registryWith }, { loadForCommand }] = await Promise.all([
    import('../doctor/topology.js'),
    import('../recordings/address.js'),
    import('../../plugins.js'),
    import('../topologies.js'),
  ]);
  const variables = { env: process.env, secrets: process.env['CSIFLOW_SECRETS'] };
  return examine({
    topology: file === undefined ? undefined : loadForCommand(file, variables, await registryWith(plugin)),
    api: { protocol: 'TCP', host, port, owner: 'the API' },
    seconds: numberOption('seconds', seconds, 0.1),
  });
}
