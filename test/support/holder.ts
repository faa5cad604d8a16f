import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { packageFile } from '../../pipeline/base/paths.js';

/** Runs a command in its own PID namespace, as in another container. */
const CONTAINER = ['unshare', '-pf', '--mount-proc', '--kill-child'] as const;

/** Whether this system allows that. */
export const hasContainers = spawnSync(CONTAINER[0], [...CONTAINER.slice(1), 'true']).status === 0;

/** Another process that acquires something, reports it and holds it until it is killed. */
export class Holder {
  readonly process: ChildProcess;
  readonly #printed: Promise<string>;

  /**
   * @param module compiled file
   * @param take JavaScript that acquires it from `module`; errors are printed
   * @param container whether the process has number 1 in its own PID namespace
   */
  constructor(module: string, take: string, { container = false } = {}) {
    const code = `const module = await import(${JSON.stringify(pathToFileURL(packageFile(`dist/${module}`)).href)});
      try { ${take}; console.log('taken by ' + process.pid); } catch (error) { console.log(error.code + ' ' + error.message); }
      setInterval(() => {}, 1000);`;
    const [command, ...args] = [
      ...(container ? CONTAINER : []),
      process.execPath,
      '--input-type=module',
      '-e',
      code,
    ] as [string, ...string[]];
    this.process = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#printed = once(this.process.stdout!, 'data').then(([chunk]) => String(chunk));
  }

  /** The outcome. */
  printed(): Promise<string> {
    return this.#printed;
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }
}
