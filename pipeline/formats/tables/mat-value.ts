/** Content of a MATLAB variable, with numbers in MATLAB's order: first index fastest. */
export type MatValue =
  | {
      readonly kind: 'numeric';
      readonly size: readonly number[];
      readonly re: Float64Array;
      readonly im: Float64Array | null;
    }
  | { readonly kind: 'char'; readonly text: string }
  | { readonly kind: 'cell'; readonly size: readonly number[]; readonly cells: readonly MatValue[] }
  | {
      readonly kind: 'struct';
      readonly size: readonly number[];
      readonly elements: readonly Readonly<Record<string, MatValue>>[];
    }
  /** Anything else, in words: `a sparse array`. */
  | { readonly kind: 'other'; readonly what: string };
