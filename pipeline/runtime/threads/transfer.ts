import { packBlock, unpackBlock, type CsiLayout, type PackedBlock } from '../../model/index.js';
import type { DataSignal, Signal } from '../signals/signal.js';

/** Frames as memory: a message with one object for each of their columns takes four times as long. */
export interface PackedSignal extends Omit<DataSignal, 'kind' | 'data'> {
  readonly kind: 'packed';
  readonly block: PackedBlock;
  /** Absent: that of the packed frames before. */
  readonly layout?: CsiLayout;
}

export type SentSignal = Signal | PackedSignal;

/**
 * Prepares signals for the other thread, in order. Their memory is copied: a source may use its frames again, and
 * a copy takes 0.2 us
 * for a frame of 64 subcarriers.
 */
export class Packer {
  #layout: string | undefined;

  pack(signals: readonly Signal[]): readonly SentSignal[] {
    return signals.map((signal) => {
      try {
        return this.#packed(signal) ?? signal;
      } catch {
        // A plugin's block without layout or columns: the operator that reads it rejects it, as on this thread.
        return signal;
      }
    });
  }

  #packed(signal: Signal): PackedSignal | undefined {
    if (signal.kind !== 'data' || signal.data.port !== 'csi') return undefined;
    const { data, ...rest } = signal;
    const block = packBlock(data);
    if (!block) return undefined;
    const { layout } = data;
    const isSame = layout.key === this.#layout;
    this.#layout = layout.key;
    return { ...rest, kind: 'packed', block, ...(!isSame && { layout }) };
  }
}

/** Restores what a {@link Packer} has sent, in order. */
export class Unpacker {
  #layout: CsiLayout | undefined;

  unpack(signal: SentSignal): Signal {
    if (signal.kind !== 'packed') return signal;
    const { block, layout, ...rest } = signal;
    this.#layout = layout ?? this.#layout;
    return { ...rest, kind: 'data', data: unpackBlock(this.#layout!, block) };
  }
}
