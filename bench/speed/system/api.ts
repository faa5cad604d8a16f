import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { compiledModule } from '../../../pipeline/base/paths.js';
import { median } from '../bench-line.js';
import { processorSeconds } from '../processor-time.js';
import type { CallOrder, CallReport } from './api-client.js';
import { pause, sendFrom, Service } from './service.js';
import { makeSite } from './site.js';

/** A route, measured in turn with a bare server. */
export interface RouteSpeed {
  readonly route: string;
  /** Calls per second, median of all rounds. */
  readonly perSecond: number;
  readonly slowest: number;
  readonly fastest: number;
  /** Milliseconds, medians of the rounds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of all threads of the server, microseconds for each call; with the frames beside it. */
  readonly cpuUs: number;
  /** Its rate over that of the bare server in the same round, median. For the bare server: A against A. */
  readonly overBare: number;
}

export interface ApiOptions {
  readonly rounds: number;
  /** Length of one measurement. */
  readonly seconds: number;
  /** Per second, of 4 links through the whole chain with poses, while calls are answered. */
  readonly frames: number;
  readonly progress: (line: string) => void;
}

export const CONNECTIONS = 16;

interface Target {
  readonly route: string;
  readonly pid: number;
  readonly order: CallOrder;
}

type Round = CallReport & { readonly cpuUs: number };

/** Rates of routes of the service interface at 16 connections, beside a bare server of Node in the same run. */
export async function apiSpeed({
  rounds,
  seconds,
  frames,
  progress,
}: ApiOptions): Promise<readonly RouteSpeed[]> {
  const site = await makeSite({ rooms: 1, chain: 'poses', unlimited: true });
  const service = new Service(site);
  const bare = fork(compiledModule(import.meta.url, './bare-server.js'));
  try {
    const [port] = (await once(bare, 'message')) as [number];
    const password = await service.password();
    await service.running();
    const token = await service.login(password);
    const targets = targetsOf(
      { pid: bare.pid!, port },
      { pid: service.pid, port: site.apiPort, token },
      seconds,
    );
    const duration = (rounds + 1) * targets.length * (seconds + 0.5) + WARM_UP_S;
    const sending = sendFrom({
      port: site.udpPort,
      links: site.links,
      rate: frames,
      seconds: duration,
      times: false,
    });
    await firstPose(`${service.address}/form-b/api/v1/pose/latest`, token);
    const measured = await allRounds(targets, rounds, progress);
    await sending;
    return measured;
  } finally {
    bare.disconnect();
    await service.end();
    await site.remove();
  }
}

const WARM_UP_S = 5;

/** Before it there is no latest pose. */
export async function firstPose(url: string, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  while ((await fetch(url, { headers })).status !== 200) await pause(100);
}

function targetsOf(
  bare: { readonly pid: number; readonly port: number },
  csiflow: { readonly pid: number; readonly port: number; readonly token: string },
  seconds: number,
): readonly Target[] {
  const order = { connections: CONNECTIONS, seconds, headers: [] };
  const own = (path: string, ...headers: string[]): CallOrder => ({
    ...order,
    port: csiflow.port,
    path,
    headers,
  });
  const login = `Authorization: Bearer ${csiflow.token}`;
  const { pid } = csiflow;
  const bareTarget = { pid: bare.pid, order: { ...order, port: bare.port, path: '/' } };
  return [
    { route: BARE, ...bareTarget },
    { route: '/livez', pid, order: own('/livez') },
    { route: '/form-a/api/v1/pose/latest, JWT', pid, order: own('/form-a/api/v1/pose/latest', login) },
    { route: '/form-b/api/v1/pose/latest, JWT', pid, order: own('/form-b/api/v1/pose/latest', login) },
    { route: `${BARE}, again`, ...bareTarget },
  ];
}

const BARE = 'bare server of Node';

/** The first round warms up and is not counted. */
async function allRounds(
  targets: readonly Target[],
  rounds: number,
  progress: ApiOptions['progress'],
): Promise<readonly RouteSpeed[]> {
  const results = targets.map((): Round[] => []);
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`);
    for (const [index, target] of targets.entries()) {
      const measured = await measure(target);
      if (round > 0) results[index]!.push(measured);
    }
  }
  return targets.map(({ route }, index) => summary(route, results[index]!, results[0]!));
}

function summary(route: string, rounds: readonly Round[], bare: readonly Round[]): RouteSpeed {
  const rates = rounds.map(({ perSecond }) => perSecond);
  return {
    route,
    perSecond: median(rates),
    slowest: Math.min(...rates),
    fastest: Math.max(...rates),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    cpuUs: median(rounds.map(({ cpuUs }) => cpuUs)),
    overBare: median(rates.map((rate, index) => rate / bare[index]!.perSecond)),
  };
}

async function measure({ pid, order }: Target): Promise<Round> {
  const before = await processorSeconds(pid);
  const report = await callFrom(order);
  return { ...report, cpuUs: ((await processorSeconds(pid)) - before) * (1e6 / report.calls) };
}

/** In a process of its own, which shares the machine with the server. */
export async function callFrom(order: CallOrder): Promise<CallReport> {
  const child: ChildProcess = fork(compiledModule(import.meta.url, './api-client.js'));
  const exit = once(child, 'exit');
  const ended = exit.then(([code]) => {
    throw new Error(`the process of the client ended early, with ${String(code)}`);
  });
  child.send(order);
  const [report] = (await Promise.race([once(child, 'message'), ended])) as [CallReport];
  ended.catch(() => undefined);
  child.disconnect();
  await exit;
  return report;
}
