import { appendFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { defineSink, type Context, type LiveFeed, type Sink } from '../pipeline/component/index.js';
import type { Data, PoseFrame, SensedEvent } from '../pipeline/model/index.js';
import { makeFolder } from '../pipeline/base/folders.js';
import { readIfThere } from './shared/text-files.js';
import { codedError } from '../pipeline/base/error-text.js';

const Config = Type.Object(
  {
    recent_events: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      default: 100,
      description: 'Events of an environment retained for clients that connect later.',
    }),
    remembered_ids: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
      description: 'File with the ids of sent events, so that a restart does not send them again.',
    }),
  },
  { additionalProperties: false },
);

export const websocket = defineSink({
  name: 'websocket',
  summary: 'Sends results to the clients of the WebSocket /ws/pose as they arrive.',
  description: `This sink opens no port: the service interface serves its records, by each client's filters.

- Nothing is queued for absent clients; the newest pose frame of each environment and its latest events are retained.
- After a crash, poses may be sent twice. Events are sent once: their ids are written to disk as soon as they are sent.`,
  inputs: ['pose', 'event', 'measure'],
  recovery: 'at-least-once',
  privacy: ['retention', 'encryption'],
  config: Config,
  examples: [{ title: 'As it is', config: {} }],
  settings: { 'streaming.websocket_enabled': 'enabled' },
  create: (config, context) => new LiveSink(config, context),
});

/**
 * Pose frames of several inputs overtake each other by less than this, microseconds. A pose frame that is older by more
 * follows a clock that was set back.
 */
const SET_BACK = 10_000_000;

type Listener = (records: readonly Data[]) => void;

class LiveSink implements Sink, LiveFeed {
  readonly feed: LiveFeed = this;
  readonly #config: Static<typeof Config>;
  readonly #context: Context;
  readonly #told: ToldIds;
  readonly #listeners = new Set<Listener>();
  readonly #latest = new Map<string, PoseFrame>();
  readonly #recent = new Map<string, SensedEvent[]>();
  #closed = false;

  constructor(config: Static<typeof Config>, context: Context) {
    this.#config = config;
    this.#context = context;
    this.#told = new ToldIds(join(context.stateFolder, fileOf(context)), config.remembered_ids);
  }

  async open(): Promise<void> {
    this.#closed = false;
    makeFolder(this.#context.stateFolder);
    await this.#told.open();
  }

  async write(records: readonly Data[]): Promise<readonly []> {
    if (this.#closed) throw new Error('the live feed is closed');
    const fresh = records.filter((record) => record.port !== 'event' || this.#told.isNew(record.id));
    for (const record of fresh) this.#store(record);
    if (fresh.length > 0) for (const listener of this.#listeners) this.#tell(listener, fresh);
    await this.#told.save();
    return [];
  }

  async flush(): Promise<void> {
    await this.#told.save();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    await this.#told.save();
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  latest(environment: string): PoseFrame | undefined {
    return this.#latest.get(environment);
  }

  recentEvents(environment: string): readonly SensedEvent[] {
    return this.#recent.get(environment) ?? [];
  }

  describe(): Readonly<Record<string, unknown>> {
    return { listeners: this.#listeners.size };
  }

  #store(record: Data): void {
    if (record.port === 'pose') {
      const known = this.#latest.get(record.environment);
      const ahead = known ? known.time - record.time : 0;
      if (ahead <= 0 || ahead > SET_BACK) this.#latest.set(record.environment, record);
    } else if (record.port === 'event') {
      const events = [...(this.#recent.get(record.environment) ?? []), record];
      this.#recent.set(
        record.environment,
        events.slice(Math.max(0, events.length - this.#config.recent_events)),
      );
    }
  }

  /** An error in one listener must not affect the others. */
  #tell(listener: Listener, records: readonly Data[]): void {
    try {
      listener(records);
    } catch (error) {
      this.#context.metrics.failed('listener', 1);
      this.#context.log.error('a listener of the live feed failed', { error: String(error) });
    }
  }
}

/** Specific to this instance: several partitions of a process are written in parallel. */
const fileOf = ({ node, partition }: Context): string =>
  partition === undefined ? `${node}.told` : `${node}#${partition}.told`;

/** Ids of the newest events that were sent, in a file with one JSON string per line. */
class ToldIds {
  readonly #path: string;
  readonly #limit: number;
  readonly #ids = new Set<string>();
  #unsaved: string[] = [];
  #lines = 0;

  constructor(path: string, limit: number) {
    this.#path = path;
    this.#limit = limit;
  }

  async open(): Promise<void> {
    const lines = (await readIfThere(this.#path)).split('\n');
    // The last part is empty, or a line truncated by a kill: that event is sent again.
    for (const line of lines.slice(0, -1)) this.#remember(this.#idOf(line));
    await this.#rewrite();
  }

  #idOf(line: string): string {
    try {
      return checked(JSON.parse(line));
    } catch (error) {
      const remedy = 'remove it: events from before this start may then be sent again';
      throw codedError('state.corrupt', `${this.#path} is damaged: ${remedy}`, error);
    }
  }

  isNew(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#remember(id);
    this.#unsaved.push(id);
    return true;
  }

  async save(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const lines = toLines(this.#unsaved);
    this.#lines += this.#unsaved.length;
    this.#unsaved = [];
    if (this.#lines > 2 * this.#limit) await this.#rewrite();
    else await appendFile(this.#path, lines);
  }

  #remember(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size > this.#limit) this.#ids.delete(this.#ids.values().next().value!);
  }

  async #rewrite(): Promise<void> {
    await writeFile(`${this.#path}.part`, toLines([...this.#ids]));
    await rename(`${this.#path}.part`, this.#path);
    this.#lines = this.#ids.size;
  }
}

function checked(id: unknown): string {
  if (typeof id === 'string') return id;
  throw new TypeError('an id must be a text');
}

const toLines = (ids: readonly string[]): string => ids.map((id) => `${JSON.stringify(id)}\n`).join('');
