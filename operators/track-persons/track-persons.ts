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
          'By position on the floor and its expected error: for poses from Wi-Fi, where people are metres apart and errors are half a metre.',
        iou: 'SORT: by the overlap of bodies’ outlines, seen from above, between frames. For poses accurate to a hand’s breadth, from a camera, lidar or another model. Only `min_overlap`, `min_hits`, `max_age_ms` and `max_persons` apply.',
      },
      {
        default: 'floor',
        description: 'How persons are matched with tracks, and the assumed motion.',
      },
    ),
    min_overlap: Type.Number({
      minimum: 0.01,
      maximum: 1,
      default: 0.3,
      description:
        'For `iou`: smallest shared area of a person and an expected outline, relative to their total area.',
    }),
    gate_sigma: Type.Number({
      minimum: 0.1,
      maximum: 20,
      default: 8,
      description:
        'Largest distance of a person from its expected position, in standard deviations of both together.',
    }),
    speed: Type.Number({
      minimum: 0.05,
      maximum: 10,
      default: 0.65,
      description: 'Walking speed: standard deviation along one axis, m/s.',
    }),
    sure_error_m: Type.Number({
      minimum: 0.01,
      maximum: 100,
      default: 0.7,
      description: 'A person with a larger error counts less as evidence, metres.',
    }),
    min_hits: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 4,
      description: 'Frames until a track becomes active; frames with a large error count less.',
    }),
    max_age_ms: Type.Number({
      minimum: 0,
      maximum: 600_000,
      default: 3000,
      description: 'Longest time out of sight before a track ends, milliseconds.',
    }),
    max_persons: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 1,
      description:
        'Largest number of persons that the network distinguishes, and of persons reported: beyond it, a new person counts as one who was lost.',
    }),
    min_confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.1,
      description: 'Confidence below which no track starts.',
    }),
    min_shown_confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0,
      description: 'Persons with less confidence are tracked, but not reported.',
    }),
    follow: Type.Boolean({
      default: true,
      description:
        'Whether to track persons. Off: they get no number and no track, and of more than `max_persons` only the most confident are reported.',
    }),
  },
  { additionalProperties: false },
);

export const trackPersons = defineOperator({
  name: 'track-persons',
  summary: 'Tracks persons over pose frames and numbers them.',
  description: `
Use it behind a pose network: it sets \`track\` of each person, smooths the floor position and the heading, and moves the keypoints with them.

A Kalman filter of a walker runs per person on the floor. Its noise is the part of each person's own \`positionError\` that is new in a frame:
the error of a network with a memory stays the same for seconds, which no later filter can detect. For each frame it selects the most probable explanation
of the whole frame: which track is reported as which person, and which is missed (lowest total cost by the Hungarian method).

- A track is \`tentative\` until it has evidence of \`min_hits\` frames; a frame that reports the person with a large error (\`sure_error_m\`)
  counts less, and a missed frame reduces the evidence.
- A track out of sight is \`lost\`. It stays in the output with falling confidence and without a skeleton, for three times as long as it was
  in sight, at most \`max_age_ms\`. Then it is reported once as \`ended\`.
- While \`max_persons\` tracks exist, a new person counts as the one lost for longest, and gets that number; if nobody is lost, it is ignored as
  a ghost. A person below \`min_confidence\` starts no track.

The heading is that of the pose frame, of the last frames, and of the track's velocity together: people walk the way they face, which a network that is
unsure of the heading does not see. The skeleton turns with it. Somebody who walks backwards or sideways is therefore turned towards where they go, the more, the less certain the network is.

\`positionError\` becomes the mean of the last seconds, and grows while a track is out of sight. docs/reports/accuracy.md and docs/reports/tracking.md
have figures.

Gotchas: tracks that never become active also use up numbers. Positions, joints and velocities are rounded to a millimetre (per second).

With \`association: iou\` it uses SORT instead, with its published noise: outlines are boxes on the floor around the joints (without a skeleton, around
the circle of \`positionError\`), a centimetre counts as a pixel, and the filter steps once per pose frame.
A person becomes active when seen again in \`min_hits\` consecutive frames, and again after each miss. On SORT's own detections of
TUD-Campus it reproduces the published counts (MOTA 62.7, IDF1 60.6, HOTA 45.3).

Sources: Uhlenbeck and Ornstein 1930, for the velocity; Kuhn 1955, for explaining whole frames; Huber 1964, for outliers; Bewley et al., Simple online and realtime tracking (2016).
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
    { title: 'Track persons', config: {} },
    { title: 'Longer tracks for persons out of sight', config: { max_age_ms: 10_000 } },
    { title: 'Behind a network for several persons', config: { max_persons: 4 } },
    {
      title: 'Accurate poses, ten per second, by overlap',
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
      process: (poseFrame): Output<PoseFrame> => {
        const tracker = trackers.get(poseFrame.environment);
        if (!tracker) {
          const reason = `the topology has no environment '${poseFrame.environment}': add its file to 'environment'`;
          return {
            data: [],
            failed: [{ record: poseFrame, code: 'track.environment', reason, retriable: false }],
          };
        }
        const persons = now.follow
          ? tracker.next(poseFrame.time, poseFrame.persons)
          : surest(poseFrame.persons);
        return {
          data: [{ ...poseFrame, persons: shown(persons, now.min_shown_confidence, now.max_persons) }],
        };
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
      restore: (state: readonly (TrackerState & { readonly environment: string })[]) => {
        for (const saved of state) trackers.get(saved.environment)?.restore(saved);
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

/** The persons with enough confidence, up to the maximum: known ones first. Ended ones are reported in addition. */
function shown(persons: readonly Person[], least: number, most: number): readonly Person[] {
  const sure = persons.filter(({ confidence }) => confidence >= least);
  const present = sure.filter(({ track }) => track?.state !== 'ended');
  if (present.length <= most) return sure;
  const chosen = new Set([...present].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, most));
  return sure.filter((person) => chosen.has(person) || person.track?.state === 'ended');
}
