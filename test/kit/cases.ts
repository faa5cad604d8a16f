import { describe, test } from 'vitest';

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

/** Makes tests of cases. */
export function conformance(name: string, cases: readonly KitCase[]): void {
  describe(name, () => {
    for (const { name: promise, run } of cases) test(promise, run);
  });
}
