import { makeSite } from './site.js';
import { pause, sendFrom, Service } from './service.js';

export interface Memory {
  /** Resident memory every five seconds, MB. */
  readonly samples: readonly number[];
  readonly highest: number;
  /** Slope over the second half of the samples, MB per minute. */
  readonly slope: number;
}

const EVERY_MS = 5_000;

/** Resident memory of the whole process at 1,000 frames per second, including inference on WASM. */
export async function memoryUse(seconds: number): Promise<Memory> {
  const site = await makeSite({ rooms: 5, chain: 'poses' });
  const service = new Service(site);
  try {
    await service.running();
    const order = { port: site.udpPort, links: site.links, rate: 1_000, seconds, times: false };
    const sent = sendFrom(order);
    const samples: number[] = [];
    while (samples.length * EVERY_MS < seconds * 1000) {
      await pause(EVERY_MS);
      samples.push(Math.round(await service.residentMb()));
    }
    await sent;
    const late = samples.slice(Math.floor(samples.length / 2));
    return { samples, highest: Math.max(...samples), slope: slope(late) * (60_000 / EVERY_MS) };
  } finally {
    await service.end();
    await site.remove();
  }
}

/** Least squares, per sample. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const over = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  const under = values.reduce((sum, _value, index) => sum + (index - middle) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
