import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { compiledModule } from '../../../pipeline/telemetry/paths.js';
import type { LoadOrder, LoadReport } from './load-client.js';
import { sendFrom, Service } from './service.js';
import { makeSite } from './site.js';

export interface ClientsFigures {
  readonly requests: number;
  /** Answers that were not 200, and calls without an answer. */
  readonly errors: number;
  readonly statuses: LoadReport['statuses'];
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  readonly webSockets: { readonly opened: number; readonly closed: number };
  readonly updates: number;
  readonly fewestUpdates: number;
  /** Datagrams that were sent, and that csiflow received. */
  readonly frames: { readonly sent: number; readonly received: number };
  readonly residentMb: number;
  readonly cpuSeconds: number;
  /** Average load of the machine over the last minute. */
  readonly load: number;
}

/** An account may have ten streams. */
const STREAMS_OF_A_KEY = 10;
const WARM_UP_S = 5;
const PATHS = [
  '/form-a/api/v1/pose/latest',
  '/form-b/api/v1/pose/latest',
  '/form-b/api/v1/system/status',
  '/form-b/api/v1/health',
  '/form-a/api/v1/pose/history?limit=10',
];

/**
 * 200 WebSocket clients with 20 filters and 500 REST requests a second over keep-alive, while the topology takes 2,000
 * frames a second through all of its chain. Clients and sender share the machine's cores with csiflow.
 */
export async function clientsSpeed(seconds: number): Promise<ClientsFigures> {
  const [clients, rate] = [200, 500];
  const site = await makeSite({ rooms: 1, inference: true, unlimited: true });
  const service = new Service(site);
  try {
    const password = await service.password();
    await service.running();
    const keys = await service.keys(await service.login(password), clients / STREAMS_OF_A_KEY);
    const frames = { port: site.udpPort, links: site.links, rate: 2_000, times: false };
    await sendFrom({ ...frames, seconds: WARM_UP_S });
    const [cpu, received] = [
      await service.cpuSeconds(),
      await service.metric('csiflow_received_total', 'routers'),
    ];
    const order = { address: service.address, keys, clients, filters: 20, rate, seconds, paths: PATHS };
    const [report, sender] = await Promise.all([loadFrom(order), sendFrom({ ...frames, seconds })]);
    const { statuses, times } = report;
    return {
      requests: times.length,
      errors: times.length - (statuses['200'] ?? 0),
      statuses,
      p50: times[times.length >> 1]!,
      p99: times[Math.ceil(times.length * 0.99) - 1]!,
      longest: times.at(-1)!,
      webSockets: { opened: report.opened, closed: report.closed },
      updates: report.updates,
      fewestUpdates: report.fewest,
      frames: {
        sent: sender.sent,
        received: (await service.metric('csiflow_received_total', 'routers')) - received,
      },
      residentMb: Math.round(await service.residentMb()),
      cpuSeconds: (await service.cpuSeconds()) - cpu,
      load: loadavg()[0]!,
    };
  } finally {
    await service.end();
    await site.remove();
  }
}

async function loadFrom(order: LoadOrder): Promise<LoadReport> {
  const child = fork(compiledModule(import.meta.url, './load-client.js'));
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process of the clients ended early, with ${String(code)}`);
  });
  child.send(order);
  const [report] = (await Promise.race([once(child, 'message'), ended])) as [LoadReport];
  ended.catch(() => undefined);
  return report;
}
