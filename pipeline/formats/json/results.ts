import type { Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { fromIsoTime } from '../../base/iso-time.js';
import { isTick, rawRecord, type Output, type RawBatch } from '../../component/index.js';
import {
  EVENT_TYPES,
  type Data,
  type EventType,
  type Failure,
  type Measure,
  type Person,
  type PoseFrame,
  type Provenance,
  type SensedEvent,
  type Track,
} from '../../model/index.js';
import { Faults, type FaultsState } from '../decoder/faults.js';
import type { Decoder, DecoderContext, Format } from '../contract/format.js';
import { EventMessage, MeasureMessage, PoseMessage, type TrackMessage } from './result-schema.js';
import { errorText } from '../../base/error-text.js';

/** Reads back results written by the sink `kafka`. Times, numbers, ids and provenance are as written. */
export const results: Format = {
  name: 'results',
  summary: 'Results of another topology, as the sink `kafka` writes them: poses, events and measures.',
  recognise: (record) => !('fault' in readResult(record)),
  timeOf: (record) => {
    const result = readResult(record);
    return 'fault' in result ? null : result.time;
  },
  decoder: (context) => new ResultDecoder(context),
};

type Result = PoseFrame | SensedEvent | Measure;
interface Fault {
  /** From a bounded set. */
  readonly fault: 'json' | 'result' | 'event_type' | 'time' | 'environment';
  readonly reason: string;
}

/**
 * Results of the topology's environments. Anything else is counted, and a sample of it becomes dead letters.
 */
class ResultDecoder implements Decoder {
  readonly #context: DecoderContext;
  readonly #environments: ReadonlySet<string>;
  readonly #faults: Faults;
  readonly #counts = { pose: 0, event: 0, measure: 0 };

  constructor(context: DecoderContext) {
    this.#context = context;
    this.#faults = new Faults(context.metrics);
    this.#environments = new Set(context.links.environments.map(({ id }) => id));
  }

  decode(raw: RawBatch): Output<Data> {
    const data: Result[] = [];
    const failed: Failure[] = [];
    for (let index = 0; index < raw.count; index++) {
      if (isTick(raw, index)) continue;
      const record = rawRecord(raw, index);
      const result = this.#known(readResult(record));
      if ('fault' in result) this.#refuse(raw, index, result, failed);
      else {
        this.#counts[result.port]++;
        data.push(result);
      }
    }
    return failed.length === 0 ? { data } : { data, failed };
  }

  snapshot(): State {
    return { counts: { ...this.#counts }, ...this.#faults.snapshot() };
  }

  restore(state: unknown): void {
    const snapshot = state as State;
    Object.assign(this.#counts, snapshot.counts);
    this.#faults.restore(snapshot);
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      results: { ...this.#counts },
      malformed: this.#faults.counts,
      faults: this.#faults.causes,
    };
  }

  #known(result: Result | Fault): Result | Fault {
    if ('fault' in result || this.#environments.has(result.environment)) return result;
    return {
      fault: 'environment',
      reason: `it belongs to \`${result.environment}\`, which the topology does not have: add it to \`environments\``,
    };
  }

  #refuse(raw: RawBatch, index: number, found: Fault, failed: Failure[]): void {
    const before = failed.length;
    this.#faults.refuse(raw, index, found, 'a result for this topology', failed);
    if (failed.length > before)
      this.#context.log.warn(`a message is not used: ${found.reason}`, { fault: found.fault });
  }
}

interface State extends FaultsState {
  readonly counts: Readonly<Record<Result['port'], number>>;
}

function readResult(record: Uint8Array): Result | Fault {
  const text = Buffer.from(record.buffer, record.byteOffset, record.byteLength).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: 'json', reason: errorText(error) };
  }
  return resultOf(value);
}

function resultOf(value: unknown): Result | Fault {
  const type = (value as { type?: unknown } | null)?.type;
  const reader =
    typeof type === 'string' && Object.hasOwn(READERS, type) ? READERS[type as Result['port']] : null;
  if (!reader) return { fault: 'result', reason: 'its `type` must be `pose`, `event` or `measure`' };
  return reader(value);
}

const [poses, events, measures] = [Compile(PoseMessage), Compile(EventMessage), Compile(MeasureMessage)];

const READERS: Readonly<Record<Result['port'], (value: unknown) => Result | Fault>> = {
  pose: (value) => (poses.Check(value) ? poseOf(value) : firstError(poses.Errors(value))),
  event: (value) => (events.Check(value) ? eventOf(value) : firstError(events.Errors(value))),
  measure: (value) => (measures.Check(value) ? measureOf(value) : firstError(measures.Errors(value))),
};

function firstError([first]: readonly { readonly instancePath: string; readonly message: string }[]): Fault {
  return { fault: 'result', reason: `\`${first?.instancePath ?? ''}\` ${first?.message ?? 'is invalid'}` };
}

function poseOf(message: Static<typeof PoseMessage>): PoseFrame | Fault {
  const [time, windowEnd] = [fromIsoTime(message.timestamp), fromIsoTime(message.window_end)];
  const persons = message.persons.map(personOf);
  if ([time, windowEnd, ...persons.map(({ track }) => track?.since ?? 0)].some(Number.isNaN)) return NO_TIME;
  return {
    port: 'pose',
    frameId: message.frame_id,
    environment: message.environment_id,
    ...{ time, windowEnd },
    // It is not written: it is the only field that differs between two runs of the same input.
    processingMs: 0,
    persons,
    links: message.links,
    ...(message.left_out && { leftOut: message.left_out }),
    signalQuality: message.signal_quality,
    provenance: provenanceOf(message.provenance),
  };
}

const personOf = (person: Static<typeof PoseMessage>['persons'][number]): Person => ({
  confidence: person.confidence,
  position: person.position,
  positionError: person.position_error,
  heading: person.heading,
  headingConfidence: person.heading_confidence,
  posture: person.posture,
  keypoints: person.keypoints,
  articulated: person.articulated,
  track: person.track && trackOf(person.track),
});

const trackOf = ({ id, state, age, since, velocity }: Static<typeof TrackMessage>): Track => ({
  ...{ id, state, age, velocity },
  since: fromIsoTime(since),
});

function eventOf(message: Static<typeof EventMessage>): SensedEvent | Fault {
  const { id, severity, confidence, location, metadata, source } = message;
  const time = fromIsoTime(message.timestamp);
  if (Number.isNaN(time)) return NO_TIME;
  if (!isEventType(message.event))
    return { fault: 'event_type', reason: `\`event\` must be one of ${EVENT_TYPES.join(', ')}` };
  return {
    port: 'event',
    ...{ id, severity, confidence, location, metadata, source, time },
    type: message.event,
    environment: message.environment_id,
    person: message.person_id,
    provenance: provenanceOf(message.provenance),
  };
}

function measureOf(message: Static<typeof MeasureMessage>): Measure | Fault {
  const { name, subject, value, source, environment_id: environment } = message;
  const time = fromIsoTime(message.timestamp);
  if (Number.isNaN(time)) return NO_TIME;
  const provenance = provenanceOf(message.provenance);
  return { port: 'measure', ...{ name, subject, value, source, environment, time, provenance } };
}

const NO_TIME: Fault = { fault: 'time', reason: 'one of its times is not an ISO 8601 date and time' };
const isEventType = (text: string): text is EventType => (EVENT_TYPES as readonly string[]).includes(text);

const provenanceOf = ({ origin, model }: Static<typeof MeasureMessage>['provenance']): Provenance => ({
  origin,
  ...(model && {
    model: {
      name: model.name,
      version: model.version,
      trainedOn: model.trained_on,
      accuracy: model.accuracy,
    },
  }),
});
