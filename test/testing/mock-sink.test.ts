import { expect, test } from 'vitest';
import { Lab } from '../../pipeline/testing/lab.js';
import { MockSink } from '../../pipeline/testing/mock-sink.js';
import type { AnySink, Recovery, Sink } from '../../pipeline/component/index.js';
import { LinkTable, type Measure } from '../../pipeline/model/index.js';

/** A mocked sink, and the input that a topology would write. */
function mocked(recovery: Recovery): { readonly mock: MockSink; readonly sink: Sink } {
  const lab = new Lab([], () => undefined);
  const mock = new MockSink(
    lab,
    new LinkTable([]),
    { name: 'store', inputs: ['measure'], recovery },
    null,
    true,
  );
  const component: AnySink = mock.component;
  return { mock, sink: component.create({} as never, {} as never) };
}

const measure = (time: number, value: number): Measure => ({
  port: 'measure',
  name: 'motion',
  environment: 'room',
  subject: null,
  time,
  value,
  source: 'csiflow',
  provenance: { origin: 'replay' },
});

const values = (mock: MockSink) => mock.taken.map(({ record }) => (record as Measure).value);

test('a sink that overwrites has each record once, the newest, in its place', async () => {
  const { mock, sink } = mocked('idempotent');
  await sink.write([measure(1, 10), measure(2, 20)], 1);
  await sink.write([measure(1, 11), measure(3, 30)], 2);
  expect(values(mock)).toEqual([11, 20, 30]);
});

test('a sink that can rewind drops only later epochs', async () => {
  const { mock, sink } = mocked('rewind');
  await sink.write([measure(1, 10)], 1);
  await sink.write([measure(2, 20)], 2);
  await sink.write([measure(2, 20)], 2);
  expect(values(mock)).toEqual([10, 20, 20]);
  await sink.rewind!(1);
  expect([values(mock), mock.count]).toEqual([[10], 1]);
});
