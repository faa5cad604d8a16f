import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Command, type Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { loadSubcommands } from '../../api/cli/subcommands.js';
import { packageFile } from '../../pipeline/base/paths.js';

const program = new Command('csiflow');
const folder = pathToFileURL(packageFile('dist/api/cli/commands/'));
for (const module of await loadSubcommands(folder)) module.register(program);

/** Commands that do something: the members of command groups. */
const commands = leaves(program);

function leaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

describe.each(commands.map((command) => [nameOf(command), command] as const))('%s', (name, command) => {
  test('has an example that names it, with its own options', () => {
    const examples = helpOf(command).split('Example:')[1] ?? '';
    expect(examples).toContain(name);
    expect(unknownIn(examples)).toEqual([]);
  });
});

test.each(pages())('%s names existing commands and options', (page) => {
  const text = readFileSync(packageFile(page), 'utf8');
  const code = [...text.matchAll(/^```(?:ba)?sh\n(.*?)^```|`([^`\n]+)`/gms)].map(
    ([, block, word]) => block ?? word!,
  );
  expect(unknownIn(code.join('\n'))).toEqual([]);
});

/** The README and everything in docs/. */
function pages(): readonly string[] {
  const found = readdirSync(packageFile('docs'), { recursive: true, encoding: 'utf8' });
  return ['README.md', ...found.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)].sort();
}

/** Commands and options in lines such as `csiflow run a.yaml --port 0` that csiflow lacks. */
function unknownIn(text: string): readonly string[] {
  const lines = text
    .replaceAll('\\\n', ' ')
    .matchAll(/(?:^|&& |-- |\w=\S+ |\* |\| )csiflow(?: --)? ([a-z][^\n|;&#]*)/gm);
  return [...lines].flatMap(([, line]) => {
    const words = line!.trim().split(/\s+/);
    const command = named(program, words);
    if (command === program) return [words[0]!];
    const known = new Set(command.options.flatMap(({ long, short }: Option) => [long, short]));
    return words
      .filter((word) => /^--[a-z]/.test(word) && !known.has(word))
      .map((word) => `${words[0]!} ${word}`);
  });
}

/** The command that words start with; `within` itself if they name none. */
function named(within: Command, [word, ...rest]: readonly string[]): Command {
  const next = within.commands.find((command) => command.name() === word);
  return next ? named(next, rest) : within;
}
