import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../../pipeline/base/paths.js';

/** Processes of `csiflow run` that share one topology; each has its own state folder. */
export class Fleet {
  readonly #file: string;
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #workers = new Map<string, ChildProcess>();
  readonly #said = new Map<string, string>();
  /** Unexpected exits. */
  readonly crashes: string[] = [];

  constructor(file: string, folder: string, env: Readonly<Record<string, string>>) {
    this.#file = file;
    this.#folder = folder;
    this.#env = env;
  }

  /** File with a worker's output. */
  log(worker: string): string {
    return join(this.#folder, `${worker}.log`);
  }

  /** It has loaded a pose network since it was started, so it has a partition. */
  serves(worker: string): boolean {
    return this.#said.get(worker)?.includes('pose network loaded') ?? false;
  }

  start(worker: string): void {
    mkdirSync(join(this.#folder, worker), { recursive: true });
    const child = spawn(
      process.execPath,
      [packageFile('dist/api/cli/csiflow.js'), 'run', this.#file, '--no-api'],
      {
        env: { ...process.env, ...this.#env, CSIFLOW_DATA: join(this.#folder, worker) },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#said.set(worker, '');
    const keep = (chunk: Buffer) => {
      appendFileSync(this.log(worker), chunk);
      this.#said.set(worker, `${this.#said.get(worker) ?? ''}${chunk.toString()}`);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('exit', (code) => {
      if (this.#workers.get(worker) === child) this.crashes.push(`${worker} ended with ${code}`);
    });
    this.#workers.set(worker, child);
  }

  /** SIGKILL: it does not leave the group. */
  async kill(worker: string): Promise<void> {
    await this.#end(worker, 'SIGKILL');
  }

  /** Stops all of them; by default each takes a last checkpoint. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await Promise.all([...this.#workers.keys()].map((worker) => this.#end(worker, signal)));
  }

  async #end(worker: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.#workers.get(worker);
    this.#workers.delete(worker);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }
}
