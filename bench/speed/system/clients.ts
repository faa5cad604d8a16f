import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { compiledModule } from '../../../pipeline/base/paths.js';
import { endWithThis } from '../../shared/children.js';
import type { LoadOrder, LoadReport, Times } from './load-client.js';
import type { ProcessorTime } from '../processor-time.js';
import { sendFrom, Service } from './service.js';
import { makeSite } from './site.js';

export interface ClientsFigures extends Times {
  readonly requests: number;
  /** Responses other than 200, and calls without a response. */
  readonly errors: number;
  readonly statuses: LoadReport['statuses'];
  readonly byPath: LoadReport['byPath'];
  readonly bytes: number;
  readonly webSockets: { readonly opened: number; readonly closed: number };
  readonly updates: number;
  readonly fewestUpdates: number;
  /** Datagrams sent, and received by csiflow. */
  readonly frames: { readonly sent: number; readonly received: number };
  readonly residentMb: number;
  /** Share of a core that csiflow used before the clients connected, with the same frames. */
  readonly coresAlone: number;
  /** Share of a core that each used with the clients connected. */
  readonly cores: { readonly csiflow: ProcessorTime; readonly clients: ProcessorTime };
  /** Load average of the machine over the last minute, before the measurement. */
  readonly load: number;
}

/** Limit of streams per account. */
const STREAMS_OF_A_KEY = 10;
const [WARM_UP_S, ALONE_S] = [5, 5];
const PATHS = [
  '/form-a/api/v1/pose/latest',
  '/form-b/api/v1/pose/latest',
  '/form-b/api/v1/system/status',
  '/form-b/api/v1/health',
  '/form-a/api/v1/pose/history?limit=10',
];

/**
 * 200 WebSocket clients with 20 filters and 500 REST requests per second over keep-alive, while the topology
 * processes 2,000 frames per second in its whole chain. Clients and sender share the machine's cores with
 * csiflow.
 */
export async function clientsSpeed(seconds: number): Promise<ClientsFigures> {
  const [clients, rate, load] = [200, 500, loadavg()[0]!];
  const site = await makeSite({ rooms: 1, chain: 'poses', unlimited: true });
  const service = new Service(site);
  try {
    const password = await service.password();
    await service.running();
    const keys = await service.keys(await service.login(password), clients / STREAMS_OF_A_KEY);
    const frames = { port: site.udpPort, links: site.links, rate: 2_000, times: false };
    await sendFrom({ ...frames, seconds: WARM_UP_S });
    const alone = await service.cpuSeconds();
    await sendFrom({ ...frames, seconds: ALONE_S });
    const [cpu, received] = [await service.cpu(), await service.metric('csiflow_received_total', 'routers')];
    const order = { address: service.address, keys, clients, filters: 20, rate, seconds, paths: PATHS };
    const [report, sender] = await Promise.all([loadFrom(order), sendFrom({ ...frames, seconds })]);
    const after = await service.cpu();
    const used = { user: after.user - cpu.user, system: after.system - cpu.system };
    const { requests, statuses, times, byPath, bytes } = report;
    return {
      ...{ requests, statuses, byPath, bytes, ...times },
      errors: requests - (statuses['200'] ?? 0),
      webSockets: { opened: report.opened, closed: report.closed },
      updates: report.updates,
      fewestUpdates: report.fewest,
      frames: {
        sent: sender.sent,
        received: (await service.metric('csiflow_received_total', 'routers')) - received,
      },
      residentMb: Math.round(await service.residentMb()),
      coresAlone: (cpu.user + cpu.system - alone) / ALONE_S,
      cores: { csiflow: perSecond(used, seconds), clients: perSecond(report.cpu, seconds) },
      load,
    };
  } finally {
    await service.end();
    site.remove();
  }
}

const perSecond = ({ user, system }: ProcessorTime, seconds: number): ProcessorTime => ({
  user: user / seconds,
  system: system / seconds,
});

async function loadFrom(order: LoadOrder): Promise<LoadReport> {
  const child = endWithThis(() => fork(compiledModule(import.meta.url, './load-client.js')));
  const exit = once(child, 'exit');
  const ended = exit.then(([code]) => {
    throw new Error(`the process of the clients ended early, with ${String(code)}`);
  });
  child.send(order);
  const [report] = (await Promise.race([once(child, 'message'), ended])) as [LoadReport];
  ended.catch(() => undefined);
  child.disconnect();
  await exit;
  return report;
}
