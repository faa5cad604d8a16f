import { execFile } from 'node:child_process';

/** Shares from 0 to 1, and bytes; all 0 without a GPU. */
export interface GpuFigures {
  /** Share of time in which the GPU was busy; the mean of several. */
  readonly usage: number;
  /** Used share of the memory of all GPUs. */
  readonly memory: number;
  readonly memoryBytes: number;
}

const NONE: GpuFigures = { usage: 0, memory: 0, memoryBytes: 0 };
const EVERY_MS = 10_000;
const PATIENCE_MS = 5_000;
const QUESTION = [
  '--query-gpu=utilization.gpu,memory.used,memory.total',
  '--format=csv,noheader,nounits',
] as const;

/** Runs `nvidia-smi`; returns its output, empty on failure, null if it is not installed. */
export type AskGpu = () => Promise<string | null>;

/** Figures of NVIDIA GPUs, polled every ten seconds. A machine without `nvidia-smi` is polled once. */
export class GpuProbe {
  #figures: GpuFigures = NONE;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** Resolves after the first poll. */
  readonly ready: Promise<void>;

  constructor(ask: AskGpu = askNvidia, everyMs = EVERY_MS) {
    this.ready = this.#look(ask, everyMs);
  }

  get figures(): GpuFigures {
    return this.#figures;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #look(ask: AskGpu, everyMs: number): Promise<void> {
    const answer = await ask();
    if (answer === null) return;
    this.#figures = readGpus(answer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#look(ask, everyMs), everyMs);
    this.#timer.unref();
  }
}

/** One line per GPU: percent, MiB, MiB. Missing values (`[N/A]`, as for a partitioned GPU) count as 0. */
export function readGpus(text: string): GpuFigures {
  const gpus = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split(',').map((field) => Number.parseFloat(field) || 0));
  if (gpus.length === 0) return NONE;
  const sum = (column: number) => gpus.reduce((total, fields) => total + (fields[column] ?? 0), 0);
  const [used, all] = [sum(1), sum(2)];
  return {
    usage: sum(0) / gpus.length / 100,
    memory: all === 0 ? 0 : used / all,
    memoryBytes: used * 2 ** 20,
  };
}

const askNvidia: AskGpu = () =>
  new Promise((resolve) => {
    execFile('nvidia-smi', QUESTION, { timeout: PATIENCE_MS }, (error, stdout) => {
      // A busy GPU, or one whose driver is being updated, may answer next time.
      resolve(error?.code === 'ENOENT' ? null : error ? '' : stdout);
    });
  });
