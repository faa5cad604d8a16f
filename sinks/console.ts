import { Type, type Static } from 'typebox';
import { choice, defineSink, type Context, type Sink } from '../pipeline/component/index.js';
import { isEventTime, type Data } from '../pipeline/model/index.js';
import { isoTime } from '../pipeline/base/iso-time.js';

const Config = Type.Object(
  {
    format: choice(
      { human: 'One readable line a record.', json: 'One JSON object a line.' },
      { default: 'human', description: 'How a record is written.' },
    ),
    stream: choice(
      { stdout: 'Standard output.', stderr: 'Standard error.' },
      { default: 'stdout', description: 'Where the lines go.' },
    ),
    max_lines_per_s: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 20,
      description: 'Limit of records per second; more are dropped and counted.',
    }),
  },
  { additionalProperties: false },
);

export const console = defineSink({
  name: 'console',
  summary: 'Writes a line for each record to the terminal.',
  description:
    'Use it to watch what a topology does. It never delays other nodes: records beyond the limit, or too many for a slow terminal, are dropped and counted.',
  inputs: ['pose', 'event', 'measure'],
  recovery: 'at-least-once',
  privacy: ['retention', 'encryption'],
  config: Config,
  examples: [
    { title: 'Look at it', config: {} },
    { title: 'Everything, for another program', config: { format: 'json', max_lines_per_s: 100_000 } },
  ],
  create: (config, context) => new ConsoleSink(config, context, process[config.stream]),
});

const WINDOW_MS = 1_000;

/** What the sink uses of a stream of Node.js: declarations that ship do not depend on its types. */
export interface LineStream {
  readonly writableNeedDrain: boolean;
  write(line: string): unknown;
  on(event: 'error', listener: () => void): unknown;
}

/** Whether the reader of a stream has exited, as `| head` does. */
const unread = new WeakMap<LineStream, boolean>();

/** Stays for the life of the process: a line may fail after the sink was closed. */
function hear(stream: LineStream): void {
  if (unread.has(stream)) return;
  unread.set(stream, false);
  stream.on('error', () => unread.set(stream, true));
}

/** Exported for tests, which pass their own stream. */
export class ConsoleSink implements Sink {
  readonly #config: Static<typeof Config>;
  readonly #context: Context;
  readonly #stream: LineStream;
  #windowStart = -Infinity;
  #written = 0;
  #leftOut = 0;
  #closed = false;
  #warned = false;

  constructor(config: Static<typeof Config>, context: Context, stream: LineStream) {
    this.#config = config;
    this.#context = context;
    this.#stream = stream;
  }

  async open(): Promise<void> {
    this.#windowStart = -Infinity;
    this.#closed = false;
    hear(this.#stream);
  }

  async write(records: readonly Data[]): Promise<readonly []> {
    if (this.#closed) throw new Error('the console is closed');
    const now = this.#context.clock.elapsed();
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#sayLeftOut();
      this.#windowStart = now;
      this.#written = 0;
    }
    for (const record of records) this.#line(record);
    return [];
  }

  async flush(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sayLeftOut();
  }

  #line(record: Data): void {
    if (unread.get(this.#stream)) {
      if (!this.#warned) this.#context.log.warn('the reader of standard output has closed it');
      this.#warned = true;
      this.#context.metrics.dropped('no_reader', 1);
      return;
    }
    if (this.#written >= this.#config.max_lines_per_s || this.#stream.writableNeedDrain) {
      this.#leftOut++;
      this.#context.metrics.dropped('rate_limit', 1);
      return;
    }
    this.#written++;
    this.#stream.write(`${this.#config.format === 'json' ? toJson(record) : toText(record)}\n`);
  }

  #sayLeftOut(): void {
    if (this.#leftOut === 0 || unread.get(this.#stream)) return;
    const line =
      this.#config.format === 'json'
        ? JSON.stringify({ port: 'console', left_out: this.#leftOut })
        : `... ${this.#leftOut} more records are not shown: more than ${this.#config.max_lines_per_s} a second, or a slow terminal`;
    this.#stream.write(`${line}\n`);
    this.#leftOut = 0;
  }
}

/** JSON has no NaN and no Infinity: they are written as text. */
const toJson = (record: Data): string =>
  JSON.stringify(record, (_key, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  );

function toText(record: Data): string {
  switch (record.port) {
    case 'pose':
      return `${head(record)} pose ${record.frameId}: ${people(record)}`;
    case 'event':
      return `${head(record)} ${record.severity} ${record.type}, confidence ${round(record.confidence)}${about(record.person)}${claim(record.source)}`;
    case 'measure':
      return `${head(record)} ${quoted(record.name)}${record.subject === null ? '' : ` of ${quoted(record.subject)}`} = ${round(record.value)}${claim(record.source)}`;
    default:
      return `a ${record.port} record`;
  }
}

const head = ({ time, environment }: { readonly time: number; readonly environment: string }): string =>
  `${isEventTime(time) ? isoTime(time) : String(time)} ${quoted(environment)}`;

const people = ({ persons }: Data<'pose'>): string =>
  persons.length === 0
    ? 'nobody'
    : persons
        .map(
          ({ position, posture, confidence, track }) =>
            `${track ? `#${track.id} ` : ''}${posture} at (${round(position.x)}, ${round(position.y)}) m, ${round(100 * confidence)} %`,
        )
        .join('; ');

const about = (person: number | null): string => (person === null ? '' : `, person ${person}`);
const claim = (source: string): string => (source === 'csiflow' ? '' : ` (claimed by ${quoted(source)})`);
const round = (value: number): string => String(Math.round(value * 1000) / 1000);

/** Names may come from a sender: their control characters must not reach the terminal. */
const quoted = (text: string): string => (/^[\w.:/-]+$/.test(text) ? text : JSON.stringify(text));
