import type { Operator, Output } from '../../pipeline/component/index.js';
import { adr018 } from '../../pipeline/formats/devices/adr018/adr018.js';
import type { CsiBlock, Data, Measure, PoseFrame, SensedEvent, Window } from '../../pipeline/model/index.js';
import { benchContext } from '../shared/context.js';
import { poseFrame, POSE_START_US } from '../shared/pose-frame.js';
import { createSteps } from './bench-line.js';
import { LINKS, madeBatch } from './operators.js';

/** What operators can be measured with. */
export const INPUT_PORTS = ['csi', 'window', 'event', 'pose', 'measure'] as const;
export type InputPort = (typeof INPUT_PORTS)[number];
export type Input = Readonly<Record<InputPort, readonly Data[]>>;

const BATCHES = 150;
const POSES = 600;
const EVENTS = 600;
/** They cover a day. */
const EVENT_STEP_US = (24 * 3600e6) / EVENTS;
const MEASURES_PER_EVENT = 4;

/** Two and a half seconds of frames, their windows, a minute of pose frames, and a day of events and measures. */
export function madeInput(): Input {
  const context = benchContext(LINKS);
  const decoder = adr018.decoder(context);
  const csi = Array.from({ length: BATCHES }, (_, index) => decoder.decode(madeBatch(64, index)).data)
    .flat()
    .filter((record): record is CsiBlock => record.port === 'csi');
  const environment = context.environments[0]!.id;
  return {
    csi,
    window: windowsOf(csi, createSteps(context)),
    event: Array.from({ length: EVENTS }, (_, index) => eventOf(index, environment)),
    pose: Array.from({ length: POSES }, (_, index): PoseFrame => ({ ...poseFrame(index), environment })),
    measure: Array.from({ length: EVENTS * MEASURES_PER_EVENT }, (_, index) => measureOf(index, environment)),
  };
}

function windowsOf(csi: readonly CsiBlock[], steps: readonly Operator[]): readonly Window[] {
  const windows: Window[] = [];
  for (const block of csi) {
    let data: readonly Data[] = [block];
    for (const step of steps) data = data.flatMap((record) => resultsOf(step, record));
    const closed = steps.at(-1)!.watermark?.(block.time[block.count - 1]!).data ?? [];
    for (const one of closed) if (one.port === 'window') windows.push(one);
  }
  return windows;
}

const resultsOf = (step: Operator, record: Data): readonly Data[] =>
  (step.process(record, 'bench') as Output<Data>).data;

/** Falls of a person, and between them a change of activity, walking after every other fall. */
const eventOf = (index: number, environment: string): SensedEvent => ({
  port: 'event',
  id: `${environment}/${index}`,
  ...(index % 2 === 0
    ? { type: 'fall_detection', severity: 'critical', metadata: {} }
    : {
        type: 'activity_changed',
        severity: 'low',
        metadata: { activity: index % 4 === 1 ? 'walking' : 'lying' },
      }),
  environment,
  time: POSE_START_US + index * EVENT_STEP_US,
  confidence: 0.9,
  person: 1,
  location: { x: 1, y: 2, z: 0 },
  source: 'csiflow',
  provenance: { origin: 'simulated' },
});

/** The occupancy of a zone and the breathing rate of a room in turn, between the events. */
const measureOf = (index: number, environment: string): Measure => ({
  port: 'measure',
  ...(index % 2 === 0
    ? { name: 'occupancy_mean', subject: 'kitchen', value: (index % 5) / 4 }
    : { name: 'breathing_rate_bpm', subject: null, value: 12 + (index % 7) }),
  environment,
  time: POSE_START_US + (index + 0.5) * (EVENT_STEP_US / MEASURES_PER_EVENT),
  source: 'csiflow',
  provenance: { origin: 'simulated' },
});
