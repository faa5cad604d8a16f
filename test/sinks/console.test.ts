import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { ConsoleSink } from '../../sinks/console.js';
import { testContext } from '../support/context.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';

function consoleTo(format: 'human' | 'json', max_lines_per_s = 100, highWaterMark = 1_000_000) {
  let written = '';
  let elapsed = 0;
  const stream = new Writable({
    highWaterMark,
    write: (chunk: Buffer) => {
      // Never drains: data beyond the high-water mark waits.
      written += chunk.toString();
    },
  });
  const direct = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written += chunk.toString();
      done();
    },
  });
  const { context, recorded } = testContext({ clock: { now: () => 0, elapsed: () => elapsed } });
  const target = highWaterMark < 1_000_000 ? stream : direct;
  return {
    sink: new ConsoleSink({ format, stream: 'stdout', max_lines_per_s }, context, target),
    recorded,
    lines: () => written.split('\n').slice(0, -1),
    advance: (milliseconds: number) => {
      elapsed += milliseconds;
    },
  };
}

test('each record is a line for a person', async () => {
  const { sink, lines } = consoleTo('human');
  await sink.write([poseFrame(0, { people: 0 }), poseFrame(1), sensedEvent(0), measure(0)]);
  expect(lines()).toEqual([
    '2023-11-14T22:13:20.000Z test-room pose 0: nobody',
    '2023-11-14T22:13:20.100Z test-room pose 1: #1 upright at (3, 2.02) m, 51 %',
    '2023-11-14T22:13:20.000Z test-room high fall_detection, confidence 0.813, person 1',
    '2023-11-14T22:13:20.000Z test-room motion of link-1 = 0',
  ]);
});

test('each record is a JSON object', async () => {
  const { sink, lines } = consoleTo('json');
  await sink.write([sensedEvent(0), measure(0, { value: NaN })]);
  expect(JSON.parse(lines()[0]!)).toEqual(sensedEvent(0));
  expect(JSON.parse(lines()[1]!)).toEqual({ ...measure(0), value: 'NaN' });
});

test('records over the rate are dropped, counted and reported', async () => {
  const { sink, recorded, lines, advance } = consoleTo('human', 2);
  await sink.write([measure(0), measure(1), measure(2), measure(3)]);
  advance(1_000);
  await sink.write([measure(4)]);
  expect(lines()).toHaveLength(4);
  expect(lines()[2]).toBe('... 2 more records are not shown: more than 2 a second, or a slow terminal');
  expect(recorded.dropped).toEqual({ rate_limit: 2 });
});

test('a blocked terminal delays nothing', async () => {
  const { sink, recorded } = consoleTo('human', 1_000, 1);
  await sink.write([measure(0), measure(1), measure(2)]);
  expect(recorded.dropped).toEqual({ rate_limit: 2 });
});

test('names from outside write no control characters to the terminal', async () => {
  const { sink, lines } = consoleTo('human');
  await sink.write([measure(0, { name: 'x\u001b[2J\nfake' })]);
  expect(lines()).toHaveLength(1);
  expect(lines()[0]).not.toContain('\u001b');
});

test('output after the reader left is counted, and ends nothing', async () => {
  const broken = new Writable({
    write: (_chunk, _encoding, done) => {
      done(new Error('write EPIPE'));
    },
  });
  const { context, recorded } = testContext();
  const sink = new ConsoleSink({ format: 'human', stream: 'stdout', max_lines_per_s: 100 }, context, broken);
  await sink.open();
  await sink.write([measure(0)]);
  await new Promise(setImmediate);
  await sink.write([measure(1), measure(2)]);
  await sink.close();
  expect(recorded.dropped).toEqual({ no_reader: 2 });
  expect(recorded.lines.map(({ message }) => message)).toEqual([
    'the reader of standard output has closed it',
  ]);
});
