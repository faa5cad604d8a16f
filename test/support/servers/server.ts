import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageFile } from '../../../pipeline/base/paths.js';

/** Where .ci/services.sh installs servers. */
export const servicesFolder = process.env['SERVICES_DIR'] ?? packageFile('.services');

export interface ServerSettings {
  readonly name: string;
  /** Holds the server's files and log; removed by `stop`. */
  readonly folder: string;
  /** The server counts as up once all respond. */
  readonly ports: readonly number[];
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A real server as a child process on loopback; its data are in a temporary folder and survive a crash. */
export class Server {
  readonly #settings: ServerSettings;
  #process: ChildProcess | undefined;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
  }

  /** Starts it, or restarts it after `crash` or `halt`, and waits until its ports respond. */
  async start(): Promise<this> {
    const { command, folder, env, ports } = this.#settings;
    const child = spawn(command[0]!, command.slice(1), {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log = createWriteStream(this.#log, { flags: 'a' });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    this.#process = child;
    for (const port of ports) await this.#answers(port, child);
    return this;
  }

  /** SIGKILL, like a power cut of the process. */
  crash(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Asks it to end, and waits for that. */
  halt(): Promise<void> {
    return this.#end('SIGTERM');
  }

  /** Suspends it: connections stay open, nothing is answered until `resume`. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  /** Ends it for good and removes its folder. */
  async stop(): Promise<void> {
    this.resume();
    await this.halt();
    await rm(this.#settings.folder, { recursive: true, force: true });
  }

  get #log(): string {
    return join(this.#settings.folder, 'log');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  async #answers(port: number, child: ChildProcess): Promise<void> {
    for (let tries = 0; tries < 1200; tries++) {
      if (await canConnect(port)) return;
      if (child.exitCode !== null || child.signalCode !== null) break;
      await delay(50);
    }
    throw new Error(
      `${this.#settings.name} does not answer on port ${port}:\n${await readFile(this.#log, 'utf8')}`,
    );
  }
}

/** A temporary folder for a server's files. */
export const serverFolder = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `csiflow-${name}-`));

/** Currently unused ports on loopback. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(async (server) => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    }),
  );
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const answer = (up: boolean): void => {
      socket.destroy();
      resolve(up);
    };
    socket.once('connect', () => {
      answer(true);
    });
    socket.once('error', () => {
      answer(false);
    });
  });
}
