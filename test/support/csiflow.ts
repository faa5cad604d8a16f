import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { packageFile, packageFolder } from '../../pipeline/base/paths.js';

/** The compiled command line as a child process, as a user runs it. */
export class Csiflow {
  readonly process: ChildProcess;
  readonly #ended: Promise<number | null>;
  #output = '';
  #wake: () => void = () => undefined;

  constructor(
    args: readonly string[],
    options: { readonly cwd?: string; readonly env?: Record<string, string>; readonly program?: string } = {},
  ) {
    this.process = spawn(
      process.execPath,
      [options.program ?? packageFile('dist/api/cli/csiflow.js'), ...args],
      {
        cwd: options.cwd ?? packageFolder,
        env: { ...process.env, ...options.env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    for (const stream of [this.process.stdout!, this.process.stderr!]) {
      stream.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString();
        this.#wake();
      });
    }
    this.#ended = once(this.process, 'exit').then(([code]) => {
      this.#wake();
      return code as number | null;
    });
  }

  /** All that it has printed. */
  get output(): string {
    return this.#output;
  }

  /** Waits until it has printed something that matches. @throws Error with the output where it ends without. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#output);
      if (found) return found;
      if (this.process.exitCode !== null || this.process.signalCode !== null) {
        throw new Error(
          `csiflow ended (${this.process.exitCode ?? this.process.signalCode}) without ${pattern}:\n${this.#output}`,
        );
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Waits for its end. Gives its exit code; null where a signal ended it. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Ctrl-C, then waits for the end. */
  async interrupt(): Promise<number | null> {
    this.process.kill('SIGINT');
    return this.ended();
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended();
  }
}

/** Runs one command to its end. */
export async function csiflow(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const run = new Csiflow(args);
  const code = await run.ended();
  return { code, output: run.output };
}
