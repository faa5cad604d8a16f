import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { compiledModule, packageFile } from '../../../pipeline/base/paths.js';
import type { SenderOrder, SenderReport } from './sender.js';
import type { Site } from './site.js';

/** Seconds. */
export interface CpuTime {
  readonly user: number;
  readonly system: number;
}

/** csiflow as a process of its own, over a made-up site. */
export class Service {
  readonly #process: ChildProcess;
  readonly #site: Site;
  #output = '';
  #wake: () => void = () => undefined;

  constructor(site: Site) {
    this.#site = site;
    const limits = site.limits === null ? [] : ['--limits', site.limits];
    const args = ['run', site.topology, '--port', String(site.apiPort), ...limits];
    this.#process = spawn(process.execPath, [packageFile('dist/api/cli/csiflow.js'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
      stream.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-20_000);
        this.#wake();
      });
    }
    this.#process.on('exit', () => {
      this.#wake();
    });
  }

  /** Password of the first start. */
  async password(): Promise<string> {
    return (await this.printed(/admin \/ (\S+)/))[1]!;
  }

  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#output);
      if (found) return found;
      if (this.#process.exitCode !== null) throw new Error(`csiflow ended early:\n${this.#output}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Resolves once the topology runs. */
  async running(): Promise<void> {
    for (;;) {
      const health = await this.#ask('/api/v1/health');
      if (health?.includes('"healthy"')) return;
      if (this.#process.exitCode !== null) throw new Error(`csiflow ended early:\n${this.#output}`);
      await pause(20);
    }
  }

  /** Value of a metric summed over its labels that match; 0 where it is not there. */
  async metric(name: string, labels = ''): Promise<number> {
    const text = (await this.#ask('/metrics')) ?? '';
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) && line.includes(labels))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** Resident memory, MB. */
  async residentMb(): Promise<number> {
    const status = await readFile(`/proc/${this.#process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** How long its main thread has been ready to run while the machine was busy with others, milliseconds. */
  async starvedMs(): Promise<number> {
    const stat = await readFile(`/proc/${this.#process.pid}/schedstat`, 'utf8');
    return Number(stat.split(' ')[1]) / 1e6;
  }

  /** Processor time of all its threads so far. */
  async cpuSeconds(): Promise<number> {
    const { user, system } = await this.cpu();
    return user + system;
  }

  /** The same, in csiflow and in the kernel, seconds. */
  async cpu(): Promise<CpuTime> {
    const stat = await readFile(`/proc/${this.#process.pid}/stat`, 'utf8');
    // After the name in brackets, which may hold anything: fields 14 and 15 (proc(5)), in ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { user: Number(fields[11]) / 100, system: Number(fields[12]) / 100 };
  }

  async login(password: string): Promise<string> {
    const response = await fetch(`${this.address}/form-b/api/v1/auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password }),
    });
    const { data } = (await response.json()) as { data: { access_token: string } };
    return data.access_token;
  }

  /** Makes so many keys of viewers. */
  async keys(token: string, count: number): Promise<readonly string[]> {
    const keys: string[] = [];
    for (let number = 1; number <= count; number++) {
      const response = await fetch(`${this.address}/form-b/api/v1/auth/api-keys`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify({ name: `client-${number}`, role: 'viewer' }),
      });
      const { data } = (await response.json()) as { data: { key: string } };
      keys.push(data.key);
    }
    return keys;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#site.apiPort}`;
  }

  async end(signal: 'SIGINT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill(signal);
    await exit;
  }

  /** Null while nothing answers. */
  async #ask(path: string): Promise<string | null> {
    try {
      return await (await fetch(this.address + path)).text();
    } catch (error) {
      if (error instanceof TypeError) return null; // not listening yet
      throw error;
    }
  }
}

/** Sends from a thread of its own, so that measuring does not disturb the rate. */
export async function sendFrom(order: SenderOrder): Promise<SenderReport> {
  const worker = new Worker(compiledModule(import.meta.url, './sender.js'), { workerData: order });
  const [report] = (await once(worker, 'message')) as [SenderReport];
  return report;
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
