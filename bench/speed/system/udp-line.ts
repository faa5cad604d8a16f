import type { Chain } from './site.js';
import { bareSocket, csiflowOn, drive } from './program.js';

/** What receives datagrams, and which. */
export interface UdpSetup {
  /** Operators of csiflow, or `bare`: a socket of Node that only counts. */
  readonly chain: Chain | 'bare';
  /** Links of one room, each with a node of its own. */
  readonly links: number;
  /** Subcarriers of a datagram. */
  readonly subcarriers: number;
  /** Datagrams per second, over all links. */
  readonly rates: readonly number[];
}

export interface UdpStep extends Omit<UdpSetup, 'rates'> {
  readonly rate: number;
  /** Datagrams per second that the sender reached. */
  readonly reached: number;
  readonly sent: number;
  readonly received: number;
  readonly lost: number;
  /** Windows and other records dropped behind the socket; 0 for the bare one. */
  readonly dropped: number;
  /** Processor time of the whole process, all threads, per datagram received. */
  readonly microseconds: number;
}

/**
 * Datagrams through socket, journal, decoding, signal processing, the chain's operators and DuckDB, at each rate
 * twice in turn (A against A). Each run starts the program anew.
 */
export async function udpLine(
  setup: UdpSetup,
  seconds: number,
  progress: (line: string) => void = () => undefined,
): Promise<readonly UdpStep[]> {
  const { rates, ...rest } = setup;
  const { chain, links, subcarriers } = rest;
  const steps: UdpStep[] = [];
  for (const rate of rates.flatMap((one) => [one, one])) {
    progress(`UDP, ${chain}, ${links} x ${subcarriers} subcarriers, ${rate} datagrams/s`);
    const program =
      chain === 'bare' ? await bareSocket() : await csiflowOn({ rooms: 1, linksOfRoom: links, chain });
    const {
      sent,
      seconds: took,
      processed,
      dropped,
      used,
    } = await drive(program, { links, subcarriers, rate, seconds });
    steps.push({
      ...rest,
      rate,
      reached: Math.round(sent / took),
      sent,
      received: processed,
      lost: sent - processed,
      dropped: dropped ?? 0,
      microseconds: (used * 1e6) / processed,
    });
  }
  return steps;
}

/**
 * The highest rate at which neither run lost a datagram or dropped a window, as far as the sender reached it; 0 if
 * there is none.
 */
export function lossless(steps: readonly Pick<UdpStep, 'rate' | 'lost' | 'dropped' | 'reached'>[]): number {
  const rates = [...new Set(steps.map(({ rate }) => rate))];
  return Math.max(
    0,
    ...rates.map((rate) =>
      Math.min(
        ...steps
          .filter((step) => step.rate === rate)
          .map(({ lost, dropped, reached }) => (lost === 0 && dropped === 0 ? reached : 0)),
      ),
    ),
  );
}
