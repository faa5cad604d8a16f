import { spawn, type ChildProcess } from 'node:child_process';
import { startTimer } from '../../base/backoff.js';
import type { Clock } from '../../component/index.js';
import { errorText, errorCode } from '../../base/error-text.js';
import { InputError, type ByteInput } from './byte-input.js';

/** Limit of a program's last error output. */
const COMPLAINT_BYTES = 2048;
const COMPLAINT_LINES = 5;
/** Time for a program to exit by itself, after its output has ended or it was asked to. */
const PATIENCE_MS = 2000;

/**
 * Starts a program, without a shell, and reads its standard output. It gets the environment of this process
 * without the secrets, and its own process group, which is ended with it.
 * @param command program and arguments
 * @param folder where it runs
 * @throws InputError if it cannot be started
 */
export async function startCommand(
  command: readonly string[],
  folder: string,
  clock: Clock,
): Promise<ByteInput> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    env: withoutSecrets(process.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  const exit = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => {
      reject(startError(program, folder, error));
    });
  });
  const complaint = new Complaint();
  child.stderr.on('data', (bytes: Buffer) => {
    complaint.add(bytes);
  });
  const end = () => endOf(child, exit, clock);
  return {
    bytes: child.stdout as AsyncIterable<Buffer>,
    isThere: false,
    reason: async () => {
      await within(exit, PATIENCE_MS, clock);
      await end();
      return `\`${program}\` ${await exit}${complaint.text}`;
    },
    close: async () => {
      child.stdout.destroy();
      child.stderr.destroy();
      await end();
    },
  };
}

/** Asks the program to exit, then kills it. */
async function endOf(child: ChildProcess, exit: Promise<unknown>, clock: Clock): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    send(child, signal);
    await within(exit, PATIENCE_MS, clock);
  }
}

function send(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid!, signal);
  } catch (error) {
    // It has just exited by itself.
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

async function within(event: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = startTimer(clock, ms, resolve);
    void event.then(() => {
      cancel();
      resolve();
    });
  });
}

/** The last lines of the program's error output. */
class Complaint {
  #bytes = Buffer.alloc(0);

  add(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]).subarray(-COMPLAINT_BYTES);
  }

  /** As the end of a sentence; empty if it printed nothing. */
  get text(): string {
    const lines = this.#bytes
      .toString()
      .split('\n')
      .filter((line) => line.trim() !== '');
    return lines.length === 0 ? '' : `: ${lines.slice(-COMPLAINT_LINES).join('; ')}`;
  }
}

const withoutSecrets = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('CSIFLOW_')));

function startError(program: string, folder: string, error: Error): InputError {
  const advice: Readonly<Record<string, string>> = {
    ENOENT: `the program or the folder ${folder} does not exist: install it, or use its full path`,
    EACCES: 'csiflow may not run it',
  };
  const why = advice[errorCode(error)] ?? errorText(error);
  return new InputError(`\`${program}\` cannot be started: ${why}`, errorCode(error) === 'EAGAIN', error);
}
