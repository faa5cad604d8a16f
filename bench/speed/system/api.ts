import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { InputError } from '../../../pipeline/base/input-error.js';
import { compiledModule } from '../../../pipeline/base/paths.js';
import { median } from '../bench-line.js';
import { processorSeconds } from '../processor-time.js';
import { endWithThis } from '../../shared/children.js';
import type { Adapter } from './adapter.js';
import type { CallOrder, CallReport } from './api-client.js';
import { startPeer } from './peer.js';
import type { Program } from './program.js';
import type { SenderOrder } from './sender.js';
import { pause, sendFrom, Service } from './service.js';
import { LINKS_PER_ROOM, makeSite, type Site } from './site.js';

/** A route, measured in turn with a bare server, and with another program's routes if one is given. */
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
  /** Bytes of an answer, headers included. */
  readonly bytes: number;
  /** Its rate over that of the bare server in the same round, median. For the bare server: A against A. */
  readonly overBare: number;
  /** The same over the first route of the other program; null without one. */
  readonly overPeer: number | null;
}

export interface ApiOptions {
  readonly rounds: number;
  /** Length of one measurement. */
  readonly seconds: number;
  /** Per second, of 4 links, to the program that is asked; csiflow's chain is that with poses. */
  readonly frames: number;
  /** Another program whose routes are measured in the same rounds. */
  readonly peer?: Adapter | undefined;
  readonly progress: (line: string) => void;
}

export const CONNECTIONS = 16;

interface Target {
  readonly route: string;
  readonly pid: number;
  /** UDP port that gets frames meanwhile. */
  readonly udpPort: number;
  readonly port: number;
  readonly path: string;
  /** `Name: value` */
  readonly headers: readonly string[];
}

type Round = CallReport & { readonly cpuUs: number };

/** Rates of routes of the service interface at 16 connections, beside a bare server of Node in the same run. */
export async function apiSpeed(options: ApiOptions): Promise<readonly RouteSpeed[]> {
  const { peer: adapter } = options;
  const routes = adapter ? routesOf(adapter) : [];
  const site = await makeSite({ rooms: 1, chain: 'poses', unlimited: true });
  const service = new Service(site);
  const bare = endWithThis(() => fork(compiledModule(import.meta.url, './bare-server.js')));
  let peer: Program | undefined;
  try {
    peer = adapter && (await startPeer(adapter));
    const [port] = (await once(bare, 'message')) as [number];
    const password = await service.password();
    await service.running();
    const token = await service.login(password);
    await Promise.all([
      sendFrom(framesTo(site.udpPort, options.frames, WARM_UP_S)),
      ...(peer ? [sendFrom(framesTo(peer.port, options.frames, WARM_UP_S))] : []),
      firstPose(`${service.address}/form-b/api/v1/pose/latest`, token),
    ]);
    const bareTarget = { route: BARE, pid: bare.pid!, udpPort: site.udpPort, port, path: '/', headers: [] };
    const before = [bareTarget, ...ownTargets(service.pid, site, token)];
    const others = peer ? peerTargets(peer, adapter!.name, routes) : [];
    // A wrong route ends the run now, not minutes later.
    for (const target of others) await call(target, 0);
    const targets = [...before, ...others, again(before.at(-1)!), again(bareTarget)];
    return await allRounds(targets, peer ? before.length : null, options);
  } finally {
    bare.disconnect();
    await peer?.end();
    await service.end();
    site.remove();
  }
}

const WARM_UP_S = 5;

/** Before it there is no latest pose. */
export async function firstPose(url: string, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  while ((await fetch(url, { headers })).status !== 200) await pause(100);
}

/** @throws InputError if the adapter names none */
function routesOf({ name, routes }: Adapter): readonly URL[] {
  if (routes) return routes.map((route) => new URL(route));
  throw new InputError(
    `the adapter of ${name} has no routes: add the addresses to ask, such as routes: ["http://127.0.0.1:8080/latest"]`,
  );
}

function ownTargets(pid: number, { udpPort, apiPort: port }: Site, token: string): readonly Target[] {
  const headers = [`Authorization: Bearer ${token}`];
  const own = { pid, udpPort, port };
  return [
    { route: '/livez', ...own, path: '/livez', headers: [] },
    ...['/form-a/api/v1/pose/latest', '/form-b/api/v1/pose/latest'].map((path) => ({
      route: `${path}, JWT`,
      ...own,
      path,
      headers,
    })),
  ];
}

/** The routes of another program, and the first one again as its control. */
function peerTargets({ pid, port: udpPort }: Program, name: string, routes: readonly URL[]): Target[] {
  const targets = routes.map(({ port, pathname, search }) => ({
    route: `${name}, ${pathname}${search}`,
    pid,
    udpPort,
    port: Number(port),
    path: pathname + search,
    headers: [],
  }));
  return [...targets, again(targets[0]!)];
}

/** The same once more in each round, as its control. */
const again = (target: Target): Target => ({ ...target, route: `${target.route}, again` });

const BARE = 'bare server of Node';

/** The first round warms up and is not counted. @param first index of the other program's first route */
async function allRounds(
  targets: readonly Target[],
  first: number | null,
  { rounds, seconds, frames, progress }: ApiOptions,
): Promise<readonly RouteSpeed[]> {
  const results = targets.map((): Round[] => []);
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`);
    for (const [index, target] of targets.entries()) {
      const measured = await measure(target, seconds, frames);
      if (round > 0) results[index]!.push(measured);
    }
  }
  const peer = first === null ? null : results[first]!;
  return targets.map(({ route }, index) => summary(route, results[index]!, results[0]!, peer));
}

function summary(
  route: string,
  rounds: readonly Round[],
  bare: readonly Round[],
  peer: readonly Round[] | null,
): RouteSpeed {
  const rates = rounds.map(({ perSecond }) => perSecond);
  const over = (others: readonly Round[]) =>
    median(rates.map((rate, index) => rate / others[index]!.perSecond));
  return {
    route,
    perSecond: median(rates),
    slowest: Math.min(...rates),
    fastest: Math.max(...rates),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    cpuUs: median(rounds.map(({ cpuUs }) => cpuUs)),
    bytes: rounds[0]!.bytes,
    overBare: over(bare),
    overPeer: peer ? over(peer) : null,
  };
}

/** Frames arrive for so long before the client starts, so that windows are full, and longer than it takes to start. */
const [LEAD_S, TAIL_S] = [3, 1.5];

/** Sends frames to the program while it is asked, and to no other: none pays for what another does with them. */
async function measure(target: Target, seconds: number, frames: number): Promise<Round> {
  const { pid, udpPort } = target;
  const sending = sendFrom(framesTo(udpPort, frames, LEAD_S + seconds + TAIL_S));
  await pause(LEAD_S * 1000);
  const before = await processorSeconds(pid);
  const report = await call(target, seconds);
  const used = (await processorSeconds(pid)) - before;
  await sending;
  return { ...report, cpuUs: used * (1e6 / report.calls) };
}

const call = ({ port, path, headers }: Target, seconds: number): Promise<CallReport> =>
  callFrom({ port, path, headers, connections: CONNECTIONS, seconds });

const framesTo = (port: number, rate: number, seconds: number): SenderOrder => ({
  port,
  links: LINKS_PER_ROOM,
  rate,
  seconds,
  times: false,
});

/** In a process of its own, which shares the machine with the server. */
export async function callFrom(order: CallOrder): Promise<CallReport> {
  const child: ChildProcess = endWithThis(() => fork(compiledModule(import.meta.url, './api-client.js')));
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
