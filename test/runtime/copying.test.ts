import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { copiedAnswer, copiedSignals } from '../../pipeline/runtime/threads/copied.js';
import { notCopied } from '../../pipeline/runtime/threads/copying.js';
import type { DataSignal } from '../../pipeline/runtime/signals/signal.js';
import { Packer } from '../../pipeline/runtime/threads/transfer.js';
import { counter, frames, sum, temporaryFolder, topologyOf } from '../support/flow.js';

const call = () => undefined;
const bare = (fields: object): object => Object.assign(Object.create(null) as object, fields);
const broken = {
  get now(): never {
    throw new Error('not now');
  },
};

describe('what cannot be copied to a thread is named', () => {
  it.each([
    ['nothing', bare({ a: 1 }), null],
    ['a function without a prototype around it', bare({ send: call }), 'a function in `send`'],
    ['a symbol', { list: [Symbol('x')] }, 'a symbol in `list[0]`'],
    [
      'a getter that throws',
      { inner: broken },
      'a field that throws an error when it is read in `inner.now`',
    ],
    ['a proxy', { inner: new Proxy({}, {}) }, 'a proxy in `inner`'],
    ['a proxy of nothing', { inner: Proxy.revocable({}, {}).proxy }, 'a proxy in `inner`'],
    ['a promise', { inner: Promise.resolve() }, 'an object of class Promise in `inner`'],
    [
      'an object that has lost its prototype',
      { inner: Object.setPrototypeOf(new WeakMap(), null) as object },
      'an object without a class in `inner`',
    ],
    [
      'an object with a field `constructor`',
      { inner: Object.assign(new WeakMap(), { constructor: 'x' }) },
      'an object of class WeakMap in `inner`',
    ],
    ['a function in a map', { inner: new Map([['a', call]]) }, 'a function in `inner[0]`'],
  ])('%s', (_, value, what) => {
    expect(notCopied(value)).toBe(what);
  });
});

const signalOf = (data: DataSignal['data']): DataSignal => ({ kind: 'data', data, from: 'in', received: 0 });

it('frames without layout or columns are sent as they are, beside those that can be packed', () => {
  const good = signalOf(frames(0, 2));
  const bad = [
    { ...frames(0, 2), time: undefined },
    { ...frames(0, 2), rssi: undefined },
    { ...frames(0, 2), layout: undefined },
  ].map((block) => signalOf(block as unknown as CsiBlock));
  const sent = new Packer().pack([...bad, good]);
  expect(sent.slice(0, 3)).toEqual(bad);
  expect(sent[3]!.kind).toBe('packed');
});

it('a record that throws when it is read fails in its reader, and the others are sent', () => {
  const topology = topologyOf(
    { in: { component: counter }, sums: { component: sum, from: ['in'] } },
    temporaryFolder(),
  );
  const [good, bad] = [signalOf(frames(0, 2)), signalOf(Object.assign(frames(0, 2), { details: broken }))];
  const { copied, failures } = copiedSignals([good, bad, good], topology.nodes);
  expect(copied).toEqual([good, good]);
  expect(failures).toMatchObject([
    { kind: 'failures', node: 'sums', failed: [{ code: 'thread.not_copied' }] },
  ]);
});

it('a field of the log whose text throws is named', () => {
  const odd = { send: call, [inspect.custom]: () => broken.now };
  const log = { kind: 'log', level: 'warn', message: 'odd', fields: { odd, value: 1 } } as const;
  const { events } = copiedAnswer({ kind: 'events', events: [log] });
  expect(events).toEqual([{ ...log, fields: { odd: 'a function in `send`', value: 1 } }]);
});
