import fc from 'fast-check';

/** One promise that a kit holds a component to: `run` rejects where the component breaks it. */
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

/** Cases for the components that promise them; for others there are none, not skipped ones. */
export const where = (promised: boolean, ...cases: readonly KitCase[]): readonly KitCase[] =>
  promised ? cases : [];

/** How a property is run: what it drew once it draws again, unless fast-check was configured with another seed. */
export const drawing = (numRuns: number): { readonly numRuns: number; readonly seed: number } => ({
  numRuns,
  seed: fc.readConfigureGlobal().seed ?? 1,
});
