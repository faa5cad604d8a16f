import type { Command } from 'commander';
import type { letterBody, wholeLetterBody } from '../../contract/letters.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import type { LetterBox } from '../letter-box.js';
import { remoteOptions, type RemoteOptions } from '../remote.js';

type Letter = ReturnType<typeof letterBody>;
type WholeLetter = ReturnType<typeof wholeLetterBody>;

interface Options extends RemoteOptions {
  readonly plugin: readonly string[];
  readonly node?: string;
  readonly limit?: string;
  readonly page?: string;
  readonly all?: boolean;
}

const WHERE =
  '\nlist and show read the state folder, even while the topology runs. replay and drop call the csiflow that runs it (with CSIFLOW_PASSWORD or CSIFLOW_TOKEN); if the topology is stopped, they change the folder. With --url all of them call that csiflow.\n';

export function register(program: Command): void {
  const letters = program
    .command('dead-letters')
    .description('Show the records that nodes rejected, replay them to their nodes, or drop them.')
    .addHelpText(
      'after',
      `${WHERE}\nExample:\n  csiflow dead-letters list topologies/ward-3.yaml --node history`,
    );

  registerReading(letters);
  registerChanging(letters);
}

function registerReading(letters: Command): void {
  subcommand(letters, 'list', 'List them with their reasons, oldest first.')
    .option('--limit <number>', 'letters per page', '50')
    .option('--page <number>', 'page', '1')
    .addHelpText('after', `${WHERE}\nExample:\n  csiflow dead-letters list topologies/ward-3.yaml --limit 20`)
    .action(
      run(async (box, options) => {
        const found = await box.list(
          options.node,
          number('--page', options.page),
          number('--limit', options.limit),
        );
        print(options, found, () => table(found.letters as readonly Letter[], found.total));
      }),
    );

  subcommand(letters, 'show', 'Show one with its record.')
    .argument('<id>', 'from the output of `list`')
    .addHelpText('after', `${WHERE}\nExample:\n  csiflow dead-letters show topologies/ward-3.yaml 17`)
    .action(
      run(async (box, options, [id]) => {
        const letter = (await box.show(number('id', id))) as WholeLetter;
        print(options, letter, () => whole(letter));
      }),
    );
}

function registerChanging(letters: Command): void {
  subcommand(letters, 'replay', 'Replay them to their nodes: immediately, or at the next start.')
    .argument('[id...]', 'from the output of `list`')
    .option('--all', 'all of them, or all of --node', false)
    .addHelpText(
      'after',
      `${WHERE}\nExample:\n  csiflow dead-letters replay topologies/ward-3.yaml --node history`,
    )
    .action(
      run(async (box, options, ids) => {
        const { replayed, refused, running } = await box.replay(selection(options, ids));
        const when = running ? 'replayed to their nodes' : 'replayed when the topology starts';
        print(options, { replayed, refused }, () =>
          [
            `${replayed.length} dead letters are ${when}`,
            ...refused.map(({ id, reason }) => `${id} cannot be replayed: ${reason}`),
            '',
          ].join('\n'),
        );
      }),
    );

  subcommand(letters, 'drop', 'Delete them.')
    .argument('[id...]', 'from the output of `list`')
    .option('--all', 'all of them, or all of --node', false)
    .addHelpText('after', `${WHERE}\nExample:\n  csiflow dead-letters drop topologies/ward-3.yaml 17 18`)
    .action(
      run(async (box, options, ids) => {
        const dropped = await box.drop(selection(options, ids));
        print(options, { dropped }, () => `${dropped} dead letters dropped\n`);
      }),
    );
}

const subcommand = (parent: Command, name: string, description: string): Command =>
  remoteOptions(
    parent
      .command(name)
      .argument('<topology>', 'file of the topology')
      .description(description)
      .option('--node <id>', 'only those of this node')
      .option('--plugin <file...>', 'modules with your own components', []),
  );

/** Commander passes the arguments, the options, then the command. */
function run(work: (box: LetterBox, options: Options, rest: readonly string[]) => Promise<void>) {
  return async (...given: readonly unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const [file, ...rest] = (given.slice(0, -2) as (string | readonly string[] | undefined)[]).flat();
    const { openLetterBox } = await import('../letter-box.js');
    const options = command.opts<Options>();
    const box = await openLetterBox(file!, options, command.getOptionValueSource('url') === 'cli');
    await work(
      box,
      options,
      rest.filter((word) => word !== undefined),
    );
  };
}

function selection({ node, all }: Options, ids: readonly string[]) {
  if (ids.length > 0) return { ids: ids.map((id) => number('id', id)) };
  if (node !== undefined) return { node };
  if (all) return {};
  throw new CommandError('pass ids, --node or --all', EXIT.invalid);
}

function number(what: string, text: string | undefined): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new CommandError(`${what} must be a whole number from 1, not ${text}`, EXIT.invalid);
}

function print({ json }: Options, result: unknown, asText: () => string): void {
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : asText());
}

function table(letters: readonly Letter[], total: number): string {
  if (total === 0) return 'no dead letters\n';
  const lines = letters.map(
    ({ id, at, node, stage, code, reason, attempts, replay_asked }) =>
      `${id}  ${at}  ${node} ${stage} ${code}${attempts > 1 ? ` (${attempts} tries)` : ''}${replay_asked ? ' (to be replayed)' : ''}: ${reason}`,
  );
  return [...lines, `${letters.length} of ${total}`, ''].join('\n');
}

function whole({ record, ...letter }: WholeLetter): string {
  const lines = Object.entries(letter).map(([name, value]) => `${name}: ${String(value)}`);
  return [...lines, `record: ${JSON.stringify(record, null, 2)}`, ''].join('\n');
}
