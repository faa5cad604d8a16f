import { mean } from '../../../operators/shared/mean.js';
import { packageFolder } from '../../../pipeline/base/paths.js';
import { makeSite } from './site.js';
import { pause, receivedFrames, sendFrom, Service, settled } from './service.js';

export interface Memory {
  /** Resident memory every five seconds, MB. */
  readonly samples: readonly number[];
  readonly highest: number;
  /** Mean of the second half of the samples. */
  readonly settled: number;
  /** Slope over the second half of the samples, MB per minute, and its standard error. */
  readonly slope: number;
  readonly error: number;
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
}

const EVERY_MS = 5_000;

/** Resident memory of the whole process while frames arrive, including inference on WASM. */
export async function memoryUse({
  seconds,
  rooms,
  frames,
  folder = packageFolder,
}: MemoryOrder): Promise<Memory> {
  const site = await makeSite({ rooms, chain: 'poses' });
  const service = new Service(site, folder);
  try {
    await service.running();
    const order = { port: site.udpPort, links: site.links, rate: frames, seconds, times: false };
    const sending = sendFrom(order);
    const samples: number[] = [];
    while (samples.length * EVERY_MS < seconds * 1000) {
      await pause(EVERY_MS);
      samples.push(Math.round((await service.residentMb()) * 10) / 10);
    }
    const { sent } = await sending;
    await settled(service);
    const half = samples.slice(Math.floor(samples.length / 2));
    const { slope, error } = trend(half);
    const perMinute = 60_000 / EVERY_MS;
    return {
      samples,
      highest: Math.max(...samples),
      settled: mean(half),
      slope: slope * perMinute,
      error: error * perMinute,
      sent,
      lost: sent - (await receivedFrames(service)),
    };
  } finally {
    await service.end();
    await site.remove();
  }
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
