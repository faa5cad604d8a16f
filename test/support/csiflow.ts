import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';
import { runCommandLine } from '../../api/cli/program.js';
import { packageFile, packageFolder } from '../../pipeline/base/paths.js';

/** Processes of a test optimise code as late as the test's own, which vitest.config.ts starts. */
const BRIEF = process.execArgv.filter((option) =>
  /^--(interrupt-budget|invocation-count-for-turbofan)=/.test(option),
);

/** The compiled command line as a child process, as users run it. */
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
      [...BRIEF, options.program ?? packageFile('dist/api/cli/csiflow.js'), ...args],
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

  /** Everything it has printed. */
  get output(): string {
    return this.#output;
  }

  /** Waits until its output matches. @throws Error with the output if it ends first. */
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

  /** Waits for its end. Returns its exit code; null if a signal ended it. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Sends Ctrl-C, then waits for the end. */
  async interrupt(): Promise<number | null> {
    this.process.kill('SIGINT');
    return this.ended();
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended();
  }
}

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Both streams, in the order of printing. */
  readonly output: string;
}

/** The streams belong to the process: one command at a time. */
let running: Promise<unknown> = Promise.resolve();

/**
 * Runs one command to its end, in this process: starting one and loading csiflow takes longer than most
 * commands. test/cli/commands.test.ts covers how it ends as a separate process.
 */
export const csiflow = (...args: readonly string[]): Promise<Ended> => csiflowWith({}, ...args);

/** The same with additional environment variables. */
export function csiflowWith(
  variables: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Ended> {
  const run = running.then(() => captured(args, variables));
  running = run.catch(() => undefined);
  return run;
}

async function captured(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  let output = '';
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk, ...rest: readonly unknown[]) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      printed[name] += text;
      output += text;
      const written = rest.at(-1);
      if (typeof written === 'function') process.nextTick(written);
      return true;
    }),
  );
  const { exitCode } = process;
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  process.exitCode = undefined;
  Object.assign(process.env, variables);
  try {
    const code = await runCommandLine(args);
    return { code, out: printed.stdout, err: printed.stderr, output };
  } finally {
    process.exitCode = exitCode;
    for (const [name, value] of before)
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    for (const spy of spies) spy.mockRestore();
  }
}
