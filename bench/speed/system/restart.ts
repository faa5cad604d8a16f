import { makeSite } from './site.js';
import { pause, receivedFrames, sendFrom, Service } from './service.js';

export interface Restart {
  /** Time from the start of the process until it runs and has processed its backlog, seconds. */
  readonly seconds: number;
  /** Frames in the journal that were not in a checkpoint. */
  readonly backlog: number;
  /** Processor time of all threads until then, seconds. */
  readonly cpu: number;
}

/** Kills csiflow at full load and restarts it; the second pair kills it idle, as a control. */
export async function restartAfterKill(
  rate: number,
  progress: (line: string) => void = () => undefined,
): Promise<readonly Restart[]> {
  const results: Restart[] = [];
  for (const load of [rate, rate, 0, 0]) {
    progress(`kill at ${load} datagrams/s, and start`);
    results.push(await restartOnce(load));
  }
  return results;
}

/**
 * Kills csiflow while this many frames per second come, and starts it again.
 * @param folder of a compiled checkout; default: this version
 */
export async function restartOnce(rate: number, folder?: string): Promise<Restart> {
  const site = await makeSite({ rooms: 5, chain: 'motion' });
  const first = new Service(site, folder);
  try {
    await first.running();
    if (rate > 0) {
      const sender = sendFrom({ port: site.udpPort, links: site.links, rate, seconds: 3, times: false });
      await pause(2_500);
      await first.end('SIGKILL');
      await sender;
    } else await first.end('SIGKILL');
    const begun = performance.now();
    const second = new Service(site, folder);
    try {
      await second.running();
      return await caughtUp(second, begun);
    } finally {
      await second.end();
    }
  } finally {
    await first.end('SIGKILL');
    site.remove();
  }
}

/**
 * Waits until the count of processed frames has been constant for half a second; returns the time of its last
 * change.
 */
async function caughtUp(service: Service, begun: number): Promise<Restart> {
  let [backlog, at, cpu] = [-1, performance.now(), 0];
  while (performance.now() - at < 500) {
    const now = await receivedFrames(service);
    if (now !== backlog) [backlog, at, cpu] = [now, performance.now(), await service.cpuSeconds()];
    await pause(20);
  }
  return { seconds: (at - begun) / 1000, backlog, cpu };
}
