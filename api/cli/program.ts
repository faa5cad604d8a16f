import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { Command, CommanderError } from 'commander';
import { packageVersion } from '../../pipeline/base/paths.js';
import { redact } from '../../pipeline/base/secrets.js';
import type { CommandModule } from './command-module.js';
import { CommandError, EXIT, exitCodeOf, type ExitCode } from '../../pipeline/base/exit.js';

/**
 * Runs one command of `csiflow`, as typed after the program's name.
 * @returns the exit code: 0 success, 1 failure, 2 invalid input, 3 environment not available.
 */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const names = commandNames();
  const asked = words[0];
  if (asked !== undefined && !asked.startsWith('-') && asked !== 'help' && !names.includes(asked)) {
    return unknownCommand(asked, names);
  }
  const program = newProgram();
  const needed = asked !== undefined && names.includes(asked) ? [asked] : names;
  for (const module of await Promise.all(needed.map(loadCommand))) module.register(program);
  try {
    if (words.length === 0) program.help({ error: true });
    await program.parseAsync([...words], { from: 'user' });
    return Number(process.exitCode ?? EXIT.fine);
  } catch (error) {
    return report(error);
  }
}

function newProgram(): Command {
  return (
    new Command('csiflow')
      .version(packageVersion(), '--version', 'print the version')
      .description('A dataflow engine for Wi-Fi sensing: channel state information in, people out.')
      .addHelpText(
        'after',
        '\nExit codes: 0 success, 1 failure, 2 invalid input, 3 port, disk or server not available',
      )
      .addHelpText('after', '\nExample:\n  csiflow run topologies/demo.yaml')
      // Set before commands are added, because they inherit it.
      .exitOverride()
      .showHelpAfterError('(add --help for the options and an example)')
  );
}

/** The files of `commands/`, compiled or not. */
function commandNames(): readonly string[] {
  return readdirSync(new URL('./commands/', import.meta.url))
    .filter((file) => extname(file) === extname(import.meta.url) && !file.endsWith('.d.ts'))
    .map((file) => file.slice(0, -extname(file).length))
    .sort();
}

async function loadCommand(name: string): Promise<CommandModule> {
  const file = new URL(`./commands/${name}${extname(import.meta.url)}`, import.meta.url);
  // In a bundle, the build replaces this call (bundle.config.mjs).
  return (await import(file.href)) as CommandModule;
}

async function unknownCommand(word: string, names: readonly string[]): Promise<ExitCode> {
  const { closest, distance } = await import('fastest-levenshtein');
  const nearest = closest(word, names);
  const hint = distance(word, nearest) <= Math.max(2, word.length / 3) ? ` Did you mean \`${nearest}\`?` : '';
  process.stderr.write(`csiflow: unknown command \`${word}\`.${hint}\nCommands: ${names.join(', ')}\n`);
  return EXIT.invalid;
}

function report(error: unknown): number {
  // Commander has printed its own message; --help and --version end with code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.invalid;
  process.stderr.write(`csiflow: ${redact(shown(error))}\n`);
  return exitCodeOf(error);
}

/** An error with a code is sufficient by itself; for any other the stack helps too. */
function shown(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof CommandError || 'code' in error ? error.message : (error.stack ?? error.message);
}
