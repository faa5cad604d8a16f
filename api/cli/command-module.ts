import type { Command } from 'commander';

/**
 * Exports of a file in `commands/`. The file `commands/NAME.ts` holds the command NAME and nothing else:
 * `register` adds exactly that one command (with its options, an example under `--help` and an action) to the
 * program. It imports only `commander` and `../exit.js` at its top; its action imports everything else with
 * `await import()`, so that `csiflow --help` starts fast. An action that fails throws, a CommandError
 * if it knows the exit code; it sets `process.exitCode` only if it has printed its findings itself, and never
 * calls `process.exit`.
 */
export interface CommandModule {
  register(program: Command): void;
}
