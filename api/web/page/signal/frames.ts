import { service } from '../state/session.js';
import type { Signal, TappedFrame } from './records.js';

export interface Asked {
  readonly topology: string;
  /** Whose output is shown. */
  readonly node: string;
  readonly environment: string;
  readonly link: string;
  readonly seconds: number;
}

/** Limit of frames with values in one answer. */
const FRAMES = 100;
/** Up to this span, the answer holds every frame, until the limit: a Doppler spectrum has no use for less. */
const UNTHINNED_SECONDS = 2;

/** The next seconds of a link, evenly thinned if they are many; null if no frame came. @throws ServiceError */
export async function signalOf({
  topology,
  node,
  environment,
  link,
  seconds,
}: Asked): Promise<Signal | null> {
  const milliseconds = seconds * 1000;
  const { data } = await service().rest.GET('/topologies/{id}/nodes/{node}/records', {
    params: {
      path: { id: topology, node },
      query: {
        values: true,
        limit: FRAMES,
        wait_ms: milliseconds,
        every_ms: seconds > UNTHINNED_SECONDS ? milliseconds / FRAMES : 0,
        where: `csi.environment == ${JSON.stringify(environment)} && csi.link == ${JSON.stringify(link)}`,
      },
    },
  });
  return signalIn(data!.data.records as unknown as readonly TappedFrame[]);
}

/** The frames that have the layout of the newest one. */
function signalIn(all: readonly TappedFrame[]): Signal | null {
  const newest = all.at(-1);
  if (!newest) return null;
  const layout = layoutOf(newest);
  const frames = all.filter((frame) => layoutOf(frame) === layout);
  return {
    frames,
    indices: newest.indices,
    antennas: newest.amplitudes.flatMap((row, rx) => row.map((_, tx) => [rx, tx] as const)),
    seconds: (Date.parse(newest.time) - Date.parse(frames[0]!.time)) / 1000,
    others: all.length - frames.length,
  };
}

const layoutOf = ({ indices, amplitudes }: TappedFrame): string =>
  `${amplitudes.length} ${amplitudes[0]!.length} ${indices.join()}`;
