import { makeSite } from './site.js';
import { receivedFrames, sendFrom, Service, settled } from './service.js';

export interface UdpStep {
  readonly rate: number;
  /** Datagrams per second that the sender reached. */
  readonly reached: number;
  readonly sent: number;
  readonly received: number;
  readonly lost: number;
  /** Processor time of the whole process, all threads, per datagram received. */
  readonly microseconds: number;
}

/**
 * Datagrams of 64 subcarriers through socket, journal, decoding, signal processing, motion and DuckDB, at
 * increasing rates; each rate twice (A against A).
 */
export async function udpLine(
  rates: readonly number[],
  seconds: number,
  progress: (line: string) => void = () => undefined,
): Promise<readonly UdpStep[]> {
  const steps: UdpStep[] = [];
  for (const rate of rates.flatMap((one) => [one, one])) {
    progress(`UDP line at ${rate} datagrams/s`);
    const site = await makeSite({ rooms: 5, chain: 'motion' });
    const service = new Service(site);
    try {
      await service.running();
      await sendFrom({ port: site.udpPort, links: site.links, rate: 5_000, seconds: 1, times: false }); // warms up
      await settled(service);
      const [before, cpuBefore] = [await receivedFrames(service), await service.cpuSeconds()];
      const { sent, seconds: took } = await sendFrom({
        port: site.udpPort,
        links: site.links,
        rate,
        seconds,
        times: false,
      });
      await settled(service);
      const arrived = (await receivedFrames(service)) - before;
      const microseconds = (((await service.cpuSeconds()) - cpuBefore) * 1e6) / arrived;
      const reached = Math.round(sent / took);
      steps.push({ rate, reached, sent, received: arrived, lost: sent - arrived, microseconds });
    } finally {
      await service.end();
      await site.remove();
    }
  }
  return steps;
}
