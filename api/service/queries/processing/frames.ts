import { setImmediate as turn } from 'node:timers/promises';
import {
  allocateBlock,
  frameSize,
  type CsiBlock,
  type CsiLayout,
  type LinkEntry,
  type LinkTable,
} from '../../../../pipeline/model/index.js';
import { statedLayout } from '../../../../pipeline/formats/json/csi-json.js';
import { rowsOf, shapeText, someSenders, type Layouts } from './layouts.js';
import { fieldOf, wrong, type PackedFrame, type PackedFrames } from './packed.js';

/** Longest stretch of frames in one call, microseconds. */
const MAX_RUN = 60_000_000;
/** Frames processed before other calls get their turn. */
export const FRAMES_AT_ONCE = 256;

/** A frame that fits its link. */
export interface SubmittedFrame {
  readonly link: LinkEntry;
  readonly layout: CsiLayout;
  /** Microseconds. */
  readonly time: number;
  /** dBm; NaN if unknown. */
  readonly rssi: number;
  readonly values: Float32Array;
}

/**
 * The frames of a call ordered by time, all of one environment, each in the layout of its link.
 * @throws ApiError 422 with the field and the expected value
 */
export async function readFrames(
  packed: PackedFrames,
  links: LinkTable,
  layouts: Layouts,
): Promise<readonly SubmittedFrame[]> {
  const frames: SubmittedFrame[] = [];
  for (const [index, frame] of packed.frames.entries()) {
    const { link, layout } = await linkAndLayoutOf(frame, fieldOf(packed, index), links, layouts);
    const { time, rssi, at } = frame;
    frames.push({ link, layout, time, rssi, values: packed.values.subarray(at, at + frameSize(layout)) });
    if (index % FRAMES_AT_ONCE === FRAMES_AT_ONCE - 1) await turn();
  }
  frames.sort((a, b) => a.time - b.time);
  const [first, last] = [frames[0]!, frames.at(-1)!];
  const other = frames.findIndex(({ link }) => link.environment.id !== first.link.environment.id);
  if (other >= 0)
    throw wrong(
      'csi_data',
      'must all belong to links of one environment',
      frames[other]!.link.environment.id,
    );
  if (last.time - first.time > MAX_RUN)
    throw wrong('csi_data', `may cover ${MAX_RUN / 1e6} seconds at most`, null);
  return frames;
}

async function linkAndLayoutOf(
  frame: PackedFrame,
  field: string,
  links: LinkTable,
  layouts: Layouts,
): Promise<Pick<SubmittedFrame, 'link' | 'layout'>> {
  const link = linkOf(frame.router, links);
  if (!link) {
    const message = `is not a link or sender of this topology; use one of ${someSenders(links)}`;
    throw wrong(`${field}.metadata.router_id`, message, frame.router);
  }
  return { link, layout: await layoutOf(frame, link, layouts, field) };
}

/** A link by its id or by its exact sender. */
function linkOf(router: string, links: LinkTable): LinkEntry | undefined {
  const byId = links.byId(router);
  if (byId) return byId;
  const bySender = links.bySender(router);
  return bySender?.link.sender === router ? bySender : undefined;
}

/**
 * The link's current layout; for a silent link, that of the frame itself, or the usual one for that number of
 * subcarriers.
 */
async function layoutOf(
  { antennas: rows, subcarriers, stated: { subcarriers: indices, ...band } }: PackedFrame,
  link: LinkEntry,
  layouts: Layouts,
  field: string,
): Promise<CsiLayout> {
  const known = await layouts.of(link.index);
  const fitting = known.find(
    (layout) => rowsOf(layout) === rows && layout.subcarriers.length === subcarriers,
  );
  if (fitting) return fitting;
  if (known.length > 0) {
    const sent = known.map((layout) => shapeText(rowsOf(layout), layout.subcarriers.length)).join(' or ');
    const message = `link ${link.link.id} sends ${sent}: ${shapeText(rows, subcarriers)} do not fit`;
    throw wrong(`${field}.antenna_data`, message, null);
  }
  const stated = statedLayout(rows, subcarriers, { ...band, ...(indices && { subcarriers: [...indices] }) });
  if (!stated) throw wrong(`${field}.metadata.subcarriers`, `must be ${subcarriers} ascending indices`, null);
  return stated;
}

/** Blocks of frames, one for each layout. */
export function blocksOf(frames: readonly SubmittedFrame[]): readonly CsiBlock[] {
  const byLayout = new Map<string, SubmittedFrame[]>();
  for (const frame of frames) {
    const known = byLayout.get(frame.layout.key);
    if (known) known.push(frame);
    else byLayout.set(frame.layout.key, [frame]);
  }
  return [...byLayout.values()].map(blockOf);
}

function blockOf(frames: readonly SubmittedFrame[]): CsiBlock {
  const { layout } = frames[0]!;
  const block = allocateBlock(layout, frames.length);
  frames.forEach(({ link, time, rssi, values }, row) => {
    block.time[row] = time;
    block.link[row] = link.index;
    block.rssi[row] = rssi;
    block.values.set(values, row * frameSize(layout));
  });
  return block;
}
