import { Type, type Static } from 'typebox';
import { choice, defineOperator, type Output } from '../../pipeline/component/index.js';
import type { Person, PoseFrame } from '../../pipeline/model/index.js';
import { FloorStrategy } from './floor.js';
import { OverlapStrategy } from './overlap.js';
import type { Strategy } from './strategy.js';
import { Tracker, type TrackerState } from './tracker.js';

const Config = Type.Object(
  {
    association: choice(
      {
        floor:
          'By places on the floor and how wrong each may be: for poses from Wi-Fi, which are metres apart and half a metre wrong.',
        iou: 'SORT: by how much the outlines of bodies, seen from above, overlap from frame to frame. For poses exact to a hand’s breadth, from a camera, lidar or another model; only `min_overlap`, `min_hits`, `max_age_ms` and `max_persons` matter.',
      },
      {
        default: 'floor',
        description: 'How persons are paired with tracks, and how they are taken to move.',
      },
    ),
    min_overlap: Type.Number({
      minimum: 0.01,
      maximum: 1,
      default: 0.3,
      description:
        'With `iou`: area that a person and an expected outline share at least, over what they cover.',
    }),
    gate_sigma: Type.Number({
      minimum: 0.1,
      maximum: 20,
      default: 8,
      description:
        'How far from its expected place a person may be told, standard deviations of both together.',
    }),
    speed: Type.Number({
      minimum: 0.05,
      maximum: 10,
      default: 0.65,
      description: 'How fast people walk: standard deviation along one axis, m/s.',
    }),
    sure_error_m: Type.Number({
      minimum: 0.01,
      maximum: 100,
      default: 0.7,
      description:
        'A person told with a larger error counts less as evidence that somebody is there, metres.',
    }),
    min_hits: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 4,
      description: 'Frames until a track is active; those with a large error count less.',
    }),
    max_age_ms: Type.Number({
      minimum: 0,
      maximum: 600_000,
      default: 3000,
      description: 'Time out of sight until a track ends at the latest, milliseconds.',
    }),
    max_persons: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 1,
      description:
        'As many persons as the network in front can tell apart: who turns up beyond that is somebody who was lost. No more than so many are told of.',
    }),
    min_confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.1,
      description: 'Below it no track begins.',
    }),
    min_shown_confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0,
      description: 'Persons below it are followed, but not told of.',
    }),
    follow: Type.Boolean({
      default: true,
      description:
        'Off: persons get no number and no track; of more than `max_persons` the surest are told of.',
    }),
  },
  { additionalProperties: false },
);

export const trackPersons = defineOperator({
  name: 'track-persons',
  summary: 'Follows persons over pose frames and numbers them.',
  description: `
Use it behind a pose network: it fills \`track\` of each person, smooths the floor position and moves the keypoints with it.

A Kalman filter of a walker runs per person on the floor. Its noise is the part of each person's own \`positionError\` that is new in a frame:
a network that remembers is wrong by the same for seconds, and no filter behind it can know. Of each frame the likeliest explanation as a whole is
taken: which track is told as which person, and which is missed (least total cost by the Hungarian method).

- A track is \`tentative\` until there is evidence of \`min_hits\` frames; a frame in which a person is told with a large error (\`sure_error_m\`)
  counts less, and a missed frame takes evidence away.
- A track out of sight is \`lost\`. It stays in the frames with falling confidence and without a skeleton, for three times as long as it was
  in sight and \`max_age_ms\` at most. Then it is told once as \`ended\`.
- While \`max_persons\` are known, somebody new is the one who has been lost for longest, and keeps that number; if nobody is lost, it is a ghost
  and left out. Nobody is born from a person below \`min_confidence\`.

\`positionError\` becomes the mean of the last seconds, and grows while a track is out of sight. docs/reports/accuracy.md and docs/reports/tracking.md
have figures.

Gotchas: numbers are also used up by tracks that never become active. Places, joints and velocities are rounded to a millimetre (a second).

With \`association: iou\` it is SORT instead, with its published noise: outlines are boxes on the floor around the joints (around
the circle of \`positionError\` where there is no skeleton), a centimetre counts as a pixel, and the filter steps once a pose frame.
A person becomes active when seen again in \`min_hits\` frames in a row, and anew after each miss. On SORT's own detections of
TUD-Campus it gives the published counts (MOTA 62.7, IDF1 60.6, HOTA 45.3).

Sources: Uhlenbeck and Ornstein 1930, for the velocity; Kuhn 1955, for explaining frames as a whole; Huber 1964, for places far off; Bewley et al., Simple online and realtime tracking (2016).
`,
  inputs: ['pose'],
  outputs: ['pose'],
  stateFields: ['association'],
  role: 'tracker',
  settings: {
    'detection.confidence_threshold': 'min_shown_confidence',
    'detection.max_persons': 'max_persons',
    'detection.enable_tracking': 'follow',
    'detection.tracking_min_hits': 'min_hits',
    'detection.tracking_max_age': {
      field: 'max_age_ms',
      show: (stored, { frameMs }) => Math.round((stored as number) / frameMs),
      store: (value, { frameMs }) => (value as number) * frameMs,
      inFrames: true,
    },
  },
  timeFields: ['time', 'since', 'seen'],
  liveFields: [
    ...(['min_overlap', 'gate_sigma', 'speed', 'sure_error_m'] as const),
    ...([
      'min_hits',
      'max_age_ms',
      'max_persons',
      'min_confidence',
      'min_shown_confidence',
      'follow',
    ] as const),
  ],
  config: Config,
  examples: [
    { title: 'Follow persons', config: {} },
    { title: 'Keep persons for longer while out of sight', config: { max_age_ms: 10_000 } },
    { title: 'Behind a network for several persons', config: { max_persons: 4 } },
    {
      title: 'Exact poses, ten a second, by overlap',
      config: { association: 'iou', max_age_ms: 300, max_persons: 10 },
    },
  ],
  create: (config, context) => {
    let now = config;
    const trackers = new Map(context.environments.map(({ id }) => [id, new Tracker(strategyOf(config))]));
    return {
      adjust: (next) => {
        now = next as typeof config;
        for (const tracker of trackers.values()) tracker.adjust(strategyOf(now));
      },
      process: (frame): Output<PoseFrame> => {
        const tracker = trackers.get(frame.environment);
        if (!tracker) {
          const reason = `the topology has no environment '${frame.environment}': add its file to 'environment'`;
          return {
            data: [],
            failed: [{ record: frame, code: 'track.environment', reason, retriable: false }],
          };
        }
        const persons = now.follow ? tracker.next(frame.time, frame.persons) : surest(frame.persons);
        return { data: [{ ...frame, persons: told(persons, now.min_shown_confidence, now.max_persons) }] };
      },
      describe: () => {
        const active = Array.from(trackers.values()).flatMap((tracker) => tracker.active);
        const sum = active.reduce((total, confidence) => total + confidence, 0);
        return {
          active_tracks: active.length,
          track_quality: active.length === 0 ? 0 : Math.round((1000 * sum) / active.length) / 1000,
        };
      },
      snapshot: () =>
        Array.from(trackers, ([environment, tracker]) => ({ environment, ...tracker.snapshot() })),
      restore: (state) => {
        for (const saved of state as (TrackerState & { environment: string })[])
          trackers.get(saved.environment)?.restore(saved);
      },
    };
  },
});

function strategyOf(config: Static<typeof Config>): Strategy<unknown> {
  const [minHits, maxAgeMs] = [config.min_hits, config.max_age_ms];
  if (config.association === 'iou')
    return new OverlapStrategy({ minHits, maxAgeMs, minOverlap: config.min_overlap });
  return new FloorStrategy({
    gateSigma: config.gate_sigma,
    speed: config.speed,
    sureError: config.sure_error_m,
    minHits,
    maxAgeMs,
    minConfidence: config.min_confidence,
    maxPersons: config.max_persons,
  });
}

const surest = (persons: readonly Person[]): readonly Person[] =>
  [...persons].sort((a, b) => b.confidence - a.confidence).map((person) => ({ ...person, track: null }));

const RANK = { active: 0, lost: 1, tentative: 2, ended: 3 } as const;
const rankOf = ({ track }: Person): number => (track ? RANK[track.state] : 0);

/** Persons that are sure enough, at most so many: known ones before others. Who has ended is told beside them. */
function told(persons: readonly Person[], least: number, most: number): readonly Person[] {
  const sure = persons.filter(({ confidence }) => confidence >= least);
  const present = sure.filter(({ track }) => track?.state !== 'ended');
  if (present.length <= most) return sure;
  const shown = new Set([...present].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, most));
  return sure.filter((person) => shown.has(person) || person.track?.state === 'ended');
}
