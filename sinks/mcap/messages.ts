import {
  frameSize,
  type CsiBlock,
  type Data,
  type Environment,
  type Failure,
  type LinkTable,
  type Measure,
  type Person,
  type Point,
  type PoseFrame,
  type SensedEvent,
  type Severity,
  type Window,
  type WindowLink,
} from '../../pipeline/model/index.js';
import { finiteJson } from '../shared/json.js';
import { faultScene, orientation, peopleScene, roomPoints, roomScene, timestamp } from './scene.js';
import type { SchemaName } from './schemas.js';

/** The content of a topic at one time. */
export interface Message {
  readonly topic: string;
  /** Event time, microseconds. */
  readonly time: number;
  /** Null: JSON. */
  readonly schema: SchemaName | null;
  /** Encoded by its schema; or JSON text. */
  readonly content: object | string;
}

/** Converts a record to messages, or says why a recording cannot contain it. Depends only on the record. */
export function messagesOf(record: Data, links: LinkTable): readonly Message[] | Failure {
  try {
    const found = Array.from(drawn(record, links));
    const bad = found.find(({ time }) => !(time >= 0 && time < MAX_TIME));
    if (bad) throw new RangeError(`its time is ${bad.time}: a recording contains times from 1970 to 2554`);
    return found;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { record, code: 'mcap.value.invalid', reason: error.message, retriable: false };
  }
}

/** Nanoseconds are 64-bit integers. Microseconds. */
const MAX_TIME = 2 ** 64 / 1000;

export const roomTopic = ({ id }: Environment): string => `/${id}/room`;

/** Static content as a scene, repeated during a file. */
export const roomMessage = (environment: Environment, time: number): Message =>
  message(roomTopic(environment), time, 'foxglove.SceneUpdate', roomScene(environment, time));

/** Static content as points, for the start of a file. */
export const roomPointsMessage = (environment: Environment, time: number): Message =>
  message(
    `/${environment.id}/room_points`,
    time,
    'foxglove.PointCloud',
    pointCloud(environment.id, time, roomPoints(environment)),
  );

function drawn(record: Data, links: LinkTable): Iterable<Message> {
  switch (record.port) {
    case 'pose':
      return poseMessages(record, links);
    case 'event':
      return eventMessages(record);
    case 'measure':
      return [measureMessage(record)];
    case 'window':
      return record.links.map((link) => pictureMessage(record, link));
    case 'csi':
      return amplitudeMessages(record, links);
  }
}

const message = (topic: string, time: number, schema: SchemaName, content: object): Message => ({
  topic,
  time,
  schema,
  content,
});

const jsonMessage = (topic: string, time: number, content: string): Message => ({
  topic,
  time,
  schema: null,
  content,
});

/** The time that the network took differs between runs, and so would the bytes. */
const NOT_WRITTEN = { processingMs: undefined };

function poseMessages(pose: PoseFrame, links: LinkTable): readonly Message[] {
  const { environment, time, persons, leftOut = [] } = pose;
  const topic = (name: string) => `/${environment}/${name}`;
  const room = links.environments.find(({ id }) => id === environment);
  const joints = persons.flatMap(({ articulated, keypoints, position }): readonly Point[] =>
    articulated ? keypoints : [position],
  );
  return [
    jsonMessage(topic('pose'), time, finiteJson({ ...pose, ...NOT_WRITTEN })),
    message(topic('people'), time, 'foxglove.SceneUpdate', peopleScene(environment, time, persons)),
    message(topic('positions'), time, 'foxglove.PosesInFrame', {
      timestamp: timestamp(time),
      frame_id: environment,
      poses: persons.map(floorPose),
    }),
    message(topic('joints'), time, 'foxglove.PointCloud', pointCloud(environment, time, joints)),
    ...(room
      ? [message(topic('faults'), time, 'foxglove.SceneUpdate', faultScene(room, time, leftOut))]
      : []),
  ];
}

const floorPose = ({ position: { x, y, z }, heading }: Person): object => ({
  position: { x, y, z },
  orientation: orientation(heading ?? 0),
});

/** `Log.Level` of the schema. */
const LEVELS: Readonly<Record<Severity, number>> = { low: 2, medium: 3, high: 4, critical: 5 };

const eventMessages = (event: SensedEvent): readonly Message[] => [
  jsonMessage(`/${event.environment}/events`, event.time, finiteJson(event)),
  message(`/${event.environment}/log`, event.time, 'foxglove.Log', {
    timestamp: timestamp(event.time),
    level: LEVELS[event.severity],
    message: `${event.type}${event.person === null ? '' : `, person ${event.person}`}, ${Math.round(100 * event.confidence)} %`,
    name: event.source,
  }),
];

function measureMessage(measure: Measure): Message {
  const { environment, name, subject, source, time } = measure;
  const claimed = source === 'csiflow' ? 'measures' : `claims/${topicPart(source)}`;
  const about = subject === null ? '' : `/${topicPart(subject)}`;
  return jsonMessage(`/${environment}/${claimed}/${topicPart(name)}${about}`, time, finiteJson(measure));
}

/** Names may come from a sender: a topic contains a limited number of their characters. */
const topicPart = (text: string): string => text.replace(/[^\w.:@-]/g, '_').slice(0, 64);

/** Values more than this many decibels below the strongest one of a window are black. */
const PICTURE_RANGE = 40;

/** Amplitudes of one window and link: a column per point, a row per subcarrier of each antenna pair. */
function pictureMessage(window: Window, link: WindowLink): Message {
  const { environment, start, points, step } = window;
  const rows = link.rx * link.tx * link.subcarriers.length;
  const power = Float64Array.from(
    { length: points * rows },
    (_, i) => link.values[2 * i]! ** 2 + link.values[2 * i + 1]! ** 2,
  );
  const most = power.reduce((max, each) => Math.max(max, each), 0);
  const data = new Uint8Array(points * rows);
  for (let p = 0; p < points; p++)
    for (let row = 0; row < rows; row++) data[row * points + p] = shade(power[p * rows + row]! / most);
  const time = start + points * step;
  return message(`/${environment}/windows/${link.id}`, time, 'foxglove.RawImage', {
    timestamp: timestamp(time),
    frame_id: environment,
    width: points,
    height: rows,
    encoding: 'mono8',
    step: points,
    data,
  });
}

/** Black if a value is missing or not a number. */
const shade = (power: number): number =>
  power > 0 ? Math.max(0, Math.round(255 * (1 + (10 * Math.log10(power)) / PICTURE_RANGE))) : 0;

function* amplitudeMessages(block: CsiBlock, links: LinkTable): Generator<Message> {
  const { layout, count, values } = block;
  const size = frameSize(layout) / 2;
  const subcarriers = Array.from(layout.subcarriers);
  for (let frame = 0; frame < count; frame++) {
    const { link, environment } = links.at(block.link[frame]!);
    const amplitude = Float32Array.from({ length: size }, (_, i) => {
      const at = 2 * (frame * size + i);
      return Math.hypot(values[at]!, values[at + 1]!);
    });
    const time = block.time[frame]!;
    const mean = amplitude.reduce((sum, each) => sum + each, 0) / size;
    yield message(`/${environment.id}/amplitude/${link.id}`, time, 'csiflow.Amplitude', {
      timestamp: timestamp(time),
      link: link.id,
      mean_db: 20 * Math.log10(mean),
      rssi: block.rssi[frame]!,
      rx: layout.rx,
      tx: layout.tx,
      subcarriers,
      amplitude,
    });
  }
}

/** `PackedElementField.NumericType` of the schema. */
const FLOAT32 = 7;
const POINT_BYTES = 12;

function pointCloud(frame: string, time: number, points: readonly Point[]): object {
  const data = new Float32Array(points.flatMap(({ x, y, z }) => [x, y, z]));
  return {
    timestamp: timestamp(time),
    frame_id: frame,
    pose: { position: { x: 0, y: 0, z: 0 }, orientation: orientation(0) },
    point_stride: POINT_BYTES,
    fields: ['x', 'y', 'z'].map((name, axis) => ({ name, offset: 4 * axis, type: FLOAT32 })),
    data: new Uint8Array(data.buffer),
  };
}
