import { Type, type Static } from 'typebox';
import {
  allocateBlock,
  frameSize,
  type CsiBlock,
  type CsiLayout,
  type LinkEntry,
  type LinkTable,
} from '../../../../pipeline/model/index.js';
import { statedLayout } from '../../../../pipeline/formats/csi-json.js';
import { ApiError } from '../../errors.js';
import { fromIsoTime } from '../../../../pipeline/base/iso-time.js';
import { rowsOf, shapeText, someSenders, type Layouts } from './layouts.js';

const closed = { additionalProperties: false } as const;

/** Frames of one call, at most. */
export const MOST_FRAMES = 4096;
/** Of one call, microseconds. */
export const LONGEST_RUN = 60_000_000;

const ComplexSchema = Type.Object({ real: Type.Number(), imag: Type.Number() }, closed);

/** 4.2: `csi_data`, one measurement. What is optional in `metadata` is as the format `csi-json` has it. */
export const FrameSchema = Type.Object(
  {
    timestamp: Type.String({ format: 'date-time' }),
    antenna_data: Type.Array(Type.Array(ComplexSchema, { minItems: 1, maxItems: 1024 }), {
      minItems: 1,
      maxItems: 8,
      description: 'For each antenna a value for each subcarrier, as the link sends them.',
    }),
    metadata: Type.Object(
      {
        router_id: Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Id of a link of the environment, or the sender that a link names.',
        }),
        sampling_rate: Type.Optional(
          Type.Number({ exclusiveMinimum: 0, description: 'Frames a second; times count, not this.' }),
        ),
        signal_strength: Type.Optional(Type.Number({ minimum: -200, maximum: 100, description: 'dBm' })),
        subcarriers: Type.Optional(
          Type.Array(Type.Integer({ minimum: -2048, maximum: 2048 }), {
            maxItems: 1024,
            description: 'Their indices, where the link has not been heard yet.',
          }),
        ),
        centre_mhz: Type.Optional(Type.Number({ minimum: 1, maximum: 100_000 })),
        bandwidth_mhz: Type.Optional(Type.Number({ minimum: 1, maximum: 1000 })),
      },
      closed,
    ),
  },
  closed,
);

type FrameBody = Static<typeof FrameSchema>;

/** What `csi_data` may be: a frame, or several in any order. */
export type FrameBodies = FrameBody | readonly FrameBody[];

/** A frame that fits its link. */
export interface SubmittedFrame {
  readonly link: LinkEntry;
  readonly layout: CsiLayout;
  /** Microseconds. */
  readonly time: number;
  readonly body: FrameBody;
}

/**
 * The frames of a call in the order of time, of one environment, each as its link sends them.
 * @throws ApiError 422 naming the field and what is expected there
 */
export async function readFrames(
  bodies: FrameBodies,
  links: LinkTable,
  layouts: Layouts,
): Promise<readonly SubmittedFrame[]> {
  const frames: SubmittedFrame[] = [];
  if (isOne(bodies)) frames.push(await readFrame(bodies, 'csi_data', links, layouts));
  else
    for (const [index, body] of bodies.entries())
      frames.push(await readFrame(body, `csi_data.${index}`, links, layouts));
  frames.sort((a, b) => a.time - b.time);
  const [first, last] = [frames[0]!, frames.at(-1)!];
  const other = frames.findIndex(({ link }) => link.environment.id !== first.link.environment.id);
  if (other >= 0)
    throw wrong('csi_data', 'must all be of links of one environment', frames[other]!.link.environment.id);
  if (last.time - first.time > LONGEST_RUN)
    throw wrong('csi_data', `may cover ${LONGEST_RUN / 1e6} seconds at most`, null);
  return frames;
}

const isOne = (bodies: FrameBodies): bodies is FrameBody => !Array.isArray(bodies);

async function readFrame(
  body: FrameBody,
  path: string,
  links: LinkTable,
  layouts: Layouts,
): Promise<SubmittedFrame> {
  const { antenna_data: antennas, metadata } = body;
  const link = linkOf(metadata.router_id, links);
  if (!link) {
    const message = `is no link or sender of this topology; there are ${someSenders(links)}`;
    throw wrong(`${path}.metadata.router_id`, message, metadata.router_id);
  }
  const field = `${path}.antenna_data`;
  const subcarriers = antennas[0]!.length;
  const odd = antennas.findIndex((row) => row.length !== subcarriers);
  if (odd >= 0)
    throw wrong(
      `${field}.${odd}`,
      `must have ${subcarriers} subcarriers as antenna 0 has`,
      antennas[odd]!.length,
    );
  const layout = await layoutOf(body, link, layouts, field);
  if (!antennas.every((row) => row.every(({ real, imag }) => isStorable(real) && isStorable(imag))))
    throw wrong(field, 'has a value that is no finite number of 32 bits', null);
  return { link, layout, time: fromIsoTime(body.timestamp), body };
}

const isStorable = (value: number): boolean => Number.isFinite(Math.fround(value));

/** A link by its id or by the very sender that it names. */
function linkOf(router: string, links: LinkTable): LinkEntry | undefined {
  const byId = links.byId(router);
  if (byId) return byId;
  const bySender = links.bySender(router);
  return bySender?.link.sender === router ? bySender : undefined;
}

/** As the link sends it now; of a silent link as the frame itself says, or as is usual for so many subcarriers. */
async function layoutOf(
  { antenna_data: antennas, metadata }: FrameBody,
  link: LinkEntry,
  layouts: Layouts,
  field: string,
): Promise<CsiLayout> {
  const [rows, subcarriers] = [antennas.length, antennas[0]!.length];
  const known = await layouts.of(link.index);
  const fitting = known.find(
    (layout) => rowsOf(layout) === rows && layout.subcarriers.length === subcarriers,
  );
  if (fitting) return fitting;
  if (known.length > 0) {
    const sent = known.map((layout) => shapeText(rowsOf(layout), layout.subcarriers.length)).join(' or ');
    const message = `link ${link.link.id} sends ${sent}: ${shapeText(rows, subcarriers)} do not fit`;
    throw wrong(field, message, null);
  }
  const stated = statedLayout(rows, subcarriers, metadata);
  if (!stated)
    throw wrong(
      field.replace('antenna_data', 'metadata.subcarriers'),
      `must be ${subcarriers} ascending indices`,
      null,
    );
  return stated;
}

export const wrong = (field: string, message: string, received: unknown): ApiError =>
  new ApiError('VALIDATION_ERROR', `${field}: ${message}`, {
    details: { fields: [{ field, message, received }] },
  });

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
  frames.forEach(({ link, time, body }, row) => {
    block.time[row] = time;
    block.link[row] = link.index;
    block.rssi[row] = body.metadata.signal_strength ?? NaN;
    let at = row * frameSize(layout);
    for (const antenna of body.antenna_data)
      for (const { real, imag } of antenna) {
        block.values[at++] = real;
        block.values[at++] = imag;
      }
  });
  return block;
}
