import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completedOf } from '../../api/cli/completion/words.js';
import { csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-completion-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const installed = (shell: Shell): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** A program of each shell: for each line, prints what TAB at its end offers, then `=`. $1: the script. */
const PROGRAMS: Readonly<Record<Shell, readonly string[]>> = {
  bash: [
    '--norc',
    '-c',
    `source "$1"; shift
     for line; do
       read -ra COMP_WORDS <<< "$line"; [[ $line == *' ' ]] && COMP_WORDS+=('')
       COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _csiflow 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}" =
     done`,
    'bash',
  ],
  // TAB is pressed in a terminal of its own, where `compadd` also prints what it offers.
  zsh: [
    '-f',
    '-c',
    `zmodload zsh/zpty; zpty z zsh -f -i
     zpty -w z 'PROMPT=; autoload -Uz compinit; compinit -u -D; source '$1; shift
     zpty -w z 'compadd() { if [[ $@[1,(i)(-|--)] == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi; local -a hits; builtin compadd -A hits "$@"; for hit in $hits; do print "<$hit>"; done; builtin compadd "$@" }'
     zpty -w z 'all-told() { print "<""end>"; BUFFER= }; zle -N all-told; bindkey "^X" all-told; print "<""end>"'
     zpty -r z out $'*<end>*'
     for line; do zpty -n -w z "$line"$'\\t\\C-x'; zpty -r z out $'*<end>*'; print -r -- $out; print =; done
     zpty -d z`,
    'zsh',
  ],
  fish: ['--no-config', '-c', 'source $argv[1]; for line in $argv[2..-1]; complete -C "$line"; echo =; end'],
};

/** The offers of a shell at the end of each line, sorted. */
function offers(shell: Shell, ...lines: readonly string[]): readonly (readonly string[])[] {
  const text = execFileSync(shell, [...PROGRAMS[shell], join(folder, shell), ...lines], {
    cwd: folder,
    encoding: 'utf8',
    // A shell that waits for ever fails the test instead of hanging it.
    timeout: 120_000,
    env: { ...process.env, HOME: folder, TERM: 'dumb' },
  });
  return text
    .split(/^=$/m)
    .slice(0, -1)
    .map((part) => {
      const words =
        shell === 'zsh'
          ? [...part.matchAll(/<([^<>\n]+)>/g)].map(([, word]) => word!)
          : part.split('\n').map((line) => line.split('\t', 1)[0]!);
      return [...new Set(words.filter((word) => word !== '' && word !== 'end'))].sort();
    });
}

beforeAll(async () => {
  for (const shell of SHELLS) {
    const { code, out } = await csiflow('completion', shell);
    expect(code).toBe(0);
    writeFileSync(join(folder, shell), out);
  }
  mkdirSync(join(folder, 'rooms'));
  writeFileSync(join(folder, 'rooms', 'ward 3.yaml'), '');
});

describe.each(SHELLS)('%s', (shell) => {
  const skipped = !installed(shell);

  test.skipIf(skipped)(
    'completes commands, options, their values, and files',
    () => {
      const reported = offers(
        shell,
        ...[
          'csiflow do',
          'csiflow key ',
          'csiflow graph --form',
          'csiflow run --log ',
          'csiflow user role ada ',
        ],
        ...['csiflow describe deno', 'csiflow validate rooms/w', 'csiflow train pose --out roo'],
        'csiflow tap people --limit ',
        ...['csiflow evaluate suite --only act', 'csiflow inspect --kind nexmon'],
      );
      expect(reported.slice(0, 6)).toEqual([
        ['docs', 'doctor'],
        ['create', 'list', 'revoke', 'rotate-signing'],
        ['--format'],
        ['debug', 'error', 'info', 'warn'],
        ['admin', 'operator', 'viewer'],
        ['denoise'],
      ]);
      const [file, place, number, tasks, kinds] = reported.slice(6);
      expect(file!.join()).toContain('ward 3.yaml');
      expect(place!.join()).toContain('rooms');
      expect(number).toEqual([]);
      expect(tasks).toContain('activity-intel');
      expect(kinds).toEqual(['nexmon-pcap']);
    },
    // zsh takes five seconds on an idle machine.
    60_000,
  );
});

test('words come only from placeholders and choices', () => {
  const program = new Command('csiflow');
  program
    .command('go')
    .argument('<topology...>')
    .option('--how <slow|fast>', 'the speed. More of it')
    .option('--pair <path=form>', 'a pair')
    .option('--now', 'at once');
  const [, go] = completedOf(program, {});
  expect(go!.path).toEqual(['go']);
  expect(go!.value).toBe('file');
  expect(go!.options.map(({ name, value, takesValue }) => [name, value, takesValue])).toEqual([
    ['--how', ['slow', 'fast'], true],
    ['--pair', null, true],
    ['--now', null, false],
    ['--help', null, false],
  ]);
});

test('rejects an unknown shell', async () => {
  const { code, output } = await csiflow('completion', 'tcsh');
  expect(code).toBe(2);
  expect(output).toContain('bash, zsh, fish');
});
