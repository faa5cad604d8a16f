import type { LinkTable, Window, WindowLink } from '../../../pipeline/model/index.js';
// Not by the index, here and in features.ts: the network's thread would load its schemas.
import { point } from '../../../pipeline/model/records.js';
import { LINK_FEATURES, linkFeatures, logAmplitudes, type LinkFacts } from '../inputs/features.js';
import { GROUPS, POINTS, STEP_US } from '../inputs/grid.js';
import type { LinkPlace } from '../inputs/geometry.js';
import type { Scene } from '../inputs/scene.js';
import { profileIn, reducedBy, type RoomCalibration } from '../model/calibration.js';

/** A window on its way to the network's thread: copies of the values, which can be transferred instead of cloned. */
export interface Request {
  readonly size: Scene['size'];
  readonly links: readonly RequestLink[];
}

export interface RequestLink extends LinkPlace {
  readonly layout: Pick<WindowLink, 'layout' | 'rx' | 'tx' | 'subcarriers' | 'centreMhz'>;
  readonly values: Float32Array;
  readonly facts: LinkFacts;
}

/** Largest number of links per window: accuracy was measured with up to nine. */
export const MAX_LINKS = 9;

/** Why a window cannot be used, or null. */
export function problemOf(window: Window): string | null {
  if (window.points !== POINTS || window.step !== STEP_US) {
    const length = (window.points * window.step) / 1000;
    return (
      `The network reads windows of ${(POINTS * STEP_US) / 1000} ms in ${POINTS} points; this one has ${length} ms ` +
      `in ${window.points}. Set length_ms: ${(POINTS * STEP_US) / 1000} and points: ${POINTS} on the window operator.`
    );
  }
  const narrow = window.links.find((link) => link.subcarriers.length < GROUPS);
  if (narrow) {
    return `Link ${narrow.id} has ${narrow.subcarriers.length} subcarriers (${narrow.layout}); the network needs ${GROUPS} or more.`;
  }
  return null;
}

/** The window's request; with more than nine links, those with the fewest gaps. Null if it contains no known link. */
export function requestOf(window: Window, table: LinkTable, calibration: RoomCalibration): Request | null {
  const known = window.links.flatMap((link) => {
    const entry = table.byId(link.id);
    return entry && entry.environment.id === window.environment
      ? [{ link, entry, gapShare: shareOf(link.gaps) }]
      : [];
  });
  const [first] = known;
  if (!first) return null;
  const reducedDb = reducedBy(calibration, window.environment);
  const used = known.length <= MAX_LINKS ? known : fewestGaps(known);
  return {
    size: { x: first.entry.environment.size.x, y: first.entry.environment.size.y },
    links: used.map(({ link, entry, gapShare }): RequestLink => {
      const { layout, rx, tx, subcarriers, centreMhz } = link;
      return {
        transmitter: point(entry.link.transmitter),
        receiver: point(entry.link.receiver),
        layout: { layout, rx, tx, subcarriers, centreMhz },
        values: link.values.slice(),
        facts: {
          profile: profileIn(calibration, link.id),
          gapShare,
          frameRate: link.frames / window.points,
          centreMhz,
          reducedDb,
        },
      };
    }),
  };
}

function fewestGaps<T extends { readonly gapShare: number }>(links: readonly T[]): T[] {
  const best = new Set([...links].sort((a, b) => a.gapShare - b.gapShare).slice(0, MAX_LINKS));
  return links.filter((link) => best.has(link));
}

/** Share of points without a frame near enough. */
export function shareOf(gaps: Uint8Array): number {
  let sum = 0;
  for (const gap of gaps) sum += gap;
  return gaps.length === 0 ? 1 : sum / gaps.length;
}

/** The data sent with requests. */
export const transferOf = (requests: readonly Request[]): ArrayBuffer[] =>
  requests.flatMap(({ links }) => links.map(({ values }) => values.buffer as ArrayBuffer));

/** [requests, links, LINK_FEATURES] of requests with the same number of links. */
export function featuresOf(requests: readonly Request[]): Float32Array {
  const links = requests[0]?.links.length ?? 0;
  const features = new Float32Array(requests.length * links * LINK_FEATURES);
  requests.forEach((request, w) => {
    request.links.forEach(({ layout, values, facts }, l) => {
      const at = (w * links + l) * LINK_FEATURES;
      linkFeatures(logAmplitudes({ ...layout, values }), 0, facts, features, at);
    });
  });
  return features;
}
