import { follow, nowUs, type Arrival } from './latency.js';
import { processorSeconds } from '../processor-time.js';
import { droppedBehind } from './program.js';
import { pause, sendFrom, Service, settled } from './service.js';
import { makeSite, type Chain, type Site } from './site.js';
import { rankedQuantile } from '../../../operators/shared/median.js';

export interface ScaleOptions {
  readonly rooms: number;
  readonly topologies: number;
  /** Frames per second of each link. */
  readonly frames: number;
  /** Subcarriers of a frame. */
  readonly subcarriers: number;
  /** Between two windows. */
  readonly hopMs: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly chain: Chain;
  /** Values of `settings.threads` to compare. The first one is measured again as the control. */
  readonly threads: readonly number[];
  readonly progress: (line: string) => void;
}

/** A value of `settings.threads` in one round. */
export interface Scaled {
  readonly round: number;
  readonly threads: number;
  readonly isControl: boolean;
  /** Frames per second that the sender reached. */
  readonly reached: number;
  readonly sent: number;
  /** Frames that were sent and not processed. */
  readonly lost: number;
  /** Processor time by frame, microseconds: of all threads, and of the main thread. */
  readonly microseconds: number;
  readonly mainMicroseconds: number;
  /** From the end of a window to its pose on the WebSocket, milliseconds; null without poses. */
  readonly lag: { readonly p50: number; readonly p99: number; readonly longest: number } | null;
  /** Longest time between the ends of two windows of a room with poses, seconds; null without poses. */
  readonly longestGap: number | null;
  /** Windows and other records that were dropped behind the source. */
  readonly dropped: number;
  readonly residentMb: number;
  readonly warnings: readonly string[];
}

/** Many rooms in one process: with and without threads in turn. Each run starts csiflow anew. */
export async function scale(options: ScaleOptions): Promise<readonly Scaled[]> {
  const { rounds, threads, rooms, progress } = options;
  const scaled: Scaled[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const [index, count] of [...threads, threads[0]!].entries()) {
      const isControl = index === threads.length;
      progress(
        `${rooms} rooms, threads: ${count}${isControl ? ' (control)' : ''}, round ${round} of ${rounds}`,
      );
      scaled.push({ round, threads: count, isControl, ...(await measure(options, count)) });
    }
  }
  return scaled;
}

type Measured = Omit<Scaled, 'round' | 'threads' | 'isControl'>;

async function measure(options: ScaleOptions, threads: number): Promise<Measured> {
  const { rooms, seconds, chain } = options;
  const site = await makeSite({ ...options, threads, unlimited: true });
  const service = new Service(site);
  try {
    const password = await service.password();
    await service.running();
    const arrivals: Arrival[] = [];
    const token = await service.login(password);
    const sockets = chain === 'motion' ? null : await follow(service, token, rooms, arrivals);
    await send(site, options, WARM_UP_S);
    await settled(service);
    arrivals.length = 0;
    const before = await figures(service);
    const from = nowUs();
    const sent = await send(site, options, seconds);
    const to = nowUs();
    await settled(service);
    const after = await figures(service);
    await pause(500);
    for (const socket of sockets ?? []) socket.terminate();
    const received = after.received - before.received;
    const perFrame = (used: number) => (used * 1e6) / received;
    return {
      reached: Math.round(sent.frames / sent.seconds),
      sent: sent.frames,
      lost: sent.frames - received,
      microseconds: perFrame(after.all - before.all),
      mainMicroseconds: perFrame(after.main - before.main),
      ...(sockets
        ? ofPoses(arrivals, rooms, { from, to, apart: 1e6 / options.frames })
        : { lag: null, longestGap: null }),
      dropped: after.dropped - before.dropped,
      residentMb: await service.residentMb(),
      warnings: [...service.warnings.keys()],
    };
  } finally {
    await service.end();
    site.remove();
  }
}

/** Windows are full, and code is compiled. */
const WARM_UP_S = 5;

async function figures(service: Service) {
  return {
    received: await service.metric('csiflow_received_total', 'node="routers"'),
    dropped: await droppedBehind(service),
    all: await service.cpuSeconds(),
    main: await processorSeconds(`${service.pid}/task/${service.pid}`),
  };
}

/** Each topology has a sender of its own. */
async function send({ udpPorts, links }: Site, { frames, subcarriers }: ScaleOptions, seconds: number) {
  const share = links / udpPorts.length;
  const reports = await Promise.all(
    udpPorts.map((port, index) =>
      sendFrom({
        ...{ port, links: share, skip: index * share },
        ...{ rate: share * frames, seconds, subcarriers, times: false },
      }),
    ),
  );
  return {
    frames: reports.reduce((sum, { sent }) => sum + sent, 0),
    seconds: Math.max(...reports.map((report) => report.seconds)),
  };
}

/**
 * Lags of the windows that frames closed, and the longest time without one in a room. A window that ends before the
 * first frame, or after the last of a link, is closed by silence, a second or two later.
 * @param sent when frames were sent, microseconds, and how far apart those of a link are
 */
export function ofPoses(
  arrivals: readonly Arrival[],
  rooms: number,
  { from, to, apart }: { readonly from: number; readonly to: number; readonly apart: number },
) {
  const until = to - apart;
  const closed = arrivals.filter(({ end }) => end >= from && end <= until);
  const lags = closed.map(({ at, end }) => (at - end) / 1000);
  const last = new Float64Array(rooms).fill(from);
  let gap = 0;
  for (const { room, end } of [...closed].sort((a, b) => a.end - b.end)) {
    gap = Math.max(gap, end - last[room]!);
    last[room] = end;
  }
  return {
    lag: {
      p50: rankedQuantile(lags, 0.5),
      p99: rankedQuantile(lags, 0.99),
      longest: rankedQuantile(lags, 1),
    },
    longestGap: Math.max(gap, until - Math.min(...last)) / 1e6,
  };
}
