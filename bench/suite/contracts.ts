/** A model's inputs and outputs in each task: all that external models need to know. */

export interface Contract {
  readonly summary: string;
  readonly inputs: Readonly<Record<string, InputContract>>;
  /** Names of the model's output values, in order. */
  readonly outputs: readonly string[];
  /** `classes`: probabilities or scores of classes, of which the highest counts; `values`: plain numbers. */
  readonly kind: 'classes' | 'values';
  /** Direction of the first measure of its table. */
  readonly best: 'highest' | 'lowest';
}

export interface InputContract {
  readonly shape: readonly number[];
  readonly meaning: string;
}

/** Points per second on the grid of the shipped `window`. */
const PER_S = 50;
/** Links are resampled to this many carriers, evenly spread over those that they have. */
export const CARRIERS = 30;
/** Points of a clip: 15 s. */
export const CLIP_POINTS = 15 * PER_S;
/** Points of a window: 2 s. */
export const WINDOW_POINTS = 2 * PER_S;
/** Points of a sleeper's clip: 30 s, five points per second. */
export const BREATH_POINTS = 150;
/** Links of a simulated room. */
export const ROOM_LINKS = 4;

const amplitude = 'linear amplitude over the mean of the whole tensor';
const clip = (antennas: number): Contract['inputs'] => ({
  csi: {
    shape: [CLIP_POINTS, antennas, CARRIERS],
    meaning: `[time at 50 Hz, antenna, carrier], ${amplitude}; a shorter clip is filled up with its last point, of a longer one the middle is taken`,
  },
});
const oneLink: Contract['inputs'] = {
  csi: {
    shape: [WINDOW_POINTS, CARRIERS],
    meaning: `[time at 50 Hz, carrier], the last 2 s of the first antenna, ${amplitude}`,
  },
};
const room: Contract['inputs'] = {
  csi: {
    shape: [ROOM_LINKS, WINDOW_POINTS, CARRIERS],
    meaning: `[link, time at 50 Hz, carrier], the 2 s window of the answer, ${amplitude}; zeros for a link without frames`,
  },
  geometry: {
    shape: [ROOM_LINKS, 6],
    meaning: '[link, (x, y, z of the transmitter, x, y, z of the receiver)], metres',
  },
  room: { shape: [3], meaning: 'length, width and height of the room, metres' },
};

export const INTEL_CLASSES = [
  'fall',
  'jump',
  'pick-up',
  'run',
  'sit-down',
  'squat',
  'stand-up',
  'walk',
  'wave',
] as const;
export const RPI_CLASSES = ['bend', 'fall', 'liedown', 'run', 'sitdown', 'standup', 'walk'] as const;

export const CONTRACTS = {
  movement: {
    summary: 'Does somebody move, second by second? Recordings of real rooms.',
    inputs: oneLink,
    outputs: ['still', 'moving'],
    kind: 'classes',
    best: 'highest',
  },
  presence: {
    summary: 'Is somebody there, second by second? Recordings of real rooms.',
    inputs: oneLink,
    outputs: ['empty', 'somebody'],
    kind: 'classes',
    best: 'highest',
  },
  'activity-intel': {
    summary: 'Which of nine activities does a clip show? Intel 5300, person unseen.',
    inputs: clip(3),
    outputs: INTEL_CLASSES,
    kind: 'classes',
    best: 'highest',
  },
  'activity-rpi4': {
    summary: 'Which of seven activities does a clip show? Raspberry Pi 4, person unseen.',
    inputs: clip(1),
    outputs: RPI_CLASSES,
    kind: 'classes',
    best: 'highest',
  },
  falls: {
    summary: 'Does somebody fall in a clip? Intel 5300; room, people and chip unseen.',
    inputs: clip(3),
    outputs: ['other', 'fall'],
    kind: 'classes',
    best: 'highest',
  },
  count: {
    summary: 'How many people walk in a room? Simulated, room unseen.',
    inputs: room,
    outputs: ['0', '1', '2', '3'],
    kind: 'classes',
    best: 'highest',
  },
  pose: {
    summary: 'Where is a walker, and in which pose? Simulated, room unseen.',
    inputs: room,
    outputs: [
      'x',
      'y',
      ...Array.from({ length: 17 }, (_, joint) =>
        ['x', 'y', 'z'].map((axis) => `joint ${joint} ${axis}`),
      ).flat(),
    ],
    kind: 'values',
    best: 'lowest',
  },
  breathing: {
    summary: 'How often does a sleeper breathe? Simulated, room unseen.',
    inputs: {
      csi: {
        shape: [ROOM_LINKS, BREATH_POINTS, CARRIERS],
        meaning: `[link, time at 5 Hz, carrier], the last 30 s, ${amplitude}; zeros for a link without frames`,
      },
    },
    outputs: ['breaths a minute'],
    kind: 'values',
    best: 'lowest',
  },
} as const satisfies Readonly<Record<string, Contract>>;

export type TaskName = keyof typeof CONTRACTS;
export const TASK_NAMES = Object.keys(CONTRACTS) as readonly TaskName[];
