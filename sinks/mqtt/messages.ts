import type {
  Domain,
  Data,
  Failure,
  Environment,
  Measure,
  Person,
  PoseFrame,
  SensedEvent,
} from '../../pipeline/model/index.js';
import { KEYPOINT_NAMES } from '../../pipeline/model/index.js';
import { alertBody, provenanceBody } from '../shared/alert.js';
import type { Clock } from '../../pipeline/base/clock.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { finiteJson } from '../shared/json.js';
import { Analytics } from './analytics.js';
import { contains } from '../../operators/shared/zones.js';
import { Occupancy } from './occupancy.js';
import { Regions } from './regions.js';
import { domainOf, type Topics } from './topics.js';

export type MessageKind = 'pose' | 'state' | 'alert';

/** Messages to publish, and the records that are lost if they are not. */
export interface Message {
  readonly topic: string;
  readonly payload: string;
  readonly kind: MessageKind;
  /** The broker retains the last one for late subscribers: states, never alerts. */
  readonly retain: boolean;
  readonly records: readonly Data[];
}

export interface MessagesSettings {
  readonly environment: Pick<Environment, 'id' | 'zones'>;
  readonly domain?: Domain;
  readonly persons: boolean;
  /** Microseconds of event time between summaries while the number of people stays the same. */
  readonly summaryInterval: number;
  /** Microseconds of event time for which a fall keeps its room occupied. */
  readonly fallHold: number;
  /** Whether `watch-zones` feeds the sink. */
  readonly isCounted: boolean;
  readonly clock: Clock;
}

/** Converts records of one environment to messages, in order. */
export class Messages {
  readonly #topics: Topics;
  readonly #settings: MessagesSettings;
  readonly #analytics = new Analytics();
  readonly #occupancy: Occupancy;
  readonly #regions: Regions;
  /** Time of the last summary, and the number of people in it. */
  #summary = { time: -Infinity, people: -1 };

  constructor(topics: Topics, settings: MessagesSettings) {
    this.#topics = topics;
    this.#settings = settings;
    this.#occupancy = new Occupancy(settings, settings.clock);
    this.#regions = new Regions(settings.environment);
  }

  of(records: readonly Data[]): {
    readonly messages: readonly Message[];
    readonly failed: readonly Failure[];
  } {
    const messages: Message[] = [];
    const failed: Failure[] = [];
    for (let at = 0; at < records.length;) {
      const group = groupAt(records, at);
      at += group.length;
      try {
        messages.push(...this.#of(group), ...group.flatMap((record) => this.#states(record)));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        for (const record of group)
          failed.push({ record, code: 'mqtt.value.invalid', reason: error.message, retriable: false });
      }
    }
    return { messages, failed };
  }

  /** States that were not delivered are due with the next record, whatever the time. */
  lost(topics: ReadonlySet<string>): void {
    if (topics.has(this.#topics.summary)) this.#summary = { time: -Infinity, people: -1 };
    if (topics.has(this.#topics.status('occupancy'))) this.#occupancy.lost();
    this.#regions.lost((zone) => topics.has(this.#topics.region(zone)));
  }

  /** Resumes from the occupancy that an earlier run left at the broker. */
  goOnFrom(occupancy: string): void {
    this.#occupancy.goOnFrom(occupancy);
  }

  #of(group: readonly [Data, ...Data[]]): readonly Message[] {
    const [first] = group;
    switch (first.port) {
      case 'pose':
        return this.#pose(first);
      case 'event':
        return [this.#event(first)];
      case 'measure':
        return [this.#measures(group as readonly [Measure, ...Measure[]])];
      default:
        throw new RangeError(`${first.port} is not a result: the sink accepts pose, event and measure`);
    }
  }

  #pose(poseFrame: PoseFrame): readonly Message[] {
    const records = [poseFrame];
    const messages: Message[] = [];
    if (this.#settings.persons) {
      for (const person of poseFrame.persons) {
        const payload = finiteJson(personBody(poseFrame, person));
        messages.push({
          topic: this.#topics.person(person.track?.id ?? null),
          payload,
          kind: 'pose',
          retain: false,
          records,
        });
      }
    }
    if (this.#summaryIsDue(poseFrame)) {
      const payload = finiteJson(summaryBody(poseFrame));
      messages.push({ topic: this.#topics.summary, payload, kind: 'state', retain: true, records });
      this.#summary = { time: poseFrame.time, people: poseFrame.persons.length };
    }
    return messages;
  }

  #summaryIsDue({ time, persons }: PoseFrame): boolean {
    // The clock may have been set back since the last one.
    const since = Math.abs(time - this.#summary.time);
    return persons.length !== this.#summary.people || since >= this.#settings.summaryInterval;
  }

  #event(event: SensedEvent): Message {
    const records = [event];
    const own = event.source === 'csiflow';
    // Senders' claims raise no alert.
    const topic = own ? this.#topics.alert(event.type) : this.#topics.analytics('claimed_events');
    const alert = alertBody(event, this.#settings.domain);
    const body = own
      ? { ...alert, zones: this.#zonesAt(event) }
      : { ...alert, type: 'claim', source: event.source };
    return { topic, payload: finiteJson(body), kind: 'alert', retain: false, records };
  }

  /** Ids of the zones that contain the event's location. */
  #zonesAt({ location }: SensedEvent): readonly string[] {
    const { zones } = this.#settings.environment;
    return location ? zones.filter((zone) => contains(zone, location)).map(({ id }) => id) : [];
  }

  /** States that follow from a record, besides its own message. */
  #states(record: Data): readonly Message[] {
    const state = (topic: string, body: object): Message => ({
      topic,
      payload: finiteJson(body),
      kind: 'state',
      retain: true,
      records: [record],
    });
    const regions = this.#regions.after(record);
    const occupancy = this.#occupancy.after(record, this.#regions.count);
    return [
      ...(occupancy ? [state(this.#topics.status('occupancy'), occupancy)] : []),
      ...regions.map((body) => state(this.#topics.region(body.zone), body)),
    ];
  }

  #measures(group: readonly [Measure, ...Measure[]]): Message {
    const domain = domainOf(group[0]);
    return {
      topic: this.#topics.analytics(domain),
      payload: finiteJson(this.#analytics.state(domain, group)),
      kind: 'state',
      retain: true,
      records: group,
    };
  }
}

/** Measures of one domain and one moment form one message; anything else has its own. */
function groupAt(records: readonly Data[], at: number): readonly [Data, ...Data[]] {
  const first = records[at]!;
  if (first.port !== 'measure') return [first];
  let end = at + 1;
  for (; end < records.length; end++) {
    const next = records[end]!;
    if (next.port !== 'measure' || next.time !== first.time || domainOf(next) !== domainOf(first)) break;
  }
  return [first, ...records.slice(at + 1, end)];
}

const summaryBody = (poseFrame: PoseFrame) => ({
  environment_id: poseFrame.environment,
  timestamp: isoTime(poseFrame.time),
  frame_id: poseFrame.frameId,
  persons: poseFrame.persons.length,
  person_ids: poseFrame.persons.flatMap(({ track }) => (track ? [track.id] : [])),
  best_confidence: Math.max(0, ...poseFrame.persons.map(({ confidence }) => share(confidence))),
  signal_quality: share(poseFrame.signalQuality),
  links: poseFrame.links,
  left_out: poseFrame.leftOut ?? [],
  provenance: provenanceBody(poseFrame.provenance),
});

const personBody = (poseFrame: PoseFrame, person: Person) => ({
  environment_id: poseFrame.environment,
  timestamp: isoTime(poseFrame.time),
  frame_id: poseFrame.frameId,
  person_id: person.track?.id ?? null,
  track_state: person.track?.state ?? null,
  confidence: share(person.confidence),
  position: metres(person.position),
  position_error: millimetres(person.positionError),
  velocity: person.track && {
    x: millimetres(person.track.velocity.x),
    y: millimetres(person.track.velocity.y),
  },
  heading: person.heading === null ? null : share(person.heading),
  posture: person.posture,
  /** False: only the position is known, the keypoints are a typical person's. */
  articulated: person.articulated,
  keypoints: person.keypoints.map((keypoint, index) => ({
    name: KEYPOINT_NAMES[index],
    ...metres(keypoint),
    error: millimetres(keypoint.error),
  })),
  provenance: provenanceBody(poseFrame.provenance),
});

/** Rounded as stores round them: lengths to a millimetre, everything else to four decimals. */
const millimetres = (value: number): number => Math.round(value * 1000) / 1000;
const share = (value: number): number => Math.round(value * 10_000) / 10_000;
const metres = ({ x, y, z }: { readonly x: number; readonly y: number; readonly z: number }) => ({
  x: millimetres(x),
  y: millimetres(y),
  z: millimetres(z),
});
