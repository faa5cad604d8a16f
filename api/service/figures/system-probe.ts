import { availableParallelism } from 'node:os';
import type { Logger } from '../../../pipeline/component/index.js';
import type { NodeStatus, RunningTopology, TopologyStatus } from '../../../pipeline/runtime/status.js';
import type { Resources, Traffic } from './resources.js';
import { CallCount, PersonCount, type Watch } from './counts.js';
import { GpuProbe, type AskGpu } from './gpu.js';
import { History } from './history.js';
import { diskUsage, memoryUsage, transfers, type Transfers } from './machine.js';
import type { Role } from '../../../pipeline/component/index.js';
import { nodesAs } from '../configuration/answering.js';

/** Interval of samples, milliseconds: current rates of the machine cover one interval. */
const INTERVAL_MS = 2_000;
/** Lifetime of a measurement of the machine, milliseconds. */
const REMEMBERED_MS = 250;
/** Samples per minute, and intervals covered by frame rates: a busy chain receives frames in bursts. */
const [MINUTE_SAMPLES, BURST_STEPS] = [30, 5];

export interface ProbeOptions {
  readonly main: Pick<RunningTopology, 'status' | 'state' | 'topology' | 'onChange'>;
  readonly watch: Watch;
  /** Folder of the history; figures of its disk are measured. */
  readonly stateFolder: string;
  readonly log: Logger;
  /** Default: by `nvidia-smi`. */
  readonly askGpu?: AskGpu;
}

/** Sums since the start, at one moment. */
interface Sample extends Transfers {
  readonly at: number;
  /** Microseconds of processor time, all threads. */
  readonly cpu: number;
  readonly frames: number;
  readonly poses: number;
  readonly received: number;
  readonly failed: number;
  readonly heard: number;
  readonly lost: number;
  readonly persons: number;
  readonly calls: number;
  readonly callMilliseconds: number;
}

type Sum = Exclude<keyof Sample, 'at'>;

/** Used shares of memory and disk, 0 to 1. */
interface Machine extends Transfers {
  readonly memory: number;
  readonly disk: number;
}

/**
 * Measures the process, the machine and the flow of the topology; `docs/system-figures.md` defines each
 * figure. It samples every two seconds and holds the samples of a minute; each minute is added to the
 * history.
 */
export class SystemProbe {
  readonly calls = new CallCount();
  readonly history: History;
  readonly #options: ProbeOptions;
  readonly #persons: PersonCount;
  readonly #gpu: GpuProbe;
  readonly #timer: NodeJS.Timeout;
  readonly #begun: Transfers;
  #samples: readonly Sample[];
  #minute = currentMinute();
  /** Values at the start of the minute, and the number of its samples with a running topology. */
  #minuteBegan: Sample;
  #running = { yes: 0, all: 0 };
  #machine: { readonly until: number; readonly found?: Promise<Machine> } = { until: -Infinity };

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.history = new History(options.stateFolder, options.log);
    this.#persons = new PersonCount(options.main, options.watch);
    this.#gpu = new GpuProbe(options.askGpu);
    const first = this.#sample();
    this.#begun = first;
    this.#samples = [first];
    this.#minuteBegan = first;
    this.#timer = setInterval(() => {
      this.#tick();
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#gpu.close();
    this.#persons.close();
    this.#storeMinute(this.#sample());
    await this.history.close();
  }

  async resources(): Promise<Resources> {
    const { usage, memory, memoryBytes } = this.#gpu.figures;
    const machine = await this.#lookAtMachine();
    return {
      cpu: round(Math.min(1, this.#recent('cpu') / 1e6 / availableParallelism())),
      memory: round(machine.memory),
      disk: round(machine.disk),
      gpu: round(usage),
      gpuMemory: round(memory),
      gpuMemoryBytes: memoryBytes,
      bytesRead: Math.round(this.#recent('bytesRead')),
      bytesWritten: Math.round(this.#recent('bytesWritten')),
      bytesIn: Math.max(0, machine.bytesIn - this.#begun.bytesIn),
      bytesOut: Math.max(0, machine.bytesOut - this.#begun.bytesOut),
    };
  }

  /** Current or very recent values: asking the system takes longer than everything else in an answer. */
  #lookAtMachine(): Promise<Machine> {
    const now = performance.now();
    if (now >= this.#machine.until) this.#machine = { until: now + REMEMBERED_MS, found: this.#askMachine() };
    return this.#machine.found!;
  }

  async #askMachine(): Promise<Machine> {
    return { ...transfers(), memory: memoryUsage(), disk: await diskUsage(this.#options.stateFolder) };
  }

  /** @param nodes of the topology's status, if the caller already has it */
  traffic({ nodes }: Pick<TopologyStatus, 'nodes'> = this.#options.main.status()): Traffic {
    const sources = nodes.filter((node) => node.kind === 'source');
    const tracker = this.#nodesAs('tracker', nodes)[0];
    return {
      framesPerSecond: round(this.#recent('frames', BURST_STEPS)),
      posesPerSecond: round(this.#recent('poses', BURST_STEPS)),
      lossRate: share(this.#lastMinute('lost'), this.#lastMinute('heard')),
      links: sources.reduce((total, node) => total + number(node, 'active_links'), 0),
      signalStrength: round(clamp((strongest(sources) + 100) / 70)),
      interference: round(Math.max(0, ...sources.map(interferenceAt))),
      activeTracks: tracker ? number(tracker, 'active_tracks') : 0,
      trackQuality: tracker ? number(tracker, 'track_quality') : 0,
      errorRate: share(this.#lastMinute('failed'), this.#lastMinute('received')),
      queued: nodes.reduce((total, node) => total + node.queueDepth, 0),
      bufferUsage: round(Math.max(0, ...sources.map((node) => this.#bufferOf(node)))),
      detectionsPerMinute: Math.round(this.#lastMinute('persons')),
    };
  }

  /** Answers of the service interface in the last minute. */
  answers(): { readonly perSecond: number; readonly meanMs: number } {
    const calls = this.#lastMinute('calls');
    const [from, to] = this.#span(this.#samples.length - 1);
    const seconds = (to.at - from.at) / 1000;
    return {
      perSecond: seconds === 0 ? 0 : round(calls / seconds),
      meanMs: calls === 0 ? 0 : round(this.#lastMinute('callMilliseconds') / calls),
    };
  }

  /** Fill level of a source's queue, 0 to 1. */
  #bufferOf({ id, queueDepth }: NodeStatus): number {
    const queue = this.#options.main.topology.nodes.find((node) => node.id === id)?.queue;
    return queue ? clamp(queueDepth / queue.capacity) : 0;
  }

  /** Per second, over the last intervals. */
  #recent(sum: Sum, steps = 1): number {
    const [from, to] = this.#span(steps);
    const seconds = (to.at - from.at) / 1000;
    return seconds === 0 ? 0 : Math.max(0, to[sum] - from[sum]) / seconds;
  }

  /** In the last minute, or since the start if that is shorter. */
  #lastMinute(sum: Sum): number {
    const [from, to] = this.#span(MINUTE_SAMPLES);
    return Math.max(0, to[sum] - from[sum]);
  }

  #span(steps: number): readonly [Sample, Sample] {
    const newest = this.#samples.length - 1;
    return [this.#samples[Math.max(0, newest - steps)]!, this.#samples[newest]!];
  }

  #tick(): void {
    const sample = this.#sample();
    this.#samples = [...this.#samples.slice(-MINUTE_SAMPLES), sample];
    if (currentMinute() !== this.#minute) this.#storeMinute(sample);
    const { state } = this.#options.main;
    this.#running.all++;
    if (state === 'running' || state === 'degraded') this.#running.yes++;
  }

  /** The finished minute; for the first and the last one, the part in which csiflow ran. */
  #storeMinute(now: Sample): void {
    const began = this.#minuteBegan;
    const seconds = (now.at - began.at) / 1000;
    const { yes, all } = this.#running;
    if (seconds > 0) {
      const frames = Math.max(0, now.frames - began.frames);
      this.history.add({
        minute: this.#minute,
        framesPerSecond: round(frames / seconds),
        latencyMs: round(this.#options.main.status().latencyMs?.p50 ?? 0),
        cpu: round(clamp((now.cpu - began.cpu) / 1e6 / seconds / availableParallelism())),
        frames,
        failed: Math.max(0, now.failed - began.failed),
        running: all === 0 ? 0 : round(yes / all),
      });
    }
    this.#minute = currentMinute();
    this.#minuteBegan = now;
    this.#running = { yes: 0, all: 0 };
  }

  #nodesAs(role: Role, nodes: readonly NodeStatus[]): readonly NodeStatus[] {
    const ids = nodesAs(this.#options.main.topology, role).map(({ id }) => id);
    return nodes.filter(({ id }) => ids.includes(id));
  }

  #sample(): Sample {
    const { nodes } = this.#options.main.status();
    const { user, system } = process.cpuUsage();
    const sum = (value: (node: NodeStatus) => number) =>
      nodes.reduce((total, node) => total + value(node), 0);
    const ofSources = (value: (node: NodeStatus) => number) =>
      sum((node) => (node.kind === 'source' ? value(node) : 0));
    const lost = ofSources((node) => node.missing);
    return {
      ...transfers(),
      at: performance.now(),
      cpu: user + system,
      frames: ofSources((node) => node.sent),
      poses: this.#nodesAs('pose-network', nodes).reduce((total, { sent }) => total + sent, 0),
      received: sum((node) => node.received),
      failed: sum((node) => node.failed),
      heard: ofSources((node) => node.received) + lost,
      lost,
      persons: this.#persons.persons,
      calls: this.calls.calls,
      callMilliseconds: this.calls.milliseconds,
    };
  }
}

const currentMinute = (): number => Math.floor(Date.now() / 60_000);

/** Noise of a receiver that hears no other sender: thermal noise of 20 MHz and 6 dB of its own, dBm. */
const QUIET_DBM = -95;

/**
 * Share of a source's signal, in decibels above a quiet receiver's noise, that is lost to noise: 0 for
 * thermal noise, 1 if the noise is as strong as the signal. 0 if no format reports the noise.
 */
function interferenceAt({ details }: NodeStatus): number {
  const { rssi, noise } = details;
  if (typeof rssi !== 'number' || typeof noise !== 'number') return 0;
  return rssi <= QUIET_DBM ? Number(noise > QUIET_DBM) : clamp((noise - QUIET_DBM) / (rssi - QUIET_DBM));
}

/** Highest mean RSSI of the sources that report it, dBm; -100 if none does. */
const strongest = (sources: readonly NodeStatus[]): number =>
  Math.max(-100, ...sources.map((node) => node.details['rssi']).filter((value) => typeof value === 'number'));

const number = (node: NodeStatus, name: string): number => {
  const value = node.details[name];
  return typeof value === 'number' ? value : 0;
};

const share = (part: number, whole: number): number => (whole === 0 ? 0 : round(clamp(part / whole)));
const clamp = (value: number): number => Math.min(1, Math.max(0, value));
const round = (value: number): number => Math.round(value * 1e4) / 1e4;
