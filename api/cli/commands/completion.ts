import { Argument, type Command } from 'commander';

export function register(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .description('Print a script by which a shell completes commands, options and their values.')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow completion bash > ~/.local/share/bash-completion/completions/csiflow' +
        '\n  csiflow completion zsh > ~/.zsh/completions/_csiflow   # a folder of $fpath' +
        '\n  csiflow completion fish > ~/.config/fish/completions/csiflow.fish',
    )
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completionScript } = await import('../completion/script.js');
      process.stdout.write(await completionScript(shell));
    });
}
