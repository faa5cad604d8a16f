import fc from 'fast-check';
import { expect } from 'vitest';
import type { AnyOperator } from '../../pipeline/component/index.js';
import { sliceBlock, type Data, type Environment } from '../../pipeline/model/index.js';
import { conformance, kitCase, type KitCase } from './cases.js';
import { definitionCases, withDefaults } from './definition.js';
import { comparable, feed, finish, makeOperator, singles, throughDisk } from './run-operator.js';

export interface OperatorDriver {
  readonly component: AnyOperator;
  /** Valid; defaults are filled in. */
  readonly config: object;
  readonly invalid?: readonly object[];
  /** Default: the environment of {@link testContext}, whose links have the numbers 0 and 1. */
  readonly environments?: readonly Environment[];
  /** Records of its input ports in the order of event time, enough for some output. Made anew with each call. */
  readonly input: () => readonly Data[];
  /** Name of the node that they come from. Default `input`. */
  readonly from?: string;
  /** Records that cannot be right, at least one: none may make it throw, nor spoil what follows. */
  readonly bad: () => readonly Data[];
  /** Runs of the properties; fewer for slow operators. Default 10. */
  readonly runs?: number;
}

/** What every operator promises: docs/own-operator.md lists it. */
export function operatorConformance(name: string, driver: OperatorDriver): void {
  conformance(`operator ${name}`, operatorCases(driver));
}

/** The same, to be run one by one. */
export function operatorCases(driver: OperatorDriver): readonly KitCase[] {
  const { component, environments } = driver;
  const from = driver.from ?? 'input';
  const numRuns = driver.runs ?? 10;

  const run = async (input: readonly Data[]): Promise<readonly unknown[]> => {
    const operator = await makeOperator(component, withDefaults(component, driver.config), environments);
    try {
      const out = await feed(operator, input, from);
      return comparable([...out, ...finish(operator)]);
    } finally {
      await operator.close?.();
    }
  };

  return [
    ...definitionCases(component, driver.config, driver.invalid ?? []),

    kitCase('it gives the same output for the same input, and some', async () => {
      const first = await run(driver.input());
      expect(first.length).toBeGreaterThan(0);
      expect(await run(driver.input())).toEqual(first);
    }),

    kitCase('it only sends on the ports that it declares', async () => {
      const operator = await makeOperator(component, withDefaults(component, driver.config), environments);
      const out = [...(await feed(operator, driver.input(), from)), ...finish(operator)];
      await operator.close?.();
      for (const { port } of out) expect(component.outputs).toContain(port);
    }),

    kitCase('one block of N gives what N blocks of one give', async () => {
      const whole = await run(driver.input());
      expect(await run(singles(driver.input()))).toEqual(whole);
      await fc.assert(
        fc.asyncProperty(fc.infiniteStream(fc.integer({ min: 1, max: 70 })), async (sizes) => {
          expect(await run(cut(driver.input(), sizes))).toEqual(whole);
        }),
        { numRuns: Math.min(numRuns, 5) },
      );
    }),

    kitCase('a snapshot at any point, restored, goes on as if it had never stopped', async () => {
      const input = singles(driver.input());
      const whole = await run(input);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: input.length }), async (at) => {
          const config = withDefaults(component, driver.config);
          const before = await makeOperator(component, config, environments);
          const first = await feed(before, input.slice(0, at), from);
          const state = throughDisk(before.snapshot?.());
          await before.close?.();
          const after = await makeOperator(component, config, environments);
          if (state !== undefined) after.restore?.(state);
          const rest = await feed(after, input.slice(at), from);
          const last = finish(after);
          await after.close?.();
          expect(comparable([...first, ...rest, ...last])).toEqual(whole);
        }),
        { numRuns },
      );
    }),

    kitCase('a snapshot is a copy: what follows does not change it', async () => {
      const input = singles(driver.input());
      const half = Math.floor(input.length / 2);
      const operator = await makeOperator(component, withDefaults(component, driver.config), environments);
      await feed(operator, input.slice(0, half), from);
      const state = operator.snapshot?.();
      const copy = throughDisk(state);
      await feed(operator, input.slice(half), from);
      await operator.close?.();
      expect(throughDisk(state)).toEqual(copy);
    }),

    kitCase('it leaves its input as it was', async () => {
      const input = driver.input();
      const before = structuredClone(input);
      await run(input);
      expect(input).toEqual(before);
    }),

    kitCase('bad records do not make it throw, and good ones after them are processed', async () => {
      const bad = driver.bad();
      expect(bad.length).toBeGreaterThan(0);
      const operator = await makeOperator(component, withDefaults(component, driver.config), environments);
      await feed(operator, bad, from);
      const out = [...(await feed(operator, driver.input(), from)), ...finish(operator)];
      await operator.close?.();
      expect(out.length).toBeGreaterThan(0);
    }),

    kitCase('it opens and closes again and again', async () => {
      for (let round = 0; round < 3; round++) {
        const operator = await makeOperator(component, withDefaults(component, driver.config), environments);
        await operator.close?.();
      }
    }),
  ];
}

/** The same frames in blocks of other sizes. */
function cut(input: readonly Data[], sizes: fc.Stream<number>): Data[] {
  return input.flatMap((data) => {
    if (data.port !== 'csi') return [data];
    const parts: Data[] = [];
    for (let start = 0; start < data.count;) {
      const end = Math.min(data.count, start + (sizes.next().value as number));
      parts.push(sliceBlock(data, start, end));
      start = end;
    }
    return parts;
  });
}
