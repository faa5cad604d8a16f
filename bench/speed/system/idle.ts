import { packageFolder } from '../../../pipeline/base/paths.js';
import { median } from '../bench-line.js';
import { inTurn } from '../in-turn.js';
import { sleeps } from '../processor-time.js';
import { pause, receivedFrames, runOn, sendFrom, settled, type Running } from './service.js';
import type { Chain } from './site.js';

/** Processor time of a version at a chain and a rate: median, least and most of the rounds. */
export interface IdleCost {
  readonly chain: Chain;
  /** Frames per second, of 4 links in one room. */
  readonly frames: number;
  /** `this version`, the same again as its control, or another folder. */
  readonly version: string;
  /** Processor time of all threads for each frame, microseconds. Null without frames. */
  readonly usPerFrame: Spread | null;
  /** The kernel's share of it. */
  readonly system: number;
  /** Percent of one core. */
  readonly core: Spread;
  /** How often any thread goes to sleep, per second. */
  readonly sleepsPerSecond: number;
  /** Processor time over that of this version in the same round, median. */
  readonly overThis: number;
  /** The same of each round. */
  readonly overThisInRounds: readonly number[];
  /** Frames that were sent but not received. */
  readonly lost: number;
}

type Spread = readonly [middle: number, least: number, most: number];

export interface IdleOptions {
  readonly rounds: number;
  /** Length of one measurement. */
  readonly seconds: number;
  /** How long frames arrive before each measurement, seconds. */
  readonly warmUp: number;
  readonly rates: readonly number[];
  readonly chains: readonly Chain[];
  /** Folder of another checkout that is compiled; null: none. */
  readonly against: string | null;
  readonly progress: (line: string) => void;
}

interface Round {
  readonly user: number;
  readonly system: number;
  readonly sleeps: number;
  readonly seconds: number;
  readonly sent: number;
  readonly lost: number;
}

/** What csiflow costs at low frame rates: this version, the same again, and another one in turn. */
export async function idleCost({
  rounds,
  rates,
  chains,
  ...options
}: IdleOptions): Promise<readonly IdleCost[]> {
  const costs: IdleCost[] = [];
  for (const chain of chains) {
    const versions: Version[] = [];
    try {
      for (const folder of foldersOf(options.against)) versions.push(await start(chain, folder));
      for (const rate of rates) costs.push(...(await costsAt(versions, rate, rounds, options)));
    } finally {
      await Promise.all(versions.map(({ end }) => end()));
    }
  }
  return costs;
}

interface Version extends Running {
  readonly version: string;
  readonly chain: Chain;
}

const foldersOf = (against: string | null): readonly (readonly [version: string, folder: string])[] => [
  ['this version', packageFolder],
  ['this version, again', packageFolder],
  ...(against === null ? [] : ([[against, against]] as const)),
];

async function start(
  chain: Chain,
  [version, folder]: readonly [version: string, folder: string],
): Promise<Version> {
  return { version, chain, ...(await runOn({ rooms: 1, chain }, folder)) };
}

/** The first round warms up and is not counted. */
async function costsAt(
  versions: readonly Version[],
  rate: number,
  rounds: number,
  { progress, ...length }: Pick<IdleOptions, 'seconds' | 'warmUp' | 'progress'>,
): Promise<readonly IdleCost[]> {
  const measured = versions.map((): Round[] => []);
  for (let round = 0; round <= rounds; round++) {
    progress(
      `${versions[0]!.chain}, ${rate} frames/s: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}`,
    );
    for (const [index, version] of inTurn(versions, round)) {
      const one = await measure(version, rate, length);
      if (round > 0) measured[index]!.push(one);
    }
  }
  return versions.map((version, index) => summary(version, rate, measured[index]!, measured[0]!));
}

async function measure(
  { service, site }: Version,
  rate: number,
  { seconds, warmUp }: Pick<IdleOptions, 'seconds' | 'warmUp'>,
): Promise<Round> {
  const order = { port: site.udpPort, links: site.links, rate, times: false };
  const send = (duration: number) =>
    rate > 0 ? sendFrom({ ...order, seconds: duration }) : pause(duration * 1000).then(() => ({ sent: 0 }));
  if (warmUp > 0) await send(warmUp);
  await settled(service);
  const [received, cpu, slept] = [
    await receivedFrames(service),
    await service.cpu(),
    await sleeps(service.pid),
  ];
  const began = performance.now();
  const { sent } = await send(seconds);
  const took = (performance.now() - began) / 1000;
  const [after, sleptAfter] = [await service.cpu(), await sleeps(service.pid)];
  await settled(service);
  const arrived = (await receivedFrames(service)) - received;
  return {
    user: after.user - cpu.user,
    system: after.system - cpu.system,
    sleeps: sleptAfter - slept,
    seconds: took,
    sent,
    lost: sent - arrived,
  };
}

function summary(
  { version, chain }: Version,
  frames: number,
  rounds: readonly Round[],
  own: readonly Round[],
): IdleCost {
  const spread = (figure: (round: Round) => number): Spread => {
    const values = rounds.map(figure);
    return [median(values), Math.min(...values), Math.max(...values)];
  };
  const used = ({ user, system }: Round) => user + system;
  const perSecond = (round: Round) => used(round) / round.seconds;
  const overThis = rounds.map((round, index) => perSecond(round) / perSecond(own[index]!));
  return {
    chain,
    frames,
    version,
    usPerFrame: frames === 0 ? null : spread((round) => (used(round) * 1e6) / round.sent),
    system: median(rounds.map((round) => round.system / used(round))),
    core: spread((round) => 100 * perSecond(round)),
    sleepsPerSecond: median(rounds.map((round) => round.sleeps / round.seconds)),
    overThis: median(overThis),
    overThisInRounds: overThis,
    lost: rounds.reduce((sum, { lost }) => sum + lost, 0),
  };
}
