import { resolve } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import {
  defineSource,
  type AnySource,
  type Context,
  type Position,
  type Source,
  type SourceBatch,
  type SourceOutput,
} from '../../../pipeline/component/index.js';
import type { TestInput } from '../../../pipeline/config/index.js';
import {
  frameSize,
  sliceBlock,
  storedBlock,
  type CsiBlock,
  type Data,
  type Environment,
} from '../../../pipeline/model/index.js';
import { file } from '../../../pipeline/sources/file/file.js';
import { Random } from '../../../pipeline/sources/simulator/shared/random.js';

/** Inputs for the laboratory that are not components themselves, built from components. */

type SourceInput = TestInput & { readonly kind: 'source' };

const sourceInput = (
  of: AnySource,
  config: SourceInput['config'],
  create: (context: Context, config: SourceInput['config']) => Source,
): SourceInput => ({
  kind: 'source',
  component: defineSource({
    name: of.name,
    summary: 'An input of a measurement.',
    config: Type.Object({}),
    examples: [],
    outputs: of.outputs,
    replayable: true,
    simulates: of.simulates ?? false,
    create: (settings, context) => create(context, settings as SourceInput['config']),
  }),
  config,
});

/** When a recording was played, event time in microseconds. */
export interface Played {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** Offset from its own timestamps, microseconds. */
  readonly moved: number;
}

/** A recording: a file that the `file` source reads, or frames of one link from elsewhere. */
export type Playable = string | { readonly path: string; readonly frames: () => CsiBlock };

/** Frames per batch. */
const BATCH = 256;

/**
 * Silence between two recordings: longer than any operator's look-back, so that a cut does not look like
 * motion.
 */
const PAUSE_US = 10e6;
const FIRST_US = Date.UTC(2026, 0, 1) * 1000;

/** What ends a playlist early. */
interface PlaylistEnds {
  /** Is called with the first recording that cannot be read; without it, the source fails. */
  readonly unreadable?: (path: string, error: unknown) => void;
  /** True as soon as nothing more needs to be played. */
  readonly isEnough?: () => boolean;
}

/**
 * Plays recordings one after another as one radio's stream, each read by the `file` source.
 * @param recordings paths are relative to the current folder
 * @param played receives the time at which each was played
 */
export function playlist(
  recordings: readonly Playable[],
  played: Played[],
  { unreadable, isEnough = () => false }: PlaylistEnds = {},
): SourceInput {
  return sourceInput(file, {} as const, (context) => ({
    open: async (_position, output) => {
      output.ready?.();
      let next = FIRST_US;
      for (const [index, recording] of recordings.entries()) {
        const shifted = new Shift(next);
        const offer = async (all: readonly Data[], inner: Position) => {
          const data = all.map((one) => shifted.move(one));
          const position = { index, inner } as unknown as number;
          if (isEnough()) return false;
          return data.length === 0 || output.offer({ data, position });
        };
        const path = typeof recording === 'string' ? recording : recording.path;
        try {
          if (typeof recording === 'string') await playFile(resolve(path), context, output, offer);
          else await playFrames(recording.frames(), offer);
        } catch (error) {
          if (!unreadable) throw error;
          unreadable(path, error);
          return;
        }
        played.push({ path, from: next, to: shifted.newest, moved: shifted.by });
        if (isEnough()) return;
        next = shifted.newest + PAUSE_US;
      }
    },
  }));
}

type Offer = (data: readonly Data[], position: Position) => Promise<boolean>;

async function playFile(path: string, context: Context, output: SourceOutput, offer: Offer): Promise<void> {
  const inner = file.create(Value.Default(file.config, { path }) as never, context);
  await inner.open(null, {
    ...output,
    offer: (batch) => offer(dataOf(inner, batch), batch.position),
  });
  await inner.close?.();
}

async function playFrames(block: CsiBlock, offer: Offer): Promise<void> {
  for (let from = 0; from < block.count; from += BATCH)
    if (!(await offer([sliceBlock(block, from, Math.min(block.count, from + BATCH))], from))) return;
}

/** Shifts event times so that the first one becomes `start`. */
class Shift {
  readonly #start: number;
  #by: number | undefined;
  newest: number;

  constructor(start: number) {
    this.#start = start;
    this.newest = start;
  }

  /** 0 before the first frame. */
  get by(): number {
    return this.#by ?? 0;
  }

  move(data: Data): Data {
    if (data.port !== 'csi' || data.count === 0) return data;
    const by = (this.#by ??= this.#start - data.time[0]!);
    const time = data.time.map((at) => at + by);
    this.newest = Math.max(this.newest, time.at(-1)!);
    return { ...data, time };
  }
}

function dataOf(source: Source, { raw, data }: SourceBatch): readonly Data[] {
  if (!raw) return data ?? [];
  const { data: decoded } = source.decode!(raw);
  return decoded;
}

/** A link's fault: `noise` instead of CSI, or no frames. */
export type Fault = 'noise' | 'dead';

/** A source of CSI with one bad link: `noise` of the link's own level, or no frames. */
export function withBadLink(input: SourceInput, link: string, fault: Fault): SourceInput {
  const { component, config } = input;
  return sourceInput(component, config, (context, settings) => {
    const inner = component.create(settings as never, context);
    const bad = context.links.byId(link)?.index;
    if (bad === undefined) throw new Error(`there is no link ${link} to damage`);
    const random = new Random(bad, NOISE_STREAM);
    const spoil = (data: Data): Data =>
      data.port !== 'csi' ? data : fault === 'dead' ? without(data, bad) : noisy(data, bad, random);
    return {
      open: (position, output) =>
        inner.open(position, {
          ...output,
          offer: (batch) => output.offer({ ...batch, data: batch.data!.map(spoil) }),
        }),
    };
  });
}

/**
 * A simulator whose nodes stand elsewhere than the topology says.
 * @param actual the environment to simulate, with the links of the topology's
 */
export const simulatedIn = ({ component, config }: SourceInput, actual: Environment): SourceInput =>
  sourceInput(component, config, (context, settings) =>
    component.create(settings as never, { ...context, environments: [actual] }),
  );

const NOISE_STREAM = 93;

/** The same frames with white noise of the same power on one link. */
function noisy(block: CsiBlock, bad: number, random: Random): CsiBlock {
  const values = block.values.slice();
  const size = frameSize(block.layout);
  for (let frame = 0; frame < block.count; frame++) {
    if (block.link[frame] !== bad) continue;
    const of = values.subarray(frame * size, (frame + 1) * size);
    const deviation = Math.sqrt(of.reduce((sum, value) => sum + value * value, 0) / size);
    for (let i = 0; i < size; i++) of[i] = Math.round(deviation * random.normal());
  }
  return { ...block, values };
}

/** The frames of all the other links. */
function without(block: CsiBlock, bad: number): CsiBlock {
  const kept = Array.from(block.link.keys()).filter((frame) => block.link[frame] !== bad);
  return storedBlock(block, kept);
}
