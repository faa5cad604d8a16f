import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Type } from 'typebox';
import { afterEach, describe, expect, test } from 'vitest';
import {
  defineOperator,
  defineSink,
  defineSource,
  sliceRaw,
  type AnyOperator,
  type AnySink,
  type Context,
  type Operator,
  type Output,
  type RawBatch,
  type Sink,
  type Source,
  type SourceOutput,
} from '../../pipeline/component/index.js';
import { formatNamed, type Decoder, type Format } from '../../pipeline/formats/index.js';
import type { CsiBlock, Data, Failure, Measure } from '../../pipeline/model/index.js';
import { decodeNumbers, frames, measure, rawNumbers, sum } from '../support/flow.js';
import {
  definitionCases,
  formatCases,
  operatorCases,
  sinkCases,
  sourceCases,
  type FormatDriver,
  type KitCase,
  type OperatorDriver,
  type SinkDriver,
  type SourceDriver,
} from '../../pipeline/testing/kit/index.js';
import { conformance } from './cases.js';
import { formatRecords } from './drivers/formats.js';

// A component that keeps every promise passes its whole kit; one with a single fault is caught by the case of
// that promise.

const config = Type.Object({}, { additionalProperties: false });

/** No JSON Schema: a title is a text. */
const noSchema = Type.Object({}, { additionalProperties: false, title: 5 as never });

/** Faults of a component, and how to cause them. */
type Faults<T> = Readonly<Record<string, readonly (readonly [fault: string, driver: () => T])[]>>;

function catches<T>(kit: string, good: T, cases: (driver: T) => readonly KitCase[], faults: Faults<T>): void {
  conformance(`a good ${kit}`, cases(good));

  describe(`a bad ${kit} fails:`, () => {
    test('every case has a bad component', () => {
      const promises = cases(good).map(({ name }) => name);
      expect(promises.filter((name) => !Object.hasOwn(faults, name))).toEqual([]);
    });

    for (const [name, bad] of Object.entries(faults)) {
      test.each(bad)(`${name}: %s`, async (_, driver) => {
        const broken = cases(driver()).find((one) => one.name === name);
        await expect(broken!.run()).rejects.toThrow();
      });
    }
  });
}

const timers: NodeJS.Timeout[] = [];
afterEach(() => {
  for (const timer of timers.splice(0)) clearTimeout(timer);
});

describe('definitions', () => {
  const field = { limit: Type.Number({ minimum: 0, default: 1, description: 'How many' }) };
  const component = (fields: object, changes: object = {}): AnyOperator => ({
    ...sum,
    config: Type.Object(fields as never, { additionalProperties: false }),
    ...changes,
  });
  const good = component(field);
  type Driver = readonly [AnyOperator, invalid: readonly object[]];

  catches<Driver>(
    'definition',
    [good, [{ limit: -1 }]],
    ([one, invalid]) => definitionCases(one, {}, invalid),
    {
      'its schema is JSON Schema': [['a wrong keyword', () => [{ ...good, config: noSchema }, []]]],
      'its fields all have a description, and unknown ones are rejected': [
        ['no description', () => [component({ limit: Type.Number({ default: 1 }) }), []]],
        ['unknown fields', () => [{ ...good, config: Type.Object(field) }, []]],
      ],
      "the driver's configuration and all examples are valid": [
        [
          'a wrong example',
          () => [component(field, { examples: [{ title: 'Less', config: { limit: -1 } }] }), []],
        ],
        [
          'a field without a default',
          () => [component({ limit: Type.Number({ description: 'How many' }) }), []],
        ],
      ],
      'it rejects {"limit":-1}': [
        ['it is accepted', () => [component({ limit: Type.Number({ default: 1 }) }), [{ limit: -1 }]]],
        [
          'its check only warns',
          () => [
            component(
              { limit: Type.Number({ default: 1, description: 'How many' }) },
              { check: () => [{ path: '/limit', message: 'it is small', severity: 'warning' }] },
            ),
            [{ limit: -1 }],
          ],
        ],
      ],
    },
  );
});

describe('operators', () => {
  const broken = (): CsiBlock => {
    const block = frames(0, 3);
    block.time.fill(NaN);
    return block;
  };
  const driver = (component: AnyOperator, changes: Partial<OperatorDriver> = {}): OperatorDriver => ({
    component,
    config: {},
    input: () => [frames(0, 40), frames(40, 90)],
    bad: () => [broken()],
    ...changes,
  });
  const define = (change: (operator: Operator) => Partial<Operator> = () => ({})): AnyOperator =>
    defineOperator({
      ...sum,
      config,
      create: (_: object, context: Context) => {
        const operator = sum.create({ span: 10 }, context) as Operator;
        return { ...operator, ...change(operator) };
      },
    } as never);
  const processing = (process: (data: CsiBlock, operator: Operator) => readonly Data[]) =>
    define((operator) => ({ process: (data) => ({ data: process(data as CsiBlock, operator) }) }));
  const usual = (data: CsiBlock, operator: Operator) =>
    (operator.process(data, 'input') as { data: readonly Data[] }).data;

  const failure = (code: string): Failure => ({
    record: null,
    code,
    reason: 'it is not a number',
    retriable: false,
  });

  /** A measure for each frame, a turn later. */
  const asynchronous = (later: (block: CsiBlock) => Promise<CsiBlock>) =>
    driver(
      defineOperator({
        ...sum,
        config,
        stateFields: [],
        asynchronous: { maxInFlight: () => 4 },
        create: () => ({
          process: async (data: CsiBlock) => {
            const { time } = await later(data);
            return { data: Array.from(time, (at) => measure('time', at, at)) };
          },
        }),
      } as never),
    );
  const turn = () => new Promise(setImmediate);

  catches<OperatorDriver>(
    'asynchronous operator',
    asynchronous(async (block) => {
      await turn();
      return block;
    }),
    (one) => operatorCases(one).filter(({ name }) => name.startsWith('records in flight')),
    {
      'records in flight at the same time have the same output as one after the other': [
        [
          'they share a variable',
          () => {
            let current: CsiBlock;
            return asynchronous(async (block) => {
              current = block;
              await turn();
              return current;
            });
          },
        ],
        [
          'its driver has one record',
          () => ({ ...asynchronous(async (block) => block), input: () => [frames(0, 40)] }),
        ],
      ],
    },
  );

  catches<OperatorDriver>('operator', driver(define()), operatorCases, {
    'its schema is JSON Schema': [['a wrong keyword', () => driver({ ...define(), config: noSchema })]],
    'its fields all have a description, and unknown ones are rejected': [
      ['unknown fields', () => driver({ ...define(), config: Type.Object({}) })],
    ],
    "the driver's configuration and all examples are valid": [
      ['a wrong configuration', () => driver(define(), { config: { span: 1 } })],
    ],
    'it returns the same output for the same input, at least one record': [
      [
        'a different output each time',
        () => {
          let run = 0;
          return driver(define(() => ({ watermark: () => ({ data: [measure('run', 0, run++)] }) })));
        },
      ],
      [
        'no output',
        () => driver(define(() => ({ process: () => ({ data: [] }), watermark: () => ({ data: [] }) }))),
      ],
    ],
    'it only sends on the ports that it declares': [
      ['another port', () => driver({ ...define(), outputs: ['event'] })],
    ],
    'its records are plain data with an event time': [
      ['no time', () => driver(processing(() => [measure('number', NaN, 1)]))],
      [
        'a function',
        () =>
          driver(
            processing((data) => [{ ...measure('number', data.time[0]!, 1), later: () => 2 } as Measure]),
          ),
      ],
    ],
    'it rejects no good record': [
      [
        'one of them, which it uses',
        () => {
          let seen = 0;
          return driver(
            define((operator) => ({
              process: (data, from) => {
                const output = operator.process(data, from) as Output<Data>;
                return seen++ === 1 ? { ...output, failed: [failure('sum.number')] } : output;
              },
            })),
          );
        },
      ],
    ],
    'one block of N has the same output as N blocks of one': [
      [
        'a record for each block',
        () =>
          driver(processing((data, operator) => [...usual(data, operator), measure('block', 0, data.count)])),
      ],
      [
        'its driver has blocks of one frame',
        () => driver(define(), { input: () => range(40).map((number) => frames(number, number + 1)) }),
      ],
    ],
    'a snapshot at any point, restored, continues as if it had never stopped': [
      ['no snapshot', () => driver(define(() => ({ snapshot: () => undefined })))],
      [
        'its driver does not state that it keeps nothing',
        () => driver(define(() => ({ snapshot: undefined as never }))),
      ],
      ['its driver states that it keeps nothing', () => driver(define(), { keepsState: false })],
      ['no restore', () => driver(define(() => ({ restore: () => undefined })))],
    ],
    'after a jump of the clock it continues as if the clock had always been right': [
      [
        'a time that is not in its snapshot',
        () => {
          let last = 0;
          return driver(
            processing((data, operator) => {
              const [time] = data.time;
              const gap = measure('gap', time!, time! - last);
              last = time!;
              return [...usual(data, operator), gap];
            }),
          );
        },
      ],
      [
        'a time that matters to one record of ten',
        () => {
          let last = 0;
          let seen = 0;
          return driver(
            processing((data, operator) => {
              const [time] = data.time;
              const gap = measure('gap', time!, time! - last);
              last = time!;
              return seen++ % 10 === 9 ? [...usual(data, operator), gap] : usual(data, operator);
            }),
          );
        },
      ],
    ],
    'a snapshot is a copy: later input does not change it': [
      [
        'the state itself',
        () =>
          driver(
            define((operator) => {
              const state = { seen: 0 };
              return {
                process: (data, from) => {
                  state.seen++;
                  return operator.process(data, from);
                },
                snapshot: () => state,
              };
            }),
          ),
      ],
      [
        'nothing of its input changes its state',
        () => driver(define(() => ({ snapshot: () => ({ total: 0, next: 10_000 }) }))),
      ],
    ],
    'it does not change its input': [
      [
        'it writes into a block',
        () =>
          driver(
            processing((data, operator) => {
              const out = usual(data, operator);
              data.rssi.fill(1);
              return out;
            }),
          ),
      ],
    ],
    'bad records do not make it throw, and do not change the output for good ones': [
      [
        'it throws',
        () =>
          driver(
            processing((data, operator) => {
              if (Number.isNaN(data.time[0])) throw new RangeError('no time');
              return usual(data, operator);
            }),
          ),
      ],
      [
        'it emits nothing afterwards',
        () =>
          driver(
            define((operator) => {
              let spoilt = false;
              return {
                process: (data, from) => {
                  spoilt ||= Number.isNaN((data as CsiBlock).time[0]);
                  return spoilt ? { data: [] } : operator.process(data, from);
                },
                watermark: (time) => (spoilt ? { data: [] } : operator.watermark!(time)),
              };
            }),
          ),
      ],
      [
        'they raise what follows',
        () =>
          driver(
            define((operator) => {
              let more = 0;
              return {
                process: (data, from) => {
                  if (Number.isNaN((data as CsiBlock).time[0])) more++;
                  const { data: out } = operator.process(data, from) as Output<Data>;
                  return {
                    data: out.map((one) => ({ ...one, value: (one as Measure).value + more }) as Data),
                  };
                },
              };
            }),
          ),
      ],
      [
        'they fail under a code without a dot',
        () =>
          driver(
            define((operator) => ({
              process: (data, from) =>
                Number.isNaN((data as CsiBlock).time[0])
                  ? { data: [], failed: [failure('bad')] }
                  : operator.process(data, from),
            })),
          ),
      ],
      ['its driver has no bad records', () => driver(define(), { bad: () => [] })],
    ],
    'bad records among good ones do not change their output': [
      ['its driver says of each that it counts', () => driver(define(), { counts: () => true })],
      [
        'it starts anew after one',
        () =>
          driver(
            define((operator) => {
              const empty = structuredClone(operator.snapshot!());
              return {
                process: (data, from) => {
                  if (!Number.isNaN((data as CsiBlock).time[0])) return operator.process(data, from);
                  operator.restore!(structuredClone(empty));
                  return { data: [] };
                },
              };
            }),
          ),
      ],
    ],
    'it opens and closes repeatedly': [
      [
        'it opens once',
        () => {
          let opened = 0;
          return driver(
            define(() => ({
              open: async () => {
                if (opened++ > 0) throw new Error('in use');
              },
            })),
          );
        },
      ],
    ],
  });
});

test('names `timeFields` for an operator that a jump of the clock changes', async () => {
  let last = 0;
  const component = defineOperator({
    ...sum,
    config,
    create: () => ({
      process: (block: CsiBlock) => {
        const gap = measure('gap', block.time[0]!, block.time[0]! - last);
        last = block.time[0]!;
        return { data: [gap] };
      },
    }),
  } as never) as AnyOperator;
  const cases = operatorCases({
    component,
    config: {},
    input: () => [frames(0, 40)],
    bad: () => [frames(0, 1)],
  });
  const { run } = cases.find(({ name }) => name.startsWith('after a jump of the clock'))!;
  const error = await run().catch((reason: unknown) => reason);
  expect((error as Error).message).toMatch(/^its records differ after a jump .*`timeFields`/);
  expect(String((error as Error).cause)).toContain('Counterexample');
});

/** A sink with a socket: it counts as open until the turn after its close callback. */
const withSocket = (leaves: number): AnySink =>
  defineSink({
    name: 'datagrams',
    summary: 'Binds a socket.',
    inputs: ['measure'],
    recovery: 'at-least-once',
    config,
    examples: [],
    create: () => {
      const sockets: Socket[] = [];
      return {
        open: async () => {
          const socket = createSocket('udp4');
          socket.bind(0, '127.0.0.1');
          await once(socket, 'listening');
          sockets.push(socket);
          if (leaves > 0) socketsLeft.push(socket);
        },
        write: async () => [],
        flush: async () => undefined,
        close: async () => {
          if (leaves > 0) return;
          await Promise.all(
            sockets.splice(0).map(
              (socket) =>
                new Promise<void>((resolve) => {
                  socket.close(resolve);
                }),
            ),
          );
        },
      };
    },
  });
const socketsLeft: Socket[] = [];
afterEach(() => {
  for (const socket of socketsLeft.splice(0)) socket.close();
});
const nothingLeft = (leaves: number): KitCase =>
  sinkCases({
    component: withSocket(leaves),
    config: {},
    backend: async () => ({ config: {}, read: async () => [] }),
    record: (index) => measure('level', index, index),
    identity: String,
    stored: false,
  }).find(({ name }) => name.endsWith('leaves nothing open'))!;

test('a sink whose sockets are closed, but still counted, leaves nothing open', async () => {
  await nothingLeft(0).run();
});

test('names what a sink leaves open, and nothing else', async () => {
  await expect(nothingLeft(1).run()).rejects.toThrow(/^it leaves open: UDPWrap(, UDPWrap){9}$/);
});

describe('sinks', () => {
  type Recovery = 'rewind' | 'idempotent';

  /** A store in memory, and a sink that keeps all promises. */
  class Memory {
    rows: { epoch: number; name: string; session: number }[] = [];
    session = 0;
    isOpen = false;

    readonly recovery: Recovery;

    constructor(recovery: Recovery) {
      this.recovery = recovery;
    }

    put(name: string, epoch: number): void {
      if (this.recovery === 'idempotent' && this.rows.some((row) => row.name === name)) return;
      this.rows.push({ epoch, name, session: this.session });
    }

    sink(): Sink {
      return {
        open: async () => {
          this.session++;
          this.isOpen = true;
        },
        write: async (records, epoch) => {
          if (!this.isOpen) throw new Error('closed');
          for (const record of records) this.put(identity(record), epoch);
          return [];
        },
        flush: async () => undefined,
        rewind: async (epoch) => {
          this.rows = this.rows.filter((row) => row.epoch <= epoch);
        },
        close: async () => {
          this.isOpen = false;
        },
      };
    }
  }

  const identity = (data: Data): string =>
    data.port === 'measure' ? `${data.name} ${data.value}` : data.port;

  function driver(
    change: (store: Memory, sink: Sink) => Partial<Sink> = () => ({}),
    recovery: Recovery = 'rewind',
  ): SinkDriver {
    let store: Memory;
    const component = defineSink({
      name: 'memory',
      summary: 'Keeps records.',
      config,
      examples: [],
      inputs: ['measure'],
      recovery,
      create: () => {
        const sink = store.sink();
        return { ...sink, ...change(store, sink) };
      },
    } as never) as AnySink;
    return {
      component,
      config: {},
      backend: async () => {
        store = new Memory(recovery);
        return { config: {}, read: async () => store.rows.map(({ name }) => name) };
      },
      record: (index) => measure('number', index, index),
      identity,
    };
  }

  const definition: Faults<SinkDriver> = {
    'its schema is JSON Schema': [
      ['a wrong keyword', () => ({ ...driver(), component: { ...driver().component, config: noSchema } })],
    ],
    'its fields all have a description, and unknown ones are rejected': [
      [
        'unknown fields',
        () => ({ ...driver(), component: { ...driver().component, config: Type.Object({}) } }),
      ],
    ],
    "the driver's configuration and all examples are valid": [
      ['a wrong configuration', () => ({ ...driver(), config: { path: 1 } })],
    ],
  };

  const writing: Faults<SinkDriver> = {
    ...definition,
    'written and flushed records are stored, in order': [
      [
        'one is lost',
        () => driver((_, sink) => ({ write: (all, epoch) => sink.write(all.slice(1), epoch) })),
      ],
      [
        'one is stored twice',
        () => driver((_, sink) => ({ write: (all, epoch) => sink.write([...all, ...all.slice(-1)], epoch) })),
      ],
      ['its driver has one identity for all', () => ({ ...driver(), identity: () => 'number' })],
      [
        'the reverse order',
        () => driver((_, sink) => ({ write: (all, epoch) => sink.write([...all].reverse(), epoch) })),
      ],
    ],
    'an empty batch and a flush of nothing succeed': [
      [
        'it fails',
        () =>
          driver((_, sink) => ({
            write: async (all, epoch) => {
              if (all.length === 0) throw new RangeError('no records');
              return sink.write(all, epoch);
            },
          })),
      ],
      [
        'a flush stores something',
        () =>
          driver((store) => ({
            flush: async () => {
              store.put('flush', 0);
            },
          })),
      ],
    ],
    'it opens and closes repeatedly, and leaves nothing open': [
      [
        'a timer is left',
        () =>
          driver((_, sink) => ({
            open: async () => {
              timers.push(setTimeout(() => undefined, 60_000));
              await sink.open();
            },
          })),
      ],
    ],
    'a write after close is rejected or fails, and stores nothing': [
      ['it is stored', () => driver(() => ({ close: async () => undefined }))],
      [
        'it is lost silently',
        () =>
          driver((store, sink) => ({
            write: async (all, epoch) => (store.isOpen ? sink.write(all, epoch) : []),
          })),
      ],
      [
        'it fails, and is stored',
        () =>
          driver((store, sink) => ({
            write: async (all, epoch) => {
              for (const record of all) if (!store.isOpen) store.put(identity(record), epoch);
              return sink.write(all, epoch);
            },
          })),
      ],
    ],
    'it does not change its input': [
      [
        'it rounds times',
        () =>
          driver((_, sink) => ({
            write: (all, epoch) => {
              for (const record of all) (record as { time: number }).time = 0;
              return sink.write(all, epoch);
            },
          })),
      ],
    ],
    'flushed records survive closing and opening': [
      [
        'it restarts',
        () =>
          driver((store, sink) => ({
            open: async () => {
              store.rows = [];
              await sink.open();
            },
          })),
      ],
    ],
  };

  const rewind = (keep: (store: Memory, row: Memory['rows'][number], epoch: number) => boolean) =>
    driver((store) => ({
      rewind: async (epoch) => {
        store.rows = store.rows.filter((row) => keep(store, row, epoch));
      },
    }));

  catches<SinkDriver>('sink that rewinds', driver(), sinkCases, {
    ...writing,
    'rewinding an empty store succeeds': [
      [
        'it fails',
        () =>
          driver((store, sink) => ({
            rewind: async (epoch) => {
              if (store.rows.length === 0) throw new RangeError('nothing to rewind');
              await sink.rewind!(epoch);
            },
          })),
      ],
    ],
    'rewinding deletes later epochs and nothing else': [
      ['too little', () => rewind(() => true)],
      ['too much', () => rewind((_, row, epoch) => row.epoch < epoch)],
      ['all', () => rewind(() => false)],
    ],
    'rewinding also deletes what an earlier process flushed late': [
      [
        'only its own',
        () => rewind((store, row, epoch) => row.epoch <= epoch || row.session !== store.session),
      ],
    ],
  });

  catches<SinkDriver>(
    'sink that stores nothing',
    { ...driver(), stored: false },
    (one) => sinkCases(one).filter(({ name }) => name === 'a write after close is rejected or fails'),
    {
      'a write after close is rejected or fails': [
        [
          'it is lost silently',
          () => ({
            ...driver((store, sink) => ({
              write: async (all, epoch) => (store.isOpen ? sink.write(all, epoch) : []),
            })),
            stored: false,
          }),
        ],
      ],
    },
  );

  catches<SinkDriver>('sink that is idempotent', driver(undefined, 'idempotent'), sinkCases, {
    ...writing,
    'a record written twice is stored once': [
      [
        'it is stored twice',
        () =>
          driver(
            (store) => ({
              write: async (all, epoch) => {
                for (const record of all) store.rows.push({ epoch, name: identity(record), session: 0 });
                return [];
              },
            }),
            'idempotent',
          ),
      ],
    ],
  });
});

describe('sources', () => {
  const END = 50;
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  const raw = (from: number, to: number): RawBatch =>
    rawNumbers(
      range(from, to),
      range(from, to).map((number) => number * 1000),
    );

  /** Numbers, seven at a time. */
  async function open(position: unknown, output: SourceOutput, first = 0): Promise<void> {
    output.ready?.();
    for (let next = (position as number | null) ?? first; next < END && !output.signal.aborted;) {
      const from = next;
      next = Math.min(END, from + 7);
      if (!(await output.offer({ position: next, raw: raw(from, next) }))) return;
    }
  }

  /** A record of fewer than four bytes is not a number. */
  const decode: Source['decode'] = (batch) =>
    decodeNumbers(
      range(0, batch.count)
        .filter((index) => batch.offsets[index + 1]! - batch.offsets[index]! >= 4)
        .map((index) => sliceRaw(batch, index, index + 1))
        .reduce((all, one) => join(all, one), sliceRaw(batch, 0, 0)),
    );

  function join(a: RawBatch, b: RawBatch): RawBatch {
    const bytes = Uint8Array.from([...content(a), ...content(b)]);
    const ends = [...lengths(a), ...lengths(b)].map(
      (
        (at) => (length: number) =>
          (at += length)
      )(0),
    );
    return {
      ...a,
      count: a.count + b.count,
      time: Float64Array.from([...times(a), ...times(b)]),
      offsets: Uint32Array.from([0, ...ends]),
      bytes,
    };
  }
  const content = ({ bytes, offsets, count }: RawBatch) => bytes.subarray(offsets[0], offsets[count]);
  const lengths = ({ offsets, count }: RawBatch) =>
    range(0, count).map((index) => offsets[index + 1]! - offsets[index]!);
  const times = ({ time, count }: RawBatch) => time.subarray(0, count);

  const driver = (changes: Partial<Source> = {}): SourceDriver => ({
    component: defineSource({
      name: 'numbers',
      summary: 'Numbers.',
      config,
      examples: [],
      outputs: ['csi'],
      replayable: true,
      create: () => ({ open, decode, ...changes }),
    } as never),
    config: {},
    input: async () => ({ config: {} }),
  });
  const send = async (): Promise<void> => undefined;
  const offering = (change: (batch: Parameters<SourceOutput['offer']>[0]) => object) =>
    driver({
      open: (position, output) =>
        open(position, {
          ...output,
          signal: output.signal,
          offer: (batch) => output.offer(change(batch) as never),
        }),
    });

  /** Offers one batch only. */
  const once =
    (from: number, to: number): Source['open'] =>
    async (_, output) => {
      output.ready?.();
      await output.offer({ position: to, raw: raw(from, to) });
    };
  const impatient = (changes: Partial<Source>): SourceDriver => ({
    ...driver(changes),
    input: async () => ({ config: {}, waitMs: 20 }),
  });
  const decoded = (): SourceDriver => ({
    ...driver({
      open: (position, output) =>
        open(position, {
          ...output,
          signal: output.signal,
          offer: ({ raw: some, ...batch }) => output.offer({ ...batch, data: decode(some!).data }),
        }),
      decode: undefined as never,
    }),
    decodes: false,
  });

  test('reports what the source counted and why it refused when nothing decodes', async () => {
    const refusing: Source['decode'] = () => ({
      data: [],
      failed: [{ record: null, code: 'decode.number', reason: 'a number has four bytes', retriable: false }],
    });
    const cases = sourceCases(
      driver({ decode: refusing, describe: () => ({ unknown_senders: ['10.0.0.7'] }) }),
    );
    const { run } = cases.find(({ name }) => name === 'what it reads decodes into records')!;
    await expect(run()).rejects.toThrow(/a number has four bytes.*10\.0\.0\.7/);
  });

  catches<SourceDriver>('source', driver(), sourceCases, {
    'its schema is JSON Schema': [
      ['a wrong keyword', () => ({ ...driver(), component: { ...driver().component, config: noSchema } })],
    ],
    'its fields all have a description, and unknown ones are rejected': [
      [
        'unknown fields',
        () => ({ ...driver(), component: { ...driver().component, config: Type.Object({}) } }),
      ],
    ],
    "the driver's configuration and all examples are valid": [
      ['a wrong configuration', () => ({ ...driver(), config: { port: 1 } })],
    ],
    'it reads records, each batch with one kind of content and a position that survives the disk': [
      ['nothing', () => driver({ open: async () => undefined })],
      ['two kinds', () => offering((batch) => ({ ...batch, data: [] }))],
      ['a function', () => offering((batch) => ({ ...batch, position: () => 0 }))],
      [
        'half of what is sent',
        () => {
          const { component } = driver({
            open: async (_, output) => {
              output.ready?.();
              await output.offer({ position: 10, raw: raw(0, 10) });
            },
          });
          return { ...driver(), component, input: async () => ({ config: {}, waitMs: 20, send }) };
        },
      ],
    ],
    'arrival times never decrease': [
      [
        'they do',
        () =>
          offering((batch) => ({
            ...batch,
            raw: { ...batch.raw!, time: batch.raw!.time.slice().reverse() },
          })),
      ],
      ['a single record', () => driver({ open: once(0, 1) })],
    ],
    'it ends on request, also before it began': [
      ['it never begins', () => impatient({ open: () => new Promise(() => undefined) })],
      [
        'it never ends',
        () =>
          impatient({
            open: (_, output) => {
              output.ready?.();
              return new Promise(() => undefined);
            },
          }),
      ],
      [
        'it never ends if it is asked before it began',
        () =>
          impatient({
            open: (position, output) =>
              output.signal.aborted ? new Promise(() => undefined) : open(position, output),
          }),
      ],
    ],
    'it waits for a full queue': [
      ['a single batch', () => driver({ open: once(0, END) })],
      [
        'it does not',
        () =>
          driver({
            open: async (_, output) => {
              const waits = range(0, 7).map(async (batch) =>
                output.offer({ position: batch, raw: raw(batch, batch + 1) }),
              );
              await Promise.all(waits);
            },
          }),
      ],
    ],
    'it returns the same records when it is read again': [
      [
        'fewer each time',
        () => {
          let read = 0;
          return driver({ open: (position, output) => open(position, output, read++) });
        },
      ],
    ],
    'from the position of any batch it returns what follows': [
      ['it restarts', () => driver({ open: (_, output) => open(null, output) })],
      ['a single batch', () => driver({ open: once(0, END) })],
    ],
    'what it decodes does not depend on the size of batches': [
      ['a single record', () => driver({ open: once(0, 1) })],
      [
        'it does',
        () =>
          driver({
            decode: (batch) => {
              const output = decode(batch);
              for (const block of output.data as readonly CsiBlock[]) block.link.fill(block.count);
              return output;
            },
          }),
      ],
    ],
    'what it reads decodes into records': [
      ['nothing', () => driver({ decode: () => ({ data: [] }) })],
      ['no decode', () => driver({ decode: undefined as never })],
      ['decoded records, which its driver does not state', () => ({ ...decoded(), decodes: true })],
    ],
    'random bytes do not make decode throw': [
      ['they do', () => driver({ decode: decodeNumbers })],
      ['no decode', () => driver({ decode: undefined as never })],
    ],
  });

  catches<SourceDriver>(
    'source of decoded records',
    decoded(),
    (one) => sourceCases(one).filter(({ name }) => name === 'what it offers is decoded already'),
    {
      'what it offers is decoded already': [
        ['it decodes', () => ({ ...driver(), decodes: false })],
        [
          'raw records without a decode',
          () => ({ ...driver({ decode: undefined as never }), decodes: false }),
        ],
      ],
    },
  );
});

describe('formats', () => {
  const adr018 = formatNamed('adr018');
  const driver = (
    decoder: (decoder: Decoder) => Partial<Decoder> = () => ({}),
    changes: Partial<Format> = {},
  ): FormatDriver => ({
    format: {
      ...adr018,
      ...changes,
      decoder: (context) => {
        const good = adr018.decoder(context);
        return {
          decode: (raw) => good.decode(raw),
          snapshot: () => good.snapshot(),
          restore: (state) => {
            good.restore(state);
          },
          describe: () => good.describe(),
          ...decoder(good),
        };
      },
    },
    records: () => Array.from({ length: 20 }, (_, index) => formatRecords['adr018']!(index)),
  });
  const decoding = (change: (raw: RawBatch, good: Decoder) => ReturnType<Decoder['decode']>) =>
    driver((good) => ({ decode: (raw) => change(raw, good) }));
  const changed = (raw: RawBatch, good: Decoder, value: number) => {
    const output = good.decode(raw);
    for (const block of output.data as readonly CsiBlock[]) block.values.fill(value);
    return output;
  };

  catches<FormatDriver>('format', driver(), formatCases, {
    'it has a name in kebab-case and a summary': [
      ['another name', () => driver(undefined, { name: 'ADR 018' })],
      ['no sentence', () => driver(undefined, { summary: '' })],
    ],
    'it recognises its records, and no random bytes': [
      ['not its own', () => driver(undefined, { recognise: () => false })],
      ['any', () => driver(undefined, { recognise: () => true })],
    ],
    'it decodes the same records to the same frames, at least one': [
      ['nothing', () => decoding(() => ({ data: [] }))],
      ['its driver has nine records', () => ({ ...driver(), records: () => driver().records().slice(0, 9) })],
      [
        'different ones each time',
        () => {
          let run = 0;
          return decoding((raw, good) => changed(raw, good, run++));
        },
      ],
    ],
    'one batch of N decodes like N batches of one': [
      ['frames that know their batch', () => decoding((raw, good) => changed(raw, good, raw.count))],
    ],
    'a snapshot at any point, restored, continues as if it had never stopped': [
      ['it restores nothing', () => driver(() => ({ restore: () => undefined }))],
    ],
    'a clock tick is not a record': [
      [
        'it is a bad one',
        () =>
          decoding((raw, good) => {
            if (raw.bytes.length > 0) return good.decode(raw);
            return {
              data: [],
              failed: [{ record: raw, code: 'decode.empty', reason: 'empty', retriable: false }],
            };
          }),
      ],
    ],
    'damaged records do not make it throw, and good ones after them are read': [
      [
        'it throws',
        () =>
          decoding((raw, good) => {
            const output = good.decode(raw);
            if (output.failed) throw new RangeError('damaged');
            return output;
          }),
      ],
      [
        'it gives up',
        () => {
          const spoilt = new WeakSet<Decoder>();
          return decoding((raw, good) => {
            const output = good.decode(raw);
            if (output.failed) spoilt.add(good);
            return spoilt.has(good) ? { data: [] } : output;
          });
        },
      ],
      [
        'it gives up once it has read some',
        () => {
          const working = new WeakSet<Decoder>();
          const spoilt = new WeakSet<Decoder>();
          return decoding((raw, good) => {
            const output = good.decode(raw);
            if (output.failed && working.has(good)) spoilt.add(good);
            if (output.data.length > 0) working.add(good);
            return spoilt.has(good) ? { data: [] } : output;
          });
        },
      ],
    ],
    'it returns only a few of many bad records': [
      ['none', () => decoding((raw, good) => ({ data: good.decode(raw).data }))],
      [
        'all of them',
        () =>
          decoding((raw, good) => {
            const { data, failed } = good.decode(raw);
            return failed ? { data, failed: range(raw.count).map(() => failed[0]!) } : { data };
          }),
      ],
    ],
  });
});

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
