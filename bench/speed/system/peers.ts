import { spreadOf, type Spread } from '../../shared/spread.js';
import type { Adapter } from './adapter.js';
import { startPeer } from './peer.js';
import { csiflowOn, drive, type Driven, type Program } from './program.js';
import type { Chain } from './site.js';

export interface PeersOptions {
  readonly peers: readonly Adapter[];
  /** Datagrams per second, over all links. */
  readonly rates: readonly number[];
  /** Links of the one room. */
  readonly links: number;
  /** Subcarriers of a datagram. */
  readonly subcarriers: number;
  readonly chain: Chain;
  readonly rounds: number;
  readonly seconds: number;
  readonly progress: (line: string) => void;
}

export interface PeerSpeed {
  readonly program: string;
  readonly rate: number;
  /** Share of the datagrams sent that were not processed. */
  readonly lost: Spread;
  /** Windows and other records dropped behind its input. Null: nobody counts them. */
  readonly dropped: Spread | null;
  /** Processor time of all threads by processed datagram, microseconds. Null if none was. */
  readonly microseconds: Spread | null;
  /** Processed per second over csiflow in the same round, median. */
  readonly overCsiflow: number;
}

/** csiflow, the same again as its control, and each peer in turn, driven by the same datagrams; started anew each time. */
export async function peerSpeeds(options: PeersOptions): Promise<readonly PeerSpeed[]> {
  const programs: readonly (readonly [string, () => Promise<Program>])[] = [
    ['csiflow', () => csiflowOn({ rooms: 1, chain: options.chain })],
    ['csiflow, again', () => csiflowOn({ rooms: 1, chain: options.chain })],
    ...options.peers.map((peer) => [peer.name, () => startPeer(peer)] as const),
  ];
  const speeds: PeerSpeed[] = [];
  for (const rate of options.rates) {
    const rounds = programs.map((): Driven[] => []);
    for (let round = 1; round <= options.rounds; round++) {
      for (const [index, [name, start]] of programs.entries()) {
        options.progress(`${name} at ${rate} datagrams/s, round ${round} of ${options.rounds}`);
        rounds[index]!.push(await drive(await start(), { ...options, rate }));
      }
    }
    speeds.push(...programs.map(([name], index) => summary(name, rate, rounds[index]!, rounds[0]!)));
  }
  return speeds;
}

function summary(
  program: string,
  rate: number,
  rounds: readonly Driven[],
  own: readonly Driven[],
): PeerSpeed {
  const share = ({ processed, sent }: Driven) => processed / sent;
  const counted = rounds.flatMap(({ dropped }) => dropped ?? []);
  const busy = rounds.filter(({ processed }) => processed > 0);
  return {
    program,
    rate,
    lost: spreadOf(rounds.map((round) => 1 - share(round))),
    dropped: counted.length === 0 ? null : spreadOf(counted),
    microseconds:
      busy.length === 0 ? null : spreadOf(busy.map(({ used, processed }) => (used * 1e6) / processed)),
    overCsiflow: spreadOf(rounds.map((round, index) => share(round) / share(own[index]!)))[0],
  };
}
