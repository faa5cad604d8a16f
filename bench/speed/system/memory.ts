import { mean } from '../../../operators/shared/mean.js';
import { packageFolder } from '../../../pipeline/base/paths.js';
import { pause, receivedFrames, runOn, sendFrom, settled, type Service } from './service.js';

export interface Memory {
  /** Resident memory every five seconds, MB. */
  readonly samples: readonly number[];
  readonly highest: number;
  /** Mean of the second half of the samples. */
  readonly settled: number;
  /** Slope over the second half of the samples, MB per minute, and its standard error. */
  readonly slope: number;
  readonly error: number;
  /** Processor time of all threads for each frame of the second half, microseconds; NaN if none arrived. */
  readonly usPerFrame: number;
  /** Frames that were sent, and those of them that were not processed. */
  readonly sent: number;
  readonly lost: number;
}

export interface MemoryOrder {
  readonly seconds: number;
  /** Rooms, of four links each. */
  readonly rooms: number;
  /** Frames per second. */
  readonly frames: number;
  /** Folder of a compiled checkout. Default: this version. */
  readonly folder?: string;
  /** Called once a minute. */
  readonly progress: (line: string) => void;
}

const EVERY_MS = 5_000;
const PER_MINUTE = 60_000 / EVERY_MS;

/** Resident memory of the whole process while frames arrive, including inference on WASM. */
export async function memoryUse({ folder = packageFolder, ...order }: MemoryOrder): Promise<Memory> {
  const { service, site, end } = await runOn({ rooms: order.rooms, chain: 'poses' }, folder);
  try {
    const { seconds, frames: rate } = order;
    const sending = sendFrom({ port: site.udpPort, links: site.links, rate, seconds, times: false });
    const { samples, halfway } = await watched(service, order);
    const { sent } = await sending;
    await settled(service);
    const { received, cpu } = await workOf(service);
    const half = samples.slice(Math.floor(samples.length / 2));
    const { slope, error } = trend(half);
    return {
      samples,
      highest: Math.max(...samples),
      settled: mean(half),
      slope: slope * PER_MINUTE,
      error: error * PER_MINUTE,
      usPerFrame: (1e6 * (cpu - halfway.cpu)) / (received - halfway.received),
      sent,
      lost: sent - received,
    };
  } finally {
    await end();
  }
}

/** Frames that csiflow has processed, and the processor time that it has needed, seconds. */
interface Work {
  readonly received: number;
  readonly cpu: number;
}

async function workOf(service: Service): Promise<Work> {
  return { received: await receivedFrames(service), cpu: await service.cpuSeconds() };
}

/** Resident memory every five seconds, MB, and the work that was done by halfway. */
async function watched(
  service: Service,
  { seconds, progress }: MemoryOrder,
): Promise<{ readonly samples: readonly number[]; readonly halfway: Work }> {
  const count = Math.ceil((seconds * 1000) / EVERY_MS);
  const samples: number[] = [];
  let halfway = await workOf(service);
  while (samples.length < count) {
    await pause(EVERY_MS);
    samples.push(Math.round((await service.residentMb()) * 10) / 10);
    if (samples.length === Math.floor(count / 2)) halfway = await workOf(service);
    if (samples.length % PER_MINUTE === 0)
      progress(`after ${samples.length / PER_MINUTE} minutes: ${samples.at(-1)!.toFixed(0)} MB`);
  }
  return { samples, halfway };
}

/** Slope per sample by least squares, and its standard error; 0 for fewer than three values. */
export function trend(values: readonly number[]): { readonly slope: number; readonly error: number } {
  if (values.length < 3) return { slope: 0, error: 0 };
  const middle = (values.length - 1) / 2;
  const centre = mean(values);
  const over = values.reduce((sum, value, index) => sum + (index - middle) * (value - centre), 0);
  const under = values.reduce((sum, _value, index) => sum + (index - middle) ** 2, 0);
  const slope = over / under;
  const squares = values.reduce(
    (sum, value, index) => sum + (value - centre - slope * (index - middle)) ** 2,
    0,
  );
  return { slope, error: Math.sqrt(squares / (values.length - 2) / under) };
}
