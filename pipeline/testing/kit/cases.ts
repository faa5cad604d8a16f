import fc from 'fast-check';

/** One promise that a kit holds a component to: `run` rejects if the component breaks it. */
export interface KitCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export const kitCase = (name: string, body: () => Promise<void> | void): KitCase => ({
  name,
  run: async () => {
    await body();
  },
});

/** Cases only for components that promise them; for others they are absent, not skipped. */
export const where = (promised: boolean, ...cases: readonly KitCase[]): readonly KitCase[] =>
  promised ? cases : [];

/** How properties run: with the same draws each time, unless fast-check was configured with another seed. */
export const drawing = (numRuns: number): { readonly numRuns: number; readonly seed: number } => ({
  numRuns,
  seed: fc.readConfigureGlobal().seed ?? 1,
});
