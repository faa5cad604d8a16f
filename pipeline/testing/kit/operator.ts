import { deepEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import type { AnyOperator, Operator } from '../../component/index.js';
import { sliceBlock, type Data, type Environment } from '../../model/index.js';
import { drawing, kitCase, type KitCase } from './cases.js';
import { definitionCases, withDefaults } from './definition.js';
import { comparable, feed, finish, jump, makeOperator, moved, singles, throughDisk } from './run-operator.js';

/** Leaves minutes, hours and days where they are, microseconds. */
const WEEK = 604_800_000_000;

export interface OperatorDriver {
  readonly component: AnyOperator;
  /** Valid; defaults are filled in. */
  readonly config: object;
  /** Configurations that it must reject. */
  readonly invalid?: readonly object[];
  /** Default: the environment of {@link testContext}, whose links have the numbers 0 and 1. */
  readonly environments?: readonly Environment[];
  /** Records of its input ports in the order of event time, enough for some output. Created anew with each call. */
  readonly input: () => readonly Data[];
  /** Name of the node that sends them. Default `input`. */
  readonly from?: string;
  /** Invalid records, at least one: none may make it throw, or change the output for `input`, which follows. */
  readonly bad: () => readonly Data[];
  /** Output that reports the bad records themselves, such as the measures of their minute. Default: none. */
  readonly reportsBad?: (output: Data) => boolean;
  /** Runs of the properties; fewer for slow operators. Default 10. */
  readonly runs?: number;
}

/** The promises of every operator, which docs/own-operator.md lists. */
export function operatorCases(driver: OperatorDriver): readonly KitCase[] {
  return [
    ...definitionCases(driver.component, driver.config, driver.invalid ?? []),
    ...promises.map(([name, body]) => kitCase(name, () => body(new Bench(driver)))),
  ];
}

/** Operators of a driver, and their output. */
class Bench {
  readonly driver: OperatorDriver;
  readonly runs: number;
  readonly #from: string;

  constructor(driver: OperatorDriver) {
    this.driver = driver;
    this.runs = driver.runs ?? 10;
    this.#from = driver.from ?? 'input';
  }

  input(): readonly Data[] {
    return this.driver.input();
  }

  open(): Promise<Operator> {
    const { component, config, environments } = this.driver;
    return makeOperator(component, withDefaults(component, config), environments);
  }

  feed(operator: Operator, input: readonly Data[]): Promise<Data[]> {
    return feed(operator, input, this.#from);
  }

  /** The whole output of a new operator for `input`, after it has processed `before`. */
  async output(
    input: readonly Data[],
    before?: (operator: Operator) => Promise<void> | void,
  ): Promise<readonly Data[]> {
    const operator = await this.open();
    try {
      await before?.(operator);
      return [...(await this.feed(operator, input)), ...finish(operator)];
    } finally {
      await operator.close?.();
    }
  }

  async run(input: readonly Data[]): Promise<readonly unknown[]> {
    return comparable(await this.output(input));
  }
}

type Promised = readonly [name: string, body: (bench: Bench) => Promise<void>];

const promises: readonly Promised[] = [
  ['it returns the same output for the same input, at least one record', repeats],
  ['it only sends on the ports that it declares', sendsOnItsPorts],
  ['one block of N has the same output as N blocks of one', takesBlocksOfAnySize],
  ['a snapshot at any point, restored, continues as if it had never stopped', goesOnFromSnapshots],
  ['after a jump of the clock it continues as if the clock had always been right', goesOnAfterJumps],
  ['a snapshot is a copy: later input does not change it', copiesItsState],
  ['it does not change its input', leavesItsInput],
  ['bad records do not make it throw, and do not change the output for good ones', outlivesBadRecords],
  ['it opens and closes repeatedly', opensAgain],
];

async function repeats(bench: Bench): Promise<void> {
  const first = await bench.run(bench.input());
  ok(first.length > 0, "it returns nothing for the driver's input");
  deepEqual(await bench.run(bench.input()), first);
}

async function sendsOnItsPorts(bench: Bench): Promise<void> {
  const declared: readonly string[] = bench.driver.component.outputs;
  for (const { port } of await bench.output(bench.input()))
    ok(declared.includes(port), `it sends on ${port}, which it does not declare`);
}

async function takesBlocksOfAnySize(bench: Bench): Promise<void> {
  const input = bench.input();
  const whole = await bench.run(input);
  deepEqual(await bench.run(singles(input)), whole);
  // Only frames come in blocks: other records are the same however they are cut.
  if (!input.some(({ port }) => port === 'csi')) return;
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.integer({ min: 1, max: 70 })), async (sizes) => {
      deepEqual(await bench.run(cut(input, sizes)), whole);
    }),
    drawing(Math.min(bench.runs, 5)),
  );
}

async function goesOnFromSnapshots(bench: Bench): Promise<void> {
  const input = singles(bench.input());
  const whole = await bench.run(input);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: input.length }), async (at) => {
      const before = await bench.open();
      const first = await bench.feed(before, input.slice(0, at));
      const state = throughDisk(before.snapshot?.());
      await before.close?.();
      const rest = await bench.output(input.slice(at), (after) => {
        if (state !== undefined) after.restore?.(state);
      });
      deepEqual(comparable([...first, ...rest]), whole);
    }),
    drawing(bench.runs),
  );
}

async function goesOnAfterJumps(bench: Bench): Promise<void> {
  const input = singles(bench.input());
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: input.length - 1 }),
      fc.constantFrom([WEEK], [-WEEK], [WEEK, -WEEK]),
      async (at, by) => {
        const unmoved = by.map(() => 0);
        sameAfterJump(await jumping(bench, input, at, by), await jumping(bench, input, at, unmoved));
      },
    ),
    drawing(bench.runs),
  );
}

function sameAfterJump(found: unknown, wanted: unknown): void {
  try {
    deepEqual(found, wanted);
  } catch (error) {
    throw new Error(JUMP_HINT, { cause: error });
  }
}

const JUMP_HINT =
  'its records differ: `timeFields` of the definition must name the fields of its snapshot ' +
  'that hold event times, and the id of an event may hold a time only at its end';

/** Output before and after jumps of the clock; times after them as if there had been none. */
async function jumping(
  bench: Bench,
  input: readonly Data[],
  at: number,
  by: readonly number[],
): Promise<readonly unknown[]> {
  const operator = await bench.open();
  const out = [...(await bench.feed(operator, input.slice(0, at)))];
  let off = 0;
  for (const one of by) {
    out.push(...moved(jump(bench.driver.component, operator, one), -off));
    off += one;
  }
  const rest = [...(await bench.feed(operator, moved(input.slice(at), off))), ...finish(operator)];
  await operator.close?.();
  return comparable([...out, ...moved(rest, -off)]);
}

async function copiesItsState(bench: Bench): Promise<void> {
  const input = singles(bench.input());
  const half = Math.floor(input.length / 2);
  const operator = await bench.open();
  await bench.feed(operator, input.slice(0, half));
  const state = operator.snapshot?.();
  const copy = throughDisk(state);
  await bench.feed(operator, input.slice(half));
  await operator.close?.();
  deepEqual(throughDisk(state), copy);
}

async function leavesItsInput(bench: Bench): Promise<void> {
  const input = bench.input();
  const before = structuredClone(input);
  await bench.run(input);
  deepEqual(input, before);
}

async function outlivesBadRecords(bench: Bench): Promise<void> {
  const bad = bench.driver.bad();
  ok(bad.length > 0, 'the driver has no bad records');
  const out = await bench.output(bench.input(), async (operator) => {
    await bench.feed(operator, bad);
  });
  const { reportsBad = () => false } = bench.driver;
  deepEqual(comparable(out.filter((data) => !reportsBad(data))), await bench.run(bench.input()));
}

async function opensAgain(bench: Bench): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const operator = await bench.open();
    await operator.close?.();
  }
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
