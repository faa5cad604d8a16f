import type { Context, Operator, Output } from '../../pipeline/component/index.js';
import { frameSize, type CsiBlock, type CsiLayout } from '../../pipeline/model/index.js';
import { withRows } from './frame-rows.js';
import { anyFinite } from './finite.js';
import { LinkStates, type LinkSnapshot } from './per-link.js';

/** Values of frames: [rx, tx, subcarrier, (re, im)]. Frames are Float32; references are compared in Float64. */
export type Values = Float32Array | Float64Array;

/** Maps frames of one link and layout to frames of another layout, or to none. */
export interface FrameMapper<S> {
  /** Layout of the last output of {@link apply}. */
  readonly layout: CsiLayout;
  /** The problem of this link's frames, for people, as {@link Refusal.problem}; null or undefined: none. */
  readonly complaint?: string | null;
  /** The receive antennas of the output frame; undefined: all. */
  readonly antennas?: readonly number[];
  /**
   * @param input holds the frame from `offset` @param output receives the result from `to`
   * @param block of the frame, for its other columns; `frame` is its row there
   * @returns null, or why the frame is dropped: a word for the metric of dropped frames
   */
  apply(
    input: Values,
    offset: number,
    output: Values,
    to: number,
    block: CsiBlock,
    frame: number,
  ): string | null;
  snapshot(): S;
  restore(state: S): void;
}

/** Frames of a layout that an operator cannot use. */
export interface Refusal {
  /** For the metric of dropped frames. */
  readonly reason: string;
  /** For people; follows the name of the link: `has one antenna: ...`. */
  readonly problem: string;
}

/** It answers at once, and has a state. */
export interface FrameOperator extends Operator<'csi', 'csi'> {
  process(block: CsiBlock): Output<CsiBlock>;
  snapshot(): unknown;
  restore(state: unknown): void;
}

/**
 * An operator that maps each frame to one of another layout, or to none. Blocks are split where layouts change.
 * Frames without a finite value are dropped as `not_finite`.
 */
export function mapFrames<S>(
  context: Context,
  make: (layout: CsiLayout) => FrameMapper<S> | Refusal,
): FrameOperator {
  const states = new LinkStates<FrameMapper<S> | Refusal>(context.links, make);
  const refusals = new Refusals(context);
  return {
    process: (block): Output<CsiBlock> => {
      const { layout, count, link, values } = block;
      const size = frameSize(layout);
      const out = new BlockWriter(block);
      for (let frame = 0; frame < count; frame++) {
        if (!anyFinite(values, frame * size, size)) {
          refusals.drop('not_finite');
          continue;
        }
        const number = link[frame]!;
        const mapper = states.of(number, layout);
        if ('problem' in mapper) {
          refusals.drop(mapper.reason);
          refusals.tell(number, mapper.problem);
          continue;
        }
        const into = out.space(mapper.layout);
        const refused = mapper.apply(values, frame * size, into, out.end, block, frame);
        if (refused === null) out.take(frame, mapper.antennas);
        else refusals.drop(refused);
        refusals.tell(number, mapper.complaint ?? null);
      }
      refusals.count();
      return { data: out.blocks() };
    },
    snapshot: () => states.snapshot((mapper) => ('problem' in mapper ? null : mapper.snapshot())),
    restore: (state: readonly LinkSnapshot<S | null>[]) => {
      states.restore(state, (layout, saved) => {
        const mapper = make(layout);
        if (saved !== null && !('problem' in mapper)) mapper.restore(saved);
        return mapper;
      });
    },
  };
}

/** Dropped frames, and the links whose frames cannot be used. */
class Refusals {
  readonly #context: Context;
  /** By link number. */
  readonly #problems: (string | null)[] = [];
  #dropped: Record<string, number> = {};

  constructor(context: Context) {
    this.#context = context;
  }

  drop(reason: string): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1;
  }

  tell(link: number, problem: string | null): void {
    if ((this.#problems[link] ?? null) === problem) return;
    this.#problems[link] = problem;
    const all = this.#problems.flatMap((text, i) =>
      text ? [`link ${this.#context.links.at(i).link.id} ${text}`] : [],
    );
    this.#context.degrade(all.length > 0 ? all.join('; ') : null);
  }

  count(): void {
    for (const reason in this.#dropped) this.#context.metrics.dropped(reason, this.#dropped[reason]!);
    this.#dropped = {};
  }
}

/** Collects frames of one block as long as their layout stays the same. */
class BlockWriter {
  readonly #from: CsiBlock;
  readonly #done: CsiBlock[] = [];
  #layout: CsiLayout | null = null;
  #values = new Float32Array(0);
  #frames: number[] = [];
  #antennas: (readonly number[] | undefined)[] = [];

  constructor(from: CsiBlock) {
    this.#from = from;
  }

  /** Index of the next frame in the result of {@link space}. */
  get end(): number {
    return this.#layout ? this.#frames.length * frameSize(this.#layout) : 0;
  }

  /** Values with space for one more frame of a layout. */
  space(layout: CsiLayout): Float32Array {
    if (this.#layout?.key !== layout.key) this.#begin(layout);
    const needed = this.end + frameSize(layout);
    if (needed > this.#values.length) {
      const more = new Float32Array(2 * needed);
      more.set(this.#values);
      this.#values = more;
    }
    return this.#values;
  }

  take(frame: number, antennas: readonly number[] | undefined): void {
    this.#frames.push(frame);
    this.#antennas.push(antennas);
  }

  blocks(): readonly CsiBlock[] {
    this.#close();
    return this.#done;
  }

  #begin(layout: CsiLayout): void {
    this.#close();
    this.#layout = layout;
    // Usually all of the block's frames; if links differ in layout, few of them.
    const frames = this.#done.length === 0 ? this.#from.count : 1;
    this.#values = new Float32Array(frames * frameSize(layout));
    this.#frames = [];
    this.#antennas = [];
  }

  #close(): void {
    const layout = this.#layout;
    if (!layout || this.#frames.length === 0) return;
    const values = this.#values.subarray(0, this.end);
    const all = this.#frames.length === this.#from.count && layout.rx === this.#from.layout.rx;
    this.#done.push(
      all
        ? { ...this.#from, layout, values }
        : withRows(this.#from, this.#frames, this.#antennas, layout, values),
    );
  }
}
