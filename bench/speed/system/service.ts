import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { compiledModule, packageFolder } from '../../../pipeline/base/paths.js';
import { endWithThis } from '../../shared/children.js';
import { processorSeconds, processorTime, type ProcessorTime } from '../processor-time.js';
import type { SenderOrder, SenderReport } from './sender.js';
import { makeSite, type Site, type SiteOptions } from './site.js';

/** A made-up site and the csiflow that runs on it. */
export interface Running {
  readonly site: Site;
  readonly service: Service;
  /** Ends csiflow and removes the site. */
  readonly end: () => Promise<void>;
}

/** Starts csiflow on a site of its own. @param folder see {@link Service} */
export async function runOn(options: SiteOptions, folder?: string): Promise<Running> {
  const site = await makeSite(options);
  const service = new Service(site, folder);
  const end = async () => {
    await service.end();
    site.remove();
  };
  try {
    await service.running();
  } catch (error) {
    await end();
    throw error;
  }
  return { site, service, end };
}

/** csiflow in its own process, on a made-up site. */
export class Service {
  readonly #process: ChildProcess;
  readonly #site: Site;
  /** Warnings and errors of its log, with their counts. */
  readonly warnings = new Map<string, number>();
  #output = '';
  #wake: () => void = () => undefined;

  /**
   * @param folder of a compiled checkout: another version of csiflow
   * @param nodeOptions options of Node, like `--cpu-prof`
   */
  constructor(site: Site, folder: string = packageFolder, nodeOptions: readonly string[] = []) {
    this.#site = site;
    const limits = site.limits === null ? [] : ['--limits', site.limits];
    const args = ['run', ...site.topologies, '--port', String(site.apiPort), ...limits];
    const command = [...nodeOptions, join(folder, 'dist/api/cli/csiflow.js'), ...args];
    this.#process = endWithThis(() =>
      spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => {
        this.#output = `${this.#output}${line}\n`.slice(-20_000);
        this.#count(line);
        this.#wake();
      });
    }
    this.#process.on('exit', () => {
      this.#wake();
    });
  }

  /** Password set at the first start. */
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

  /** Value of a metric, summed over matching labels; 0 if it does not exist. */
  async metric(name: string, labels = ''): Promise<number> {
    const [value] = await this.metrics([[name, labels]]);
    return value!;
  }

  /** Values of several metrics at one moment; see {@link metric}. */
  async metrics(asked: readonly (readonly [name: string, labels: string])[]): Promise<readonly number[]> {
    const lines = ((await this.#ask('/metrics')) ?? '').split('\n');
    return asked.map(([name, labels]) =>
      lines
        .filter((line) => line.startsWith(`${name}{`) && line.includes(labels))
        .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0),
    );
  }

  /** Resident memory, MB. */
  async residentMb(): Promise<number> {
    const status = await readFile(`/proc/${this.#process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** Open file descriptors. */
  async descriptors(): Promise<number> {
    return (await readdir(`/proc/${this.#process.pid}/fd`)).length;
  }

  /** Its reported health: healthy, degraded or unhealthy. */
  async health(): Promise<string> {
    const text = (await this.#ask('/api/v1/health')) ?? '{}';
    return /"(healthy|degraded|unhealthy)"/.exec(text)?.[1] ?? 'no answer';
  }

  /** From its status: why it is degraded, and frames per second. */
  async status(token: string): Promise<{ readonly problem: string; readonly fps: number }> {
    const [topologies, status] = await Promise.all(
      ['topologies', 'system/status'].map((path) => this.#ask(`/form-b/api/v1/${path}`, token)),
    );
    const [, problem = 'null'] = /"problem":(null|"(?:[^"\\]|\\.)*")/.exec(topologies ?? '') ?? [];
    return {
      problem: (JSON.parse(problem) as string | null) ?? '',
      fps: Number(/"average_fps":([\d.]+)/.exec(status ?? '')?.[1]),
    };
  }

  /** Datagrams in the kernel that csiflow has not read, including the kernel's overhead for each, bytes. */
  async unreadBytes(): Promise<number> {
    const port = this.#site.udpPort.toString(16).toUpperCase().padStart(4, '0');
    const table = await readFile('/proc/net/udp', 'utf8');
    return parseInt(new RegExp(`^\\s*\\d+: \\w+:${port} \\S+ \\S+ \\w+:(\\w+)`, 'm').exec(table)![1]!, 16);
  }

  /**
   * How long its main thread has been ready to run while the machine was busy with other programs,
   * milliseconds.
   */
  async starvedMs(): Promise<number> {
    const stat = await readFile(`/proc/${this.#process.pid}/schedstat`, 'utf8');
    return Number(stat.split(' ')[1]) / 1e6;
  }

  /** Processor time of all its threads so far, seconds. */
  cpuSeconds(): Promise<number> {
    return processorSeconds(this.pid);
  }

  /** The same, split into csiflow and the kernel. */
  cpu(): Promise<ProcessorTime> {
    return processorTime(this.pid);
  }

  login(password: string): Promise<string> {
    return tokenOf(this.address, password);
  }

  /** Creates this many keys with the viewer role. */
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

  get pid(): number {
    return this.#process.pid!;
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

  #count(line: string): void {
    if (!/^\{"level":"(warn|error)"/.test(line)) return;
    const { node = '', msg } = JSON.parse(line) as { readonly node?: string; readonly msg: string };
    const warning = `${node}: ${msg}`;
    this.warnings.set(warning, (this.warnings.get(warning) ?? 0) + 1);
  }

  /** Null while it does not respond. */
  async #ask(path: string, token?: string): Promise<string | null> {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    try {
      return await (await fetch(this.address + path, { headers })).text();
    } catch (error) {
      if (error instanceof TypeError) return null; // not listening yet
      throw error;
    }
  }
}

/** Logs `admin` in. @param api like `http://127.0.0.1:8000` */
export async function tokenOf(api: string, password: string): Promise<string> {
  const response = await fetch(`${api}/form-b/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  const { data } = (await response.json()) as { data: { access_token: string } };
  return data.access_token;
}

/** Sends from a separate thread, so that measuring does not disturb the rate. */
export async function sendFrom(order: SenderOrder): Promise<SenderReport> {
  const worker = new Worker(compiledModule(import.meta.url, './sender.js'), { workerData: order });
  const ended = once(worker, 'exit').then(([code]) => {
    throw new Error(`the sender ended with ${code} and reported nothing`);
  });
  const [report] = (await Promise.race([once(worker, 'message'), ended])) as [SenderReport];
  return report;
}

/** Frames of a made-up site that were processed so far. */
export const receivedFrames = (service: Service): Promise<number> =>
  service.metric('csiflow_received_total', 'node="routers"');

/** Waits until the count of received frames has been constant for some time, milliseconds. */
export async function settled(service: Service, still = 500): Promise<void> {
  for (
    let last = -1, now = await receivedFrames(service);
    now !== last;
    now = await receivedFrames(service)
  ) {
    last = now;
    await pause(still);
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
