import type { Context } from '../../component/index.js';
import type { CheckedNode } from '../../config/topology/topology.js';
import { knownAt, type Data, type LinkTable } from '../../model/index.js';
import { redact } from '../../base/secrets.js';
import {
  Sampler,
  spanId,
  traceId,
  type Span,
  type Trace,
  type Tracer,
} from '../../telemetry/traces/index.js';
import { newestOf, type DataSignal } from '../signals/signal.js';
import { isoTime } from '../../base/iso-time.js';

/** Limit of frames waiting in a node for a record that represents them. */
const HELD = 64;
/** A frame waits no longer than this, microseconds of event time: it produced nothing. */
const PATIENCE = 10e6;

interface Work {
  readonly trace: Trace;
  readonly span: string;
  /** Monotonic milliseconds. */
  readonly started: number;
}

interface Held {
  readonly trace: Trace;
  readonly since: number;
}

/**
 * Follows sampled frames through one node. A record that leaves while the node works on a sampled one
 * continues its trace. If none leaves (a frame in a window that is still open), the trace is held and
 * continues with the first later record whose time has passed the frame's; the wait becomes a separate span.
 * If several traces meet in one record, the oldest continues, and the others end with a link to it.
 */
export class NodeTraces {
  readonly #tracer: Tracer;
  readonly #clock: Context['clock'];
  readonly #node: string;
  readonly #attributes: Span['attributes'];
  readonly #topology: string;
  readonly #sampler: Sampler;
  #work: Work | null = null;
  /** The trace that records of the current step continue. */
  #carried: Trace | undefined;
  #held: Held[] = [];

  constructor(tracer: Tracer, topology: string, node: CheckedNode, clock: Context['clock']) {
    this.#tracer = tracer;
    this.#clock = clock;
    this.#node = node.id;
    this.#topology = topology;
    this.#sampler = new Sampler(tracer.ratio, `${topology}/${node.id}`);
    this.#attributes = {
      'csiflow.topology': topology,
      'csiflow.node': node.id,
      'csiflow.component': node.component.name,
    };
  }

  /**
   * Begins traces at a source: of the first sampled frame of a batch. Returns its record. Times are monotonic
   * milliseconds: the batch arrived, was taken from the queue, was decoded.
   */
  sample(
    data: readonly Data[],
    links: LinkTable,
    arrived: number,
    taken: number,
  ): { readonly record: Data; readonly trace: Trace } | undefined {
    for (const record of data) {
      const index = this.#choose(record);
      if (index < 0) continue;
      const frame = frameOf(record, index, links);
      const id = traceId(this.#topology, this.#node, frame.subject, frame.time);
      const root = spanId(id, null, this.#node);
      const now = this.#clock.elapsed();
      const trace = { id, span: root, time: frame.time, origin: this.#clock.now() - now * 1000 };
      const name = (what: string) => `${this.#node} ${what}`;
      this.#record(trace, root, null, name('receive'), arrived, now, frame.attributes);
      for (const [what, start, end] of [
        ['queue', arrived, taken],
        ['decode', taken, now],
      ] as const)
        this.#record(trace, spanId(id, root, name(what)), root, name(what), start, end, {});
      return { record, trace };
    }
    return undefined;
  }

  /** The node starts on a record. @param started monotonic milliseconds; default: now */
  begin({ trace, data }: DataSignal, started?: number): void {
    this.#carried = undefined;
    // Only one part of a split block holds the frame.
    if (!trace || !holds(data, trace.time)) {
      this.#work = null;
      return;
    }
    const span = spanId(trace.id, trace.span, `${this.#node} ${data.port}`);
    this.#work = { trace, span, started: started ?? this.#clock.elapsed() };
  }

  /** The trace that a record of the node continues. */
  of(record: Data): Trace | undefined {
    const time = this.#carried?.time ?? this.#held[0]?.trace.time ?? this.#work?.trace.time;
    if (time === undefined || !reaches(record, time)) return undefined;
    this.#carried ??= this.#release(record) ?? this.#own();
    return this.#carried;
  }

  /** All records have left. @param ended when the work was done, monotonic milliseconds */
  end(ended: number, error: string | null = null): void {
    const work = this.#work;
    const carried = this.#carried;
    this.#work = null;
    this.#carried = undefined;
    if (!work) return;
    const { trace, span, started } = work;
    const joined = carried && carried.id !== trace.id ? [carried] : [];
    this.#record(trace, span, trace.span, `${this.#node} process`, started, ended, {}, error, joined);
    if (carried || error !== null) return;
    this.#held = this.#held.filter((held) => trace.time - held.trace.time < PATIENCE).slice(1 - HELD);
    this.#held.push({ trace: { ...trace, span }, since: ended });
  }

  /** A sink has written records, or moved them to its outbox. @param started monotonic milliseconds */
  written(signals: readonly DataSignal[], started: number, outcome: string): void {
    const now = this.#clock.elapsed();
    const seen = new Set<string>();
    for (const { trace, data } of signals) {
      if (!trace) continue;
      const span = spanId(trace.id, trace.span, `${this.#node} ${data.port}`);
      if (seen.has(span)) continue;
      seen.add(span);
      const attributes = { 'csiflow.records': signals.length, 'csiflow.outcome': outcome };
      this.#record(trace, span, trace.span, `${this.#node} write`, started, now, attributes);
    }
  }

  #choose(record: Data): number {
    if (record.port === 'csi') return this.#sampler.first(record.time, record.count);
    return this.#sampler.chooses(knownAt(record)) ? 0 : -1;
  }

  /** Ends the wait of traces that the record represents. The oldest continues with it. */
  #release(record: Data): Trace | undefined {
    const reached = this.#held.filter(({ trace }) => reaches(record, trace.time));
    if (reached.length === 0) return undefined;
    this.#held = this.#held.filter((held) => !reached.includes(held));
    const now = this.#clock.elapsed();
    const name = `${this.#node} hold`;
    const ids = reached.map(({ trace }) => spanId(trace.id, trace.span, name));
    const first: Trace = { ...reached[0]!.trace, span: ids[0]! };
    for (const [index, { trace, since }] of reached.entries())
      this.#record(trace, ids[index]!, trace.span, name, since, now, {}, null, index === 0 ? [] : [first]);
    return first;
  }

  #own(): Trace | undefined {
    return this.#work ? { ...this.#work.trace, span: this.#work.span } : undefined;
  }

  #record(
    { id: trace, origin }: Trace,
    id: string,
    parent: string | null,
    name: string,
    started: number,
    ended: number,
    attributes: Span['attributes'],
    error: string | null = null,
    links: Span['links'] = [],
  ): void {
    this.#tracer.record({
      trace,
      id,
      parent,
      name,
      start: origin + started * 1000,
      end: origin + ended * 1000,
      attributes: { ...this.#attributes, ...attributes },
      error: error === null ? null : redact(error),
      links,
    });
  }
}

/** Whether the record holds the frame of this time. */
const holds = (record: Data, time: number): boolean =>
  record.port !== 'csi' || (knownAt(record) <= time && newestOf(record) >= time);

/** Whether a record can represent a frame of this time. The end of a window is not part of it. */
const reaches = (record: Data, time: number): boolean =>
  record.port === 'window' || record.port === 'pose' ? knownAt(record) > time : newestOf(record) >= time;

/** A trace's attributes of its frame. */
function frameOf(record: Data, index: number, links: LinkTable) {
  const time = knownAt(record, index);
  const at = { 'csiflow.frame.time': isoTime(time), 'csiflow.frame.port': record.port };
  if (record.port !== 'csi') return { time, subject: record.port, attributes: at };
  const link = links.at(record.link[index]!).link.id;
  const attributes = { ...at, 'csiflow.frame.link': link, 'csiflow.frame.sequence': record.sequence[index]! };
  return { time, subject: link, attributes };
}
