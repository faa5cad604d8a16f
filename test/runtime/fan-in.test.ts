import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allocateBlock, csiLayout, LinkTable } from '../../pipeline/model/index.js';
import { FanIn } from '../../pipeline/runtime/signals/fan-in.js';
import { countOf, type Signal } from '../../pipeline/runtime/signals/signal.js';
import { testEnvironment } from '../support/context.js';
import { frames, layout, measure } from '../support/flow.js';
import { throughDisk } from '../../pipeline/testing/kit/run-operator.js';

const links = new LinkTable([testEnvironment]);

/** The output: frames one by one, marks separately. */
class Log {
  readonly records: string[] = [];
  readonly barriers: { epoch: number; after: number }[] = [];
  watermark = -Infinity;
  early = 0;
  readonly fanIn: FanIn;

  constructor(inputs: readonly string[], state?: unknown) {
    this.fanIn = new FanIn(
      inputs,
      {
        data: ({ data, from }) => {
          for (let index = 0; index < countOf(data); index++) {
            const time = data.port === 'csi' ? data.time[index]! : data.port === 'measure' ? data.time : 0;
            this.records.push(
              `${from}:${data.port}:${time}:${data.port === 'csi' ? data.sequence[index]! : ''}`,
            );
          }
        },
        watermark: (time) => {
          this.watermark = time;
        },
        reanchor: () => undefined,
        barrier: ({ epoch }) => {
          this.barriers.push({ epoch, after: this.records.length });
        },
      },
      true,
    );
    if (state !== undefined) this.fanIn.restore(state, links, 0);
  }
}

/** The signals of one input: records in order of time, cut into blocks, each followed by its watermark. */
function inputSignals(
  from: string,
  times: readonly number[],
  sizes: readonly number[],
  port: 'csi' | 'measure',
): Signal[] {
  const signals: Signal[] = [];
  for (let start = 0, turn = 0; start < times.length; turn++) {
    const end =
      port === 'measure' ? start + 1 : Math.min(times.length, start + (sizes[turn % sizes.length] ?? 1));
    const data =
      port === 'csi' ? frames(start, end, (number) => times[number]!) : measure('m', times[start]!, start);
    signals.push({ kind: 'data', data, from, received: 0 });
    signals.push({ kind: 'watermark', time: times[end - 1]! - 1, from, received: 0 });
    start = end;
  }
  signals.push({ kind: 'watermark', time: Infinity, from, received: 0 });
  return signals;
}

/** Interleaves inputs: `turns` selects whose signal comes next. */
function mix(inputs: readonly (readonly Signal[])[], turns: readonly number[]): Signal[] {
  const queues = inputs.map((signals) => [...signals]);
  const mixed: Signal[] = [];
  for (let step = 0; queues.some((queue) => queue.length > 0); step++) {
    const open = queues.filter((queue) => queue.length > 0);
    mixed.push(open[(turns[step % turns.length] ?? 0) % open.length]!.shift()!);
  }
  return mixed;
}

const sortedTimes = fc
  .array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 30 })
  .map((times) => times.sort((a, b) => a - b));
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const turns = fc.array(fc.nat(5), { minLength: 1, maxLength: 60 });
const inputs = fc.tuple(sortedTimes, sortedTimes, sortedTimes);
const names = ['a', 'b', 'c'];
const ports = ['csi', 'measure', 'csi'] as const;

const release = (signals: readonly Signal[]): Log => {
  const log = new Log(names);
  for (const signal of signals) log.fanIn.push(signal);
  return log;
};

test('any interleaving and block sizes give the same order', () => {
  fc.assert(
    fc.property(inputs, sizes, sizes, turns, turns, (times, sizes1, sizes2, turns1, turns2) => {
      const make = (cut: readonly number[], order: readonly number[]) =>
        release(
          mix(
            times.map((each, index) => inputSignals(names[index]!, each, cut, ports[index]!)),
            order,
          ),
        ).records;
      const first = make(sizes1, turns1);
      expect(first).toHaveLength(times.flat().length);
      expect(make(sizes2, turns2)).toEqual(first);
      const at = first.map((record) => Number(record.split(':')[2]));
      expect(at).toEqual([...at].sort((a, b) => a - b));
    }),
    { numRuns: 300 },
  );
});

test('a late record does not overtake the one before it on its own input', () => {
  const log = new Log(['a', 'b']);
  const send = (from: string, time: number) => {
    log.fanIn.push({ kind: 'data', data: measure('m', time, 0), from, received: 0 });
  };
  send('a', 10);
  send('a', 5);
  send('b', 7);
  for (const from of ['a', 'b']) log.fanIn.push({ kind: 'watermark', time: Infinity, from, received: 0 });
  expect(log.records).toEqual(['b:measure:7:', 'a:measure:10:', 'a:measure:5:']);
});

test('releases nothing that an input without records could still precede', () => {
  const log = new Log(['a', 'b']);
  log.fanIn.push({ kind: 'data', data: measure('m', 10, 0), from: 'a', received: 0 });
  log.fanIn.push({ kind: 'watermark', time: 9, from: 'b', received: 0 });
  expect(log.records).toEqual([]);
  log.fanIn.push({ kind: 'watermark', time: 10, from: 'b', received: 0 });
  expect(log.records).toHaveLength(1);
});

test('later records are never older than the emitted watermark', () => {
  fc.assert(
    fc.property(inputs, sizes, turns, (times, cut, order) => {
      const log = new Log(names);
      let seen = 0;
      for (const signal of mix(
        times.map((each, index) => inputSignals(names[index]!, each, cut, ports[index]!)),
        order,
      )) {
        const { watermark } = log;
        log.fanIn.push(signal);
        for (const record of log.records.slice(seen))
          expect(Number(record.split(':')[2])).toBeGreaterThan(watermark);
        seen = log.records.length;
      }
      expect(log.watermark).toBe(Infinity);
    }),
  );
});

test('records behind an early barrier wait for it; those before it belong to the snapshot', () => {
  fc.assert(
    fc.property(inputs, sizes, turns, turns, fc.nat(40), (times, cut, before, after, place) => {
      const signals = times.map((each, index) => inputSignals(names[index]!, each, cut, ports[index]!));
      const whole = release(mix(signals, before)).records;
      const barrier = (from: string): Signal => ({ kind: 'barrier', epoch: 1, from, received: 0 });
      const cutAt = signals.map((each, index) => Math.min(each.length, place + index));
      const withBarrier = signals.map((each, index) => [
        ...each.slice(0, cutAt[index]),
        barrier(names[index]!),
        ...each.slice(cutAt[index]),
      ]);
      const log = new Log(names);
      for (const signal of mix(withBarrier, before)) {
        log.fanIn.push(signal);
        expect(log.barriers.length).toBeLessThanOrEqual(1);
      }
      expect(log.records).toEqual(whole);
      // Runs only up to the barrier, then continues from its snapshot: as if it had never stopped.
      const first = new Log(names);
      for (const signal of mix(
        withBarrier.map((each, index) => each.slice(0, cutAt[index]! + 1)),
        after,
      ))
        first.fanIn.push(signal);
      // The barrier aligned with the last of these; no record followed it, so the state is that of the
      // barrier.
      const state = throughDisk(first.fanIn.snapshot(links));
      const second = new Log(names, state);
      for (const signal of mix(
        signals.map((each, index) => each.slice(cutAt[index])),
        after,
      ))
        second.fanIn.push(signal);
      expect([...first.records, ...second.records]).toEqual(whole);
    }),
    { numRuns: 200 },
  );
});

test('merges frames of several layouts by time, whatever the batch sizes', () => {
  const narrow = csiLayout({ ...layout, subcarriers: [1] });
  const byTime = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(
      byTime,
      fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      sizes,
      (steps, wide, cut) => {
        let time = 0;
        const stream = steps.map((step, number) => ({ time: (time += step), number, wide: wide[number]! }));
        const releasedIn = (lengths: readonly number[]) => {
          const log = new Log(['a', 'b']);
          log.fanIn.push({ kind: 'watermark', time: Infinity, from: 'b', received: 0 });
          for (let start = 0, turn = 0; start < stream.length; turn++) {
            const batch = stream.slice(start, (start += lengths[turn % lengths.length]!));
            for (const of of [layout, narrow]) {
              const chosen = batch.filter((frame) => frame.wide === (of === layout));
              if (chosen.length === 0) continue;
              const block = allocateBlock(of, chosen.length);
              chosen.forEach((frame, index) => {
                block.time[index] = frame.time;
                block.sequence[index] = frame.number;
              });
              log.fanIn.push({ kind: 'data', data: block, from: 'a', received: 0 });
            }
            log.fanIn.push({ kind: 'watermark', time: batch.at(-1)!.time - 1, from: 'a', received: 0 });
          }
          log.fanIn.push({ kind: 'watermark', time: Infinity, from: 'a', received: 0 });
          return log.records;
        };
        expect(releasedIn(cut)).toEqual(releasedIn([1]));
      },
    ),
  );
});
