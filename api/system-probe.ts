import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, totalmem } from 'node:os';
import type { NodeStatus, TopologyStatus } from '../pipeline/runtime/status.js';
import type { Resources, Traffic } from './contract/system.js';

/** Time over which rates are averaged, milliseconds. */
const INTERVAL_MS = 2_000;

interface Sample {
  readonly at: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly frames: number;
  readonly poses: number;
}

/**
 * Measures the process, the machine and the flow of the topology; `docs/system-figures.md` defines each figure.
 * Rates are those of the last two seconds.
 */
export class SystemProbe {
  readonly #status: () => TopologyStatus;
  readonly #folder: string;
  readonly #timer: NodeJS.Timeout;
  #previous: Sample;
  #latest: Sample;

  constructor(status: () => TopologyStatus, folder: string) {
    this.#status = status;
    this.#folder = folder;
    this.#latest = this.#previous = this.#sample();
    this.#timer = setInterval(() => {
      this.#previous = this.#latest;
      this.#latest = this.#sample();
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** CPU is this process's share of all cores, memory and disk the machine's used share. No GPU is measured yet: 0. */
  async resources(): Promise<Resources> {
    const disk = await statfs(this.#folder);
    return {
      cpu: this.#cpu(),
      memory: round(1 - freemem() / totalmem()),
      disk: round(1 - disk.bavail / disk.blocks),
      gpu: 0,
      gpuMemory: 0,
    };
  }

  traffic(): Traffic {
    const { nodes } = this.#status();
    const sources = nodes.filter((node) => node.kind === 'source');
    const lost = sources.reduce((total, node) => total + (node.dropped['sequence_gap'] ?? 0), 0);
    const received = sources.reduce((total, node) => total + node.received, 0);
    const tracker = nodes.find((node) => node.type === 'track-persons');
    return {
      framesPerSecond: this.#rate('frames'),
      posesPerSecond: this.#rate('poses'),
      lossRate: lost + received === 0 ? 0 : round(lost / (lost + received)),
      links: sources.reduce((total, node) => total + number(node, 'active_links'), 0),
      signalStrength: round(Math.min(1, Math.max(0, (strongest(sources) + 100) / 70))),
      activeTracks: tracker ? number(tracker, 'active_tracks') : 0,
      trackQuality: tracker ? number(tracker, 'track_quality') : 0,
    };
  }

  #cpu(): number {
    const used =
      this.#latest.cpu.user + this.#latest.cpu.system - this.#previous.cpu.user - this.#previous.cpu.system;
    const available = (this.#latest.at - this.#previous.at) * 1000 * availableParallelism();
    return available === 0 ? 0 : round(Math.min(1, used / available));
  }

  #rate(what: 'frames' | 'poses'): number {
    const seconds = (this.#latest.at - this.#previous.at) / 1000;
    return seconds === 0 ? 0 : round(Math.max(0, this.#latest[what] - this.#previous[what]) / seconds);
  }

  #sample(): Sample {
    const { nodes } = this.#status();
    const sent = (wanted: (node: NodeStatus) => boolean) =>
      nodes.filter(wanted).reduce((total, node) => total + node.sent, 0);
    return {
      at: performance.now(),
      cpu: process.cpuUsage(),
      frames: sent((node) => node.kind === 'source'),
      poses: sent((node) => node.type === 'infer-pose'),
    };
  }
}

/** Highest mean RSSI of the sources that know it, dBm; -100 where none does. */
const strongest = (sources: readonly NodeStatus[]): number =>
  Math.max(-100, ...sources.map((node) => node.details['rssi']).filter((value) => typeof value === 'number'));

const number = (node: NodeStatus, name: string): number => {
  const value = node.details[name];
  return typeof value === 'number' ? value : 0;
};

const round = (value: number): number => Math.round(value * 1e4) / 1e4;
