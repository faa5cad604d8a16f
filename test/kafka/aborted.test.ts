import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hideAborted, type AbortedTransaction, type FetchedRecord } from '../../pipeline/kafka/aborted.js';

interface LogRecord extends FetchedRecord {
  /** Whether a reader of committed records should see it. */
  readonly shown: boolean;
}

/** A step of a producer: it sends, or ends its transaction. */
const step = fc.record({
  producer: fc.integer({ min: 1, max: 3 }),
  does: fc.constantFrom('send', 'send', 'send', 'commit', 'abort', 'plain'),
});

const marker = (kind: 'abort' | 'commit'): Buffer => Buffer.from([0, 0, 0, kind === 'abort' ? 0 : 1]);

/** A broker's log of a partition, and its aborted transactions in the order of their ends. */
function logOf(steps: readonly { readonly producer: number; readonly does: string }[]) {
  const log: LogRecord[] = [];
  const aborted: (AbortedTransaction & { readonly last: number })[] = [];
  const open = new Map<number, number[]>();
  const add = (
    producer: number,
    inTransaction: boolean,
    key: Buffer | null,
    shown: boolean,
    control: boolean,
  ) =>
    log.push({
      offset: String(log.length),
      key,
      batchContext: { producerId: String(producer), inTransaction },
      isControlRecord: control,
      shown,
    });
  const end = (producer: number, kind: 'abort' | 'commit') => {
    const offsets = open.get(producer);
    if (!offsets) return;
    open.delete(producer);
    add(producer, true, marker(kind), false, true);
    if (kind === 'commit') return;
    for (const offset of offsets) log[offset] = { ...log[offset]!, shown: false };
    aborted.push({ producerId: String(producer), firstOffset: String(offsets[0]), last: log.length - 1 });
  };
  for (const { producer, does } of steps) {
    if (does === 'commit' || does === 'abort') end(producer, does);
    else if (does === 'plain') {
      // The key of an abort marker, from a producer without transactions.
      add(9, false, marker('abort'), true, false);
    } else {
      open.set(producer, [...(open.get(producer) ?? []), log.length]);
      add(producer, true, null, true, false);
    }
  }
  for (const producer of [...open.keys()]) end(producer, 'commit');
  return { log, aborted };
}

test('a fetch from any offset shows committed messages, however aborted transactions overlap', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(60), fc.nat(60), (steps, from, length) => {
      const { log, aborted } = logOf(steps);
      const fetched = log.slice(from, from + length).map((record) => ({ ...record }));
      hideAborted(
        fetched,
        aborted.filter(({ last, firstOffset }) => last >= from && Number(firstOffset) < from + length),
      );
      const found = fetched.filter(({ isControlRecord }) => !isControlRecord).map(({ offset }) => offset);
      expect(found).toEqual(fetched.filter(({ shown }) => shown).map(({ offset }) => offset));
    }),
  );
});

test('a transaction of the same producer after an aborted one is shown', () => {
  const { log, aborted } = logOf(['send', 'abort', 'send', 'commit'].map((does) => ({ producer: 1, does })));
  hideAborted(log, aborted);
  expect(log.map(({ isControlRecord }) => isControlRecord)).toEqual([true, true, false, true]);
});
