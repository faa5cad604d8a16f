import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { processorSeconds } from '../processor-time.js';
import { follow, latencyOf, type Arrival, type Latency } from './latency.js';
import { pause, runOn, sendFrom, settled } from './service.js';
import { LINKS_PER_ROOM } from './site.js';

/**
 * Two topologies in one process: from the datagram that closes a window of the first one to its pose, while the
 * second one is idle, while it is busy, and idle again (the control). Both send their poses to the WebSocket.
 *
 * `node dist/bench/speed/system/neighbours.js [--rounds 2] [--seconds 6] [--frames 80] [--busy 2000] [--threads
 * 0,1]`
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '2' },
      seconds: { type: 'string', default: '6' },
      frames: { type: 'string', default: '80' },
      busy: { type: 'string', default: '2000' },
      threads: { type: 'string', default: '0,1' },
    },
  });
  const [rounds, seconds, frames, busy] = [values.rounds, values.seconds, values.frames, values.busy].map(
    Number,
  ) as [number, number, number, number];
  for (const threads of values.threads.split(',').map(Number)) {
    const lags = await lagsBeside({ rounds, seconds, frames, busy, threads });
    for (const lag of lags) process.stdout.write(`${JSON.stringify({ threads, ...lag })}\n`);
  }
}

interface Order {
  readonly rounds: number;
  readonly seconds: number;
  /** Datagrams per second of the first topology, over its four links. */
  readonly frames: number;
  /** The same of the second one while it is busy. */
  readonly busy: number;
  /** `settings.threads` of both. */
  readonly threads: number;
}

interface Lag extends Latency {
  readonly second: 'idle' | 'busy' | 'idle, again';
  /** Share of a core that the main thread used. */
  readonly mainCore: number;
  readonly load: number;
}

const WARM_UP_S = 4;

async function lagsBeside({ rounds, seconds, frames, busy, threads }: Order): Promise<readonly Lag[]> {
  const { site, service, end } = await runOn({ rooms: 2, topologies: 2, chain: 'poses', threads });
  try {
    const arrivals: Arrival[] = [];
    const sockets = await follow(service, await service.login(await service.password()), 1, arrivals);
    const first = { port: site.udpPorts[0]!, links: LINKS_PER_ROOM, rate: frames };
    const second = { port: site.udpPorts[1]!, links: LINKS_PER_ROOM, skip: LINKS_PER_ROOM, times: false };
    const both = (rate: number, length: number) =>
      Promise.all([
        sendFrom({ ...first, seconds: length, times: true }),
        ...(rate === 0 ? [] : [sendFrom({ ...second, rate, seconds: length })]),
      ]);
    await both(busy, WARM_UP_S);
    const lags: Lag[] = [];
    for (let round = 0; round < rounds; round++)
      for (const state of ['idle', 'busy', 'idle, again'] as const) {
        await settled(service);
        arrivals.length = 0;
        const [used, begun] = [await mainThread(service.pid), performance.now()];
        const [{ times }] = await both(state === 'busy' ? busy : 0, seconds);
        const mainCore = ((await mainThread(service.pid)) - used) / ((performance.now() - begun) / 1000);
        await pause(500);
        lags.push({
          second: state,
          ...latencyOf(arrivals, times, LINKS_PER_ROOM),
          mainCore,
          load: loadavg()[0]!,
        });
      }
    for (const socket of sockets) socket.terminate();
    return lags;
  } finally {
    await end();
  }
}

const mainThread = (pid: number): Promise<number> => processorSeconds(`${pid}/task/${pid}`);

await main();
