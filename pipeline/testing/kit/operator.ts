import { deepEqual, notDeepEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { knownAt, sliceBlock, type Data, type Failure } from '../../model/index.js';
import { drawing, kitCase, where, type KitCase } from './cases.js';
import { definitionCases } from './definition.js';
import { mostInFlight, OperatorBench, type OperatorDriver } from './operator-bench.js';
import { comparable, finish, jump, moved, singles, throughDisk } from './run-operator.js';

/** Leaves minutes, hours and days where they are, microseconds. */
const WEEK = 604_800_000_000;

/** The promises of every operator, which docs/own-operator.md lists. */
export function operatorCases(driver: OperatorDriver): readonly KitCase[] {
  const within = ([name, body]: Promised): KitCase => kitCase(name, () => body(new OperatorBench(driver)));
  return [
    ...definitionCases(driver.component, driver.config, driver.invalid ?? []),
    ...promises.map(within),
    ...where(
      (driver.component.inputs as readonly string[]).includes('csi'),
      within(['one block of N has the same output as N blocks of one', takesBlocksOfAnySize]),
    ),
    ...where(
      driver.keepsState ?? true,
      within(['a snapshot is a copy: later input does not change it', copiesItsState]),
    ),
    ...where(
      driver.counts !== 'all',
      within(['bad records among good ones do not change their output', outlivesBadRecordsAmongGoodOnes]),
    ),
    ...where(
      mostInFlight(driver) > 1,
      within([
        'records in flight at the same time have the same output as one after the other',
        keepsApartWhatIsInFlight,
      ]),
    ),
  ];
}

type Promised = readonly [name: string, body: (bench: OperatorBench) => Promise<void>];

const promises: readonly Promised[] = [
  ['it returns the same output for the same input, at least one record', repeats],
  ['it only sends on the ports that it declares', sendsOnItsPorts],
  ['its records are plain data with an event time', sendsPlainData],
  ['it rejects no good record', rejectsNoGoodOnes],
  ['a snapshot at any point, restored, continues as if it had never stopped', goesOnFromSnapshots],
  ['after a jump of the clock it continues as if the clock had always been right', goesOnAfterJumps],
  ['it does not change its input', leavesItsInput],
  ['bad records do not make it throw, and do not change the output for good ones', outlivesBadRecords],
  ['it opens and closes repeatedly', opensAgain],
];

async function repeats(bench: OperatorBench): Promise<void> {
  const first = await bench.run(bench.input());
  ok(first.length > 0, "it returns nothing for the driver's input");
  deepEqual(await bench.run(bench.input()), first);
}

async function sendsOnItsPorts(bench: OperatorBench): Promise<void> {
  const declared: readonly string[] = bench.driver.component.outputs;
  for (const { port } of await bench.output(bench.input()))
    ok(declared.includes(port), `it sends on ${port}, which it does not declare`);
}

async function sendsPlainData(bench: OperatorBench): Promise<void> {
  for (const data of await bench.output(bench.input())) {
    const times = data.port === 'csi' ? [...data.time.subarray(0, data.count)] : [knownAt(data)];
    ok(times.every(Number.isFinite), `a record on ${data.port} has no event time: ${times.join(', ')}`);
    // It crosses threads, and may be stored.
    deepEqual(structuredClone(data), data);
  }
}

async function rejectsNoGoodOnes(bench: OperatorBench): Promise<void> {
  const operator = await bench.open();
  const failed: Failure[] = [];
  await bench.feed(operator, bench.input(), (some) => {
    failed.push(...some);
  });
  await operator.close?.();
  const [first] = failed;
  ok(!first, `it rejects ${failed.length} records of the driver's input, first: ${first?.reason}`);
}

async function keepsApartWhatIsInFlight(bench: OperatorBench): Promise<void> {
  const input = bench.input();
  ok(input.length > 1, 'the driver gives one record: nothing is in flight beside it');
  const operator = await bench.open();
  const together = [...(await bench.feedTogether(operator, input)), ...finish(operator)];
  await operator.close?.();
  deepEqual(comparable(together), await bench.run(bench.input()));
}

async function takesBlocksOfAnySize(bench: OperatorBench): Promise<void> {
  const input = bench.input();
  ok(
    input.some((data) => data.port === 'csi' && data.count > 1),
    'the driver gives no block of several frames',
  );
  const whole = await bench.run(input);
  deepEqual(await bench.run(singles(input)), whole);
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.integer({ min: 1, max: 70 })), async (sizes) => {
      deepEqual(await bench.run(cut(input, sizes)), whole);
    }),
    drawing(Math.min(bench.runs, 5)),
  );
}

async function goesOnFromSnapshots(bench: OperatorBench): Promise<void> {
  const input = singles(bench.input());
  const whole = await bench.run(input);
  const { keepsState = true } = bench.driver;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: input.length }), async (at) => {
      const before = await bench.open();
      const keeps = before.snapshot !== undefined;
      ok(keeps || !keepsState, 'it has no `snapshot`: `keepsState: false` in its driver states that');
      ok(!keeps || keepsState, 'it has a `snapshot`, but its driver states `keepsState: false`');
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

async function goesOnAfterJumps(bench: OperatorBench): Promise<void> {
  const input = singles(bench.input());
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: input.length - 1 }),
    fc.constantFrom([WEEK], [-WEEK], [WEEK, -WEEK]),
    async (at, by) => {
      const unmoved = by.map(() => 0);
      deepEqual(await jumping(bench, input, at, by), await jumping(bench, input, at, unmoved));
    },
  );
  try {
    await fc.assert(property, drawing(bench.runs));
  } catch (error) {
    // Most runners show only the message: the hint comes first, and the records that differ are the cause.
    throw new Error(JUMP_HINT, { cause: error });
  }
}

const JUMP_HINT =
  'its records differ after a jump of the clock: `timeFields` of the definition must name the fields of its snapshot ' +
  'that hold event times, and the id of an event may hold a time only at its end';

/** Output before and after jumps of the clock; times after them as if there had been none. */
async function jumping(
  bench: OperatorBench,
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

async function copiesItsState(bench: OperatorBench): Promise<void> {
  const input = singles(bench.input());
  const operator = await bench.open();
  const taken: { readonly state: unknown; readonly copy: unknown }[] = [];
  const look = (): void => {
    const state = operator.snapshot?.();
    taken.push({ state, copy: throughDisk(state) });
  };
  const step = Math.ceil(input.length / 10);
  for (let at = 0; at < input.length; at += step) {
    look();
    await bench.feed(operator, input.slice(at, at + step));
  }
  look();
  await operator.close?.();
  notDeepEqual(taken.at(-1)!.copy, taken[0]!.copy, "the driver's input does not change its state");
  for (const { state, copy } of taken) deepEqual(throughDisk(state), copy);
}

async function leavesItsInput(bench: OperatorBench): Promise<void> {
  const input = bench.input();
  const before = structuredClone(input);
  await bench.run(input);
  deepEqual(input, before);
}

async function outlivesBadRecords(bench: OperatorBench): Promise<void> {
  const bad = bench.driver.bad();
  ok(bad.length > 0, 'the driver has no bad records');
  const failed: Failure[] = [];
  const out = await bench.output(bench.input(), async (operator) => {
    await bench.feed(operator, bad, (some) => {
      failed.push(...some);
    });
  });
  const { reportsBad = () => false } = bench.driver;
  deepEqual(comparable(out.filter((data) => !reportsBad(data))), await bench.run(bench.input()));
  for (const { code, reason } of failed)
    ok(
      /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(code) && reason.trim() !== '',
      `a failure needs a dotted code and a reason: ${JSON.stringify({ code, reason })}`,
    );
}

async function outlivesBadRecordsAmongGoodOnes(bench: OperatorBench): Promise<void> {
  const input = singles(bench.input());
  const half = Math.floor(input.length / 2);
  const { bad, counts } = bench.driver;
  const now = knownAt(input[half - 1]!);
  const atOnce = bad()
    .filter((data) => typeof counts !== 'function' || !counts(data))
    .flatMap((data) => movedTo(now, data));
  ok(atOnce.length > 0, 'all of its bad records count among good ones');
  const operator = await bench.open();
  const before = await bench.feed(operator, input.slice(0, half));
  await bench.feed(operator, atOnce);
  const after = [...(await bench.feed(operator, input.slice(half))), ...finish(operator)];
  await operator.close?.();
  deepEqual(comparable([...before, ...after]), await bench.run(singles(bench.input())));
}

/** A record without a valid time stays as it is. */
function movedTo(time: number, data: Data): readonly Data[] {
  const by = time - knownAt(data);
  return Number.isFinite(by) ? moved([data], by) : [data];
}

async function opensAgain(bench: OperatorBench): Promise<void> {
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
