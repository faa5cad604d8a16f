import type { CsiBlock } from './csi.js';
import type { LinkTable } from './environment.js';
import type { Data, Port } from './ports.js';
import type { Measure, Person, PoseFrame, Provenance, SensedEvent, Window, WindowLink } from './records.js';

/**
 * Records as people and tests read them: plain JSON, snake_case, times in ISO 8601, links by id. CSI values
 * and samples of windows are left out: only their shape is told.
 */
export type PlainRecord = Readonly<Record<string, unknown>> & { readonly port: Port; readonly time: string };

/** One record for each frame of a block; for all else one. */
export function plainRecords(data: Data, links: LinkTable): readonly PlainRecord[] {
  switch (data.port) {
    case 'csi':
      return Array.from({ length: data.count }, (_, index) => plainFrame(data, index, links));
    case 'window':
      return [plainWindow(data)];
    case 'pose':
      return [plainPose(data)];
    case 'event':
      return [plainEvent(data)];
    case 'measure':
      return [plainMeasure(data)];
  }
}

/** What may stand in a plain value: fields by name, a list of alike values, anything, or a bare value. */
export type Shape = 'value' | 'any' | readonly [Shape] | { readonly [field: string]: Shape };

const POINT: Shape = { x: 'value', y: 'value', z: 'value' };
const PROVENANCE: Shape = { origin: 'value', model: 'value' };
const KEYPOINT: Shape = { x: 'value', y: 'value', z: 'value', error: 'value' };

const PERSON: Shape = {
  confidence: 'value',
  position: POINT,
  position_error: 'value',
  heading: 'value',
  heading_confidence: 'value',
  posture: 'value',
  articulated: 'value',
  keypoints: [KEYPOINT],
  track: {
    id: 'value',
    state: 'value',
    age: 'value',
    since: 'value',
    velocity: { x: 'value', y: 'value' },
  },
};

/** Fields of the plain records of each port. */
export const PLAIN_SHAPES: Readonly<Record<Port, { readonly [field: string]: Shape }>> = {
  csi: {
    port: 'value',
    time: 'value',
    environment: 'value',
    link: 'value',
    sequence: 'value',
    rssi: 'value',
    noise: 'value',
    rx: 'value',
    tx: 'value',
    subcarriers: 'value',
    bandwidth_mhz: 'value',
    centre_mhz: 'value',
    training: 'value',
  },
  window: {
    port: 'value',
    time: 'value',
    environment: 'value',
    index: 'value',
    end: 'value',
    points: 'value',
    links: [
      {
        ...{ id: 'value', frames: 'value', gaps: 'value', rssi: 'value', layout: 'value' },
        ...{ snr_db: 'value', fault: 'value' },
      },
    ],
    ...PROVENANCE,
  },
  pose: {
    port: 'value',
    time: 'value',
    environment: 'value',
    frame_id: 'value',
    persons: [PERSON],
    links: 'value',
    left_out: [{ link: 'value', fault: 'value' }],
    signal_quality: 'value',
    ...PROVENANCE,
  },
  event: {
    port: 'value',
    time: 'value',
    environment: 'value',
    id: 'value',
    type: 'value',
    severity: 'value',
    confidence: 'value',
    person: 'value',
    location: POINT,
    metadata: 'any',
    source: 'value',
    ...PROVENANCE,
  },
  measure: {
    port: 'value',
    time: 'value',
    environment: 'value',
    name: 'value',
    subject: 'value',
    value: 'value',
    source: 'value',
    ...PROVENANCE,
  },
};

const iso = (microseconds: number): string => new Date(microseconds / 1000).toISOString();

/** JSON has no NaN: what is unknown is null. */
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
    time: iso(block.time[index]!),
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
  time: iso(window.start),
  environment: window.environment,
  index: window.index,
  end: iso(window.start + window.step * window.points),
  points: window.points,
  links: window.links.map(plainWindowLink),
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
  time: iso(pose.time),
  environment: pose.environment,
  frame_id: pose.frameId,
  persons: pose.persons.map(plainPerson),
  links: pose.links,
  left_out: pose.leftOut ?? [],
  signal_quality: known(pose.signalQuality),
  ...provenance(pose.provenance),
});

const plainPerson = (person: Person) => ({
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
    since: iso(person.track.since),
    velocity: person.track.velocity,
  },
});

const plainEvent = (event: SensedEvent): PlainRecord => ({
  port: 'event',
  time: iso(event.time),
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
  time: iso(measure.time),
  environment: measure.environment,
  name: measure.name,
  subject: measure.subject,
  value: known(measure.value),
  source: measure.source,
  ...provenance(measure.provenance),
});
