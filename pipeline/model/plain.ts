import type { CsiBlock } from './csi.js';
import type { LinkTable } from './environment.js';
import type { Data, Port } from './ports.js';
import type { Measure, Person, PoseFrame, Provenance, SensedEvent, Window, WindowLink } from './records.js';
import { isoTime } from '../base/iso-time.js';

/**
 * Records as people and tests read them: plain JSON, snake_case, times in ISO 8601, links by id. CSI values
 * and samples of windows are reduced to their shape.
 */
export type PlainRecord = Readonly<Record<string, unknown>> & { readonly port: Port; readonly time: string };

/** One record for each frame of a block; one for anything else. */
export function plainRecords(data: Data, links: LinkTable): readonly PlainRecord[] {
  switch (data.port) {
    case 'csi':
      return Array.from({ length: data.count }, (_, index) => plainFrame(data, index, links));
    case 'window':
      return [plainWindow(data)];
    default:
      return [plainResult(data)];
  }
}

export function plainResult(data: Data<ResultPort>): PlainRecord {
  switch (data.port) {
    case 'pose':
      return plainPose(data);
    case 'event':
      return plainEvent(data);
    case 'measure':
      return plainMeasure(data);
  }
}

/** A bare value; `value` is of any type, or null. */
export type Leaf = 'text' | 'number' | 'boolean' | 'time' | 'value';

/** What may stand in a plain value: fields by name, a list of alike values, anything, or a bare value. */
export type Shape = Leaf | 'any' | readonly [Shape] | { readonly [field: string]: Shape };

/** Ports of results: all but raw samples. */
export const RESULT_PORTS = ['pose', 'event', 'measure'] as const;
export type ResultPort = (typeof RESULT_PORTS)[number];

const POINT: Shape = { x: 'number', y: 'number', z: 'number' };
const PROVENANCE: Shape = { origin: 'text', model: 'value' };
const KEYPOINT: Shape = { x: 'number', y: 'number', z: 'number', error: 'number' };

const PERSON: Shape = {
  confidence: 'number',
  position: POINT,
  position_error: 'number',
  heading: 'value',
  heading_confidence: 'number',
  posture: 'text',
  articulated: 'boolean',
  keypoints: [KEYPOINT],
  track: {
    id: 'number',
    state: 'text',
    age: 'number',
    since: 'time',
    velocity: { x: 'number', y: 'number' },
  },
};

/** Fields of the plain records of each port. */
export const PLAIN_SHAPES: Readonly<Record<Port, { readonly [field: string]: Shape }>> = {
  csi: {
    port: 'text',
    time: 'time',
    environment: 'text',
    link: 'text',
    sequence: 'number',
    rssi: 'value',
    noise: 'value',
    rx: 'number',
    tx: 'number',
    subcarriers: 'number',
    bandwidth_mhz: 'number',
    centre_mhz: 'number',
    training: 'value',
  },
  window: {
    port: 'text',
    time: 'time',
    environment: 'text',
    index: 'number',
    end: 'time',
    points: 'number',
    links: [
      {
        ...{ id: 'text', frames: 'number', gaps: 'number', rssi: 'value', layout: 'text' },
        ...{ snr_db: 'value', fault: 'value' },
      },
    ],
    silent: ['text'],
    ...PROVENANCE,
  },
  pose: {
    port: 'text',
    time: 'time',
    environment: 'text',
    frame_id: 'number',
    persons: [PERSON],
    links: 'number',
    left_out: [{ link: 'text', fault: 'text' }],
    signal_quality: 'number',
    ...PROVENANCE,
  },
  event: {
    port: 'text',
    time: 'time',
    environment: 'text',
    id: 'text',
    type: 'text',
    severity: 'text',
    confidence: 'number',
    person: 'value',
    location: POINT,
    metadata: 'any',
    source: 'text',
    ...PROVENANCE,
  },
  measure: {
    port: 'text',
    time: 'time',
    environment: 'text',
    name: 'text',
    subject: 'value',
    value: 'number',
    source: 'text',
    ...PROVENANCE,
  },
};

/** JSON has no NaN: unknown values are null. */
const known = (value: number): number | null => (Number.isFinite(value) ? value : null);

const provenance = ({ origin, model }: Provenance) => ({
  origin,
  model: model ? `${model.name} ${model.version}` : null,
});

function plainFrame(block: CsiBlock, index: number, links: LinkTable): PlainRecord {
  const { link, environment } = links.at(block.link[index]!);
  const { layout } = block;
  return {
    port: 'csi',
    time: isoTime(block.time[index]!),
    environment: environment.id,
    link: link.id,
    sequence: block.sequence[index]!,
    rssi: known(block.rssi[index]!),
    noise: known(block.noise[index]!),
    rx: layout.rx,
    tx: layout.tx,
    subcarriers: layout.subcarriers.length,
    bandwidth_mhz: layout.bandwidthMhz,
    centre_mhz: layout.centreMhz,
    training: layout.training,
  };
}

const plainWindow = (window: Window): PlainRecord => ({
  port: 'window',
  time: isoTime(window.start),
  environment: window.environment,
  index: window.index,
  end: isoTime(window.start + window.step * window.points),
  points: window.points,
  links: window.links.map(plainWindowLink),
  silent: window.silent ?? [],
  ...provenance(window.provenance),
});

const plainWindowLink = ({ id, frames, gaps, rssi, layout, quality }: WindowLink) => ({
  id,
  frames,
  gaps: gaps.reduce((sum, gap) => sum + gap, 0),
  rssi: known(rssi),
  layout,
  snr_db: known(quality.snrDb),
  fault: quality.fault,
});

const plainPose = (pose: PoseFrame): PlainRecord => ({
  port: 'pose',
  time: isoTime(pose.time),
  environment: pose.environment,
  frame_id: pose.frameId,
  persons: pose.persons.map((person) => plainPerson(person, isoTime)),
  links: pose.links,
  left_out: pose.leftOut ?? [],
  signal_quality: known(pose.signalQuality),
  ...provenance(pose.provenance),
});

/** A person as JSON. @param timeText how times are written */
export const plainPerson = (person: Person, timeText: (time: number) => string) => ({
  confidence: person.confidence,
  position: person.position,
  position_error: person.positionError,
  heading: person.heading,
  heading_confidence: person.headingConfidence,
  posture: person.posture,
  articulated: person.articulated,
  keypoints: person.keypoints.map(({ x, y, z, error }) => ({ x, y, z, error })),
  track: person.track && {
    id: person.track.id,
    state: person.track.state,
    age: person.track.age,
    since: timeText(person.track.since),
    velocity: person.track.velocity,
  },
});

const plainEvent = (event: SensedEvent): PlainRecord => ({
  port: 'event',
  time: isoTime(event.time),
  environment: event.environment,
  id: event.id,
  type: event.type,
  severity: event.severity,
  confidence: event.confidence,
  person: event.person,
  location: event.location,
  metadata: event.metadata,
  source: event.source,
  ...provenance(event.provenance),
});

const plainMeasure = (measure: Measure): PlainRecord => ({
  port: 'measure',
  time: isoTime(measure.time),
  environment: measure.environment,
  name: measure.name,
  subject: measure.subject,
  value: known(measure.value),
  source: measure.source,
  ...provenance(measure.provenance),
});
