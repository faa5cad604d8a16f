import { Option, type Command } from 'commander';
import type { Spread } from '../../../../bench/shared/spread.js';
import type { PeersOptions, PeerSpeed } from '../../../../bench/speed/system/peers.js';
import { subcarrierCount, wholeNumber, wholeNumbers } from '../../number-options.js';

interface Options extends Omit<PeersOptions, 'peers' | 'progress'> {
  readonly json: boolean;
}

const rates = wholeNumbers(1, 1_000_000, '1000,5000');

export function register(bench: Command): void {
  bench
    .command('peers')
    .description('Drive other programs and csiflow by the same datagrams, in turn.')
    .argument('<adapter...>', 'YAML files: name, command, port, counter')
    .option('--rates <list>', 'datagrams per second', rates, [2_000, 10_000])
    .option('--links <number>', 'links of one room that send', wholeNumber(1, 4), 1)
    .option('--subcarriers <number>', 'subcarriers of a frame: 64 or 128', subcarrierCount, 64)
    .option('--rounds <number>', 'rounds; all programs are restarted in each', wholeNumber(1, 100), 3)
    .option(
      '--seconds <number>',
      'length of each measurement, after three of warm-up',
      wholeNumber(1, 600),
      5,
    )
    .addOption(
      new Option('--chain <name>', "csiflow's operators; motion: only cleaning, motion and store")
        .choices(['demo', 'poses', 'motion'])
        .default('poses'),
    )
    .option('--json', 'print the results as JSON', false)
    .addHelpText('after', '\nExample:\n  csiflow bench peers other-server.yaml --rates 1000,5000,20000')
    .action(run);
}

async function run(files: readonly string[], { json, ...options }: Options): Promise<void> {
  const [{ peerSpeeds }, { readAdapter }, { machine, machineText }] = await Promise.all([
    import('../../../../bench/speed/system/peers.js'),
    import('../../../../bench/speed/system/adapter.js'),
    import('../../../../bench/machine.js'),
  ]);
  const peers = await Promise.all(files.map(readAdapter));
  const on = machine();
  const speeds = await peerSpeeds({
    ...options,
    peers,
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  if (json) process.stdout.write(`${JSON.stringify({ machine: on, ...options, speeds }, null, 2)}\n`);
  else process.stdout.write(`${machineText(on)}; ${options.rounds} rounds\n\n${table(speeds).join('\n')}\n`);
}

/** As Markdown. */
const table = (speeds: readonly PeerSpeed[]): readonly string[] => [
  '| program | datagrams/s | lost, % | dropped windows | processor time per datagram, us | processed, over csiflow |',
  '|---|---|---|---|---|---|',
  ...speeds.map(
    ({ program, rate: sent, lost, dropped, microseconds, overCsiflow }) =>
      `| ${program} | ${sent} | ${spread(percent(lost), 1)} | ${spread(dropped, 0)} | ` +
      `${spread(microseconds, 1)} | ${overCsiflow.toFixed(2)} |`,
  ),
];

const percent = ([middle, least, most]: Spread): Spread => [100 * middle, 100 * least, 100 * most];

function spread(values: Spread | null, digits: number): string {
  if (!values) return '';
  const [middle, least, most] = values.map((value) => value.toFixed(digits));
  return `${middle} (${least} to ${most})`;
}
