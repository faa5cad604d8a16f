import { Command } from 'commander';
import { TASK_NAMES } from '../../../bench/suite/contracts.js';
import { KINDS } from '../../../pipeline/component/index.js';
import { FILE_KINDS } from '../../../pipeline/formats/file-kinds.js';
import { ROLES } from '../../service/accounts/roles.js';
import { components } from '../../components.js';
import { loadSubcommands } from '../subcommands.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { completedOf } from './words.js';
import { zshScript } from './zsh.js';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Completion of the whole command line, generated from the declarations of its commands. */
export async function completionScript(shell: keyof typeof SCRIPTS): Promise<string> {
  const program = new Command('csiflow').version('', '--version', 'print the version');
  for (const module of await loadSubcommands(new URL('../commands/', import.meta.url)))
    module.register(program);
  const component = KINDS.flatMap((kind) => components.list(kind).map(({ name }) => name));
  const known = {
    component: [...new Set(component)].sort(),
    kind: ['auto', ...FILE_KINDS.map(({ name }) => name)],
    role: ROLES,
    task: TASK_NAMES,
  };
  return SCRIPTS[shell](completedOf(program, known));
}
