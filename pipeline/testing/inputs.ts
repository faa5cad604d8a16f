import { Type } from 'typebox';
import {
  defineSource,
  sliceRaw,
  type AnySource,
  type Context,
  type Position,
  type Source,
  type SourceBatch,
  type SourceOutput,
} from '../component/index.js';
import type { CheckedNode, InlineRecord, TestInput } from '../config/index.js';
import { RawBuilder } from '../formats/index.js';
import { sliceBlock, type Data } from '../model/index.js';
import type { NodeMeter } from '../telemetry/node-meter.js';
import { TEST_START, type Lab } from './lab.js';
import { isoTime } from '../base/iso-time.js';

/** Event time that is read in one step, microseconds: the resolution of a test's output times. */
const PART_US = 50_000;

/** The replacement of a source: it reads its input part by part, each when the one before has passed through. */
export function testSource(
  node: CheckedNode,
  input: TestInput | undefined,
  lab: Lab,
  meter: NodeMeter,
  truth: string | null,
): AnySource {
  const replaced = node.component as AnySource;
  return defineSource({
    name: replaced.name,
    summary: 'Replaces a source in a test.',
    config: Type.Object({}),
    examples: [],
    outputs: input?.kind === 'source' ? input.component.outputs : replaced.outputs,
    replayable: true,
    create: (_config, context) =>
      new PacedSource(node.id, innerSource(node, input, context, truth), lab, meter),
  });
}

interface Inner {
  readonly source: Source;
  /** Event time at which its input starts, microseconds; Infinity: its first record's. */
  readonly starts: number;
}

function innerSource(
  node: CheckedNode,
  input: TestInput | undefined,
  context: Context,
  truth: string | null,
): Inner {
  if (input?.kind !== 'source') {
    const records = input?.records ?? [];
    const replaced = (node.component as AnySource).create(node.config as never, context);
    return {
      source: inlineSource(records, replaced, context),
      starts: records.length > 0 ? TEST_START : Infinity,
    };
  }
  const { component, config } = input;
  const scene = component.simulates ?? false;
  const start = (config['start_time'] as string | undefined) ?? isoTime(TEST_START);
  const timed = {
    ...config,
    ...('speed' in config ? { speed: 0 } : {}),
    ...(scene ? { start_time: start, ...(truth === null ? {} : { truth }) } : {}),
  };
  return {
    source: component.create(timed as never, context),
    starts: scene ? Date.parse(start) * 1000 : Infinity,
  };
}

/** Position of the inner source, and how many parts of its next batch were passed on. */
interface PacedPosition {
  readonly inner: Position;
  readonly parts: number;
}

class PacedSource implements Source {
  readonly decode: NonNullable<Source['decode']>;
  readonly snapshot: NonNullable<Source['snapshot']>;
  readonly restore: NonNullable<Source['restore']>;
  readonly #id: string;
  readonly #inner: Inner;
  readonly #lab: Lab;
  readonly #meter: NodeMeter;

  constructor(id: string, inner: Inner, lab: Lab, meter: NodeMeter) {
    const { source } = inner;
    this.#id = id;
    this.#inner = inner;
    this.#lab = lab;
    this.#meter = meter;
    this.decode = (raw) => {
      if (!source.decode) throw new Error('it hands over raw records but has no decode');
      return source.decode(raw);
    };
    this.snapshot = () => source.snapshot?.();
    this.restore = (state) => source.restore?.(state);
  }

  async open(position: Position, output: SourceOutput): Promise<void> {
    const { source } = this.#inner;
    const from = (position ?? { inner: null, parts: 0 }) as PacedPosition;
    let before = from.inner;
    let skip = from.parts;
    this.#lab.enter(this.#id);
    try {
      await source.open(from.inner, {
        ...output,
        offer: async (batch) => {
          const parts = partsOf(batch);
          for (let index = skip; index < parts.length; index++) {
            const last = index === parts.length - 1;
            const position: PacedPosition = last
              ? { inner: batch.position, parts: 0 }
              : { inner: before, parts: index + 1 };
            if (!(await this.#hand(parts[index]!, position, output))) return false;
          }
          before = batch.position;
          skip = 0;
          return true;
        },
      });
    } finally {
      this.#lab.leave(this.#id);
    }
  }

  describe(): Readonly<Record<string, unknown>> {
    return this.#inner.source.describe?.() ?? {};
  }

  async close(): Promise<void> {
    await this.#inner.source.close?.();
  }

  /** False if it must stop. */
  async #hand(part: Part, position: PacedPosition, output: SourceOutput): Promise<boolean> {
    await this.#lab.turnOf(this.#id, part.time, this.#inner.starts, output.signal);
    if (output.signal.aborted) return false;
    const expected = this.#meter.receivedTotal + part.count;
    const taken = await output.offer({ ...part.batch, position });
    if (taken) await this.#lab.settled(() => this.#meter.receivedTotal >= expected, output.signal);
    return taken;
  }
}

/** A part of a batch. */
interface Part {
  readonly batch: Omit<SourceBatch, 'position'>;
  /** Newest event time in it, microseconds. */
  readonly time: number;
  readonly count: number;
}

/** A batch split by event time; each frame and record is in one part, in order. */
function partsOf({ raw, data }: SourceBatch): readonly Part[] {
  if (raw) {
    return cuts(raw.count, (index) => raw.time[index]!).map(([from, to]) => ({
      batch: { raw: sliceRaw(raw, from, to) },
      time: raw.time[to - 1]!,
      count: to - from,
    }));
  }
  const pieces = (data ?? []).flatMap(piecesOf).sort((a, b) => a.time - b.time);
  return cuts(pieces.length, (index) => pieces[index]!.time).map(([from, to]) => {
    const stretch = pieces.slice(from, to);
    return {
      batch: { data: stretch.map((piece) => piece.data) },
      time: stretch.at(-1)!.time,
      count: stretch.reduce((sum, piece) => sum + piece.count, 0),
    };
  });
}

interface Piece {
  readonly data: Data;
  readonly time: number;
  readonly count: number;
}

function piecesOf(data: Data): readonly Piece[] {
  if (data.port !== 'csi') return [{ data, time: data.port === 'window' ? data.start : data.time, count: 1 }];
  return cuts(data.count, (index) => data.time[index]!).map(([from, to]) => ({
    data: sliceBlock(data, from, to),
    time: data.time[to - 1]!,
    count: to - from,
  }));
}

/** Ranges [from, to) within which times differ by less than {@link PART_US}, aligned to its multiples. */
function cuts(count: number, time: (index: number) => number): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  for (let from = 0; from < count;) {
    const end = (Math.floor(time(from) / PART_US) + 1) * PART_US;
    let to = from + 1;
    while (to < count && time(to) < end) to++;
    found.push([from, to]);
    from = to;
  }
  return found;
}

/** Records written in the test; undecoded ones are decoded by the source that they replace. */
function inlineSource(records: readonly InlineRecord[], replaced: Source, context: Context): Source {
  const decode = replaced.decode?.bind(replaced);
  return {
    async open(position, output) {
      output.ready?.();
      for (let index = (position as number | null) ?? 0; index < records.length; index++) {
        const batch = { ...inlineBatch(records[index]!, context), position: index + 1 };
        if (!(await output.offer(batch))) return;
      }
    },
    ...(decode ? { decode } : {}),
    snapshot: () => replaced.snapshot?.(),
    restore: (state) => replaced.restore?.(state),
    close: async () => replaced.close?.(),
  };
}

function inlineBatch(record: InlineRecord, { environments }: Context): Omit<SourceBatch, 'position'> {
  const time = TEST_START + record.at_ms * 1000;
  const provenance = { origin: 'replay' } as const;
  const first = environments[0]!.id;
  if (record.measure) {
    const { name, value, subject = null, environment = first, source = 'csiflow' } = record.measure;
    return { data: [{ port: 'measure', name, environment, subject, time, value, source, provenance }] };
  }
  if (record.event) {
    const { type, severity = 'medium', environment = first, confidence = 1, person = null } = record.event;
    const { source = 'csiflow', metadata = {} } = record.event;
    const id = `${environment}/${type}/${Math.round(record.at_ms)}`;
    const rest = { confidence, person, location: null, metadata, source, provenance };
    return { data: [{ port: 'event', id, type, severity, environment, time, ...rest }] };
  }
  const bytes =
    record.hex === undefined
      ? Buffer.from(record.text ?? '', 'utf8')
      : Buffer.from(record.hex.replaceAll(/\s/g, ''), 'hex');
  const builder = new RawBuilder(1, 'replay');
  builder.add(time, bytes, 0, bytes.length, record.sender ?? '');
  return { raw: builder.take() };
}
