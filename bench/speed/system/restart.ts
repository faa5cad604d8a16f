import { makeSite } from './site.js';
import { pause, sendFrom, Service } from './service.js';

export interface Restart {
  /** From the start of the process to running, seconds. */
  readonly seconds: number;
  /** Frames that were in the journal and not in a checkpoint. */
  readonly backlog: number;
}

/** Kills csiflow at full load and starts it again; the second pair kills it idle, as a control. */
export async function restartAfterKill(rate: number): Promise<readonly Restart[]> {
  const results: Restart[] = [];
  for (const load of [rate, rate, 0, 0]) results.push(await once(load));
  return results;
}

async function once(rate: number): Promise<Restart> {
  const site = await makeSite({ rooms: 5, inference: false });
  const first = new Service(site);
  try {
    await first.running();
    if (rate > 0) {
      const sender = sendFrom({ port: site.udpPort, links: site.links, rate, seconds: 3, times: false });
      await pause(2_500);
      await first.end('SIGKILL');
      await sender;
    } else await first.end('SIGKILL');
    const begun = performance.now();
    const second = new Service(site);
    try {
      await second.running();
      const seconds = (performance.now() - begun) / 1000;
      return { seconds, backlog: await second.metric('csiflow_received_total', 'node="routers"') };
    } finally {
      await second.end();
    }
  } finally {
    await first.end('SIGKILL');
    await site.remove();
  }
}
