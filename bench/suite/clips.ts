import { listenTo, readBy } from '../../pipeline/runtime/listen.js';
import type { CheckedTopology } from '../../pipeline/config/index.js';
import type { Window, WindowLink } from '../../pipeline/model/index.js';
import { playlist, type Playable, type Played } from '../accuracy/chain/inputs.js';
import { recordedEnvironment } from '../accuracy/chain/rooms.js';
import { fedBy, placedIn } from '../accuracy/chain/scene.js';

/**
 * Amplitudes of one link on the grid of the topology's `window`: frames after its `denoise`, `phase-sanitize`
 * and `window`.
 */
export interface Grid {
  /** Event time of the first point, microseconds. */
  readonly start: number;
  /** Between points, microseconds. */
  readonly step: number;
  readonly points: number;
  /** Receiving times sending antennas. */
  readonly antennas: number;
  readonly carriers: number;
  /** [point, antenna, carrier]. */
  readonly amplitude: Float32Array;
  /** One per point: 1 where the last frame is held. */
  readonly gaps: Uint8Array;
}

/**
 * Plays recordings of one link one after another up to the windows of a topology, and joins the windows
 * again: each point is resampled once, and is the same in all windows that contain it.
 * @returns one grid for each recording, in their order
 */
export async function gridsOf(
  topology: CheckedTopology,
  recordings: readonly Playable[],
): Promise<readonly Grid[]> {
  const node = readBy(topology, 'detect-falls', 'window') ?? readBy(topology, 'infer-pose', 'window');
  if (node === undefined)
    throw new Error(`${topology.id} has no windows: neither detect-falls nor infer-pose reads any`);
  const played: Played[] = [];
  const placed = placedIn(topology, { environment: recordedEnvironment(), calibration: null });
  const windows: Window[] = [];
  const grids: Grid[] = [];
  const finish = (until: number): void => {
    while (grids.length < until) grids.push(joined(windows, played[grids.length]!));
  };
  await listenTo(fedBy(placed, playlist(recordings, played)), node, (record) => {
    if (record.port !== 'window') return false;
    finish(played.findIndex(({ to }) => record.start <= to));
    windows.push(record);
    return false;
  });
  finish(played.length);
  return grids;
}

/** Removes a recording's windows from the list and joins them. */
function joined(windows: Window[], { path, from, to }: Played): Grid {
  const own = windows.filter(({ start, links }) => start >= from && start <= to && links.length > 0);
  windows.splice(0, windows.findLastIndex(({ start }) => start <= to) + 1);
  const [first] = own;
  if (!first) throw new Error(`${path}: shorter than a window`);
  const { rx, tx, subcarriers } = first.links[0]!;
  const width = rx * tx * subcarriers.length;
  const points = Math.min(
    (own.at(-1)!.start - first.start) / first.step + first.points,
    Math.floor((to - first.start) / first.step) + 1,
  );
  const amplitude = new Float32Array(points * width);
  const gaps = new Uint8Array(points).fill(1);
  let done = 0;
  for (const { start, links, step, points: length } of own) {
    const at = (start - first.start) / step;
    const until = Math.min(points, at + length);
    for (let point = Math.max(done, at); point < until; point++)
      copy(links[0]!, point - at, amplitude, point * width, width);
    gaps.set(links[0]!.gaps.subarray(Math.max(done, at) - at, until - at), Math.max(done, at));
    done = until;
  }
  return {
    start: first.start,
    step: first.step,
    points,
    antennas: rx * tx,
    carriers: subcarriers.length,
    amplitude,
    gaps,
  };
}

function copy({ values }: WindowLink, point: number, into: Float32Array, at: number, width: number): void {
  const from = 2 * point * width;
  for (let i = 0; i < width; i++) into[at + i] = Math.hypot(values[from + 2 * i]!, values[from + 2 * i + 1]!);
}
