import { service } from '../state/session.js';

/** Values of one antenna pair by subcarrier; null: unknown. */
export type Row = readonly (number | null)[];

/** A frame of a link, as a tap shows it. */
interface TappedFrame {
  readonly time: string;
  /** Of the subcarriers. */
  readonly indices: readonly number[];
  /** [rx][tx][subcarrier], in the sender's unit. */
  readonly amplitudes: readonly (readonly Row[])[];
  /** [rx][tx][subcarrier], radians. */
  readonly phases: readonly (readonly Row[])[];
}

/** Frames of a link over some seconds, oldest first, all of one layout. */
export interface Signal {
  readonly frames: readonly TappedFrame[];
  readonly indices: readonly number[];
  /** Of receiver and transmitter. */
  readonly antennas: readonly (readonly [rx: number, tx: number])[];
  /** From the first to the last frame. */
  readonly seconds: number;
  /** Frames of other layouts, which are not shown. */
  readonly others: number;
}

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

/** The next seconds of a link, evenly thinned; null if no frame came. @throws ServiceError */
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
        every_ms: milliseconds / FRAMES,
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

/** Phases without jumps of a whole turn, from the first one on. */
export function unwrapped(phases: Row): Row {
  let turns = 0;
  let last: number | null = null;
  return phases.map((phase) => {
    if (phase === null) return null;
    const step = last === null ? 0 : phase - last;
    last = phase;
    if (step > Math.PI) turns--;
    else if (step < -Math.PI) turns++;
    return phase + 2 * Math.PI * turns;
  });
}
