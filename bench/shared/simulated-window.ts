import { UNKNOWN_QUALITY, type Environment, type Window } from '../../pipeline/model/index.js';
import { POINTS, STEP_US } from '../../operators/infer-pose/inputs/grid.js';
import { MOTION_MIX, simulateSequence } from '../../pipeline/sources/simulator/index.js';

/** Sequences are most of the cost of a window, and tests often request the same ones. */
const simulated = new Map<string, ReturnType<typeof simulateSequence>>();

function sequenceOf(seed: number, links: number, persons: number): ReturnType<typeof simulateSequence> {
  const key = `${seed}/${links}/${persons}`;
  const known = simulated.get(key);
  if (known) return known;
  const walking = {
    walk: 1,
    stand: 0,
    arms: 0,
    sit: 0,
    lie: 0,
    change: 0,
    fall: 0,
  } satisfies typeof MOTION_MIX;
  const made = simulateSequence(seed, { seconds: 2, links, persons, mix: walking });
  simulated.set(key, made);
  return made;
}

const START = 1_700_000_000_000_000;

/** A simulated room with a walking person (or nobody) and one window of it, as from the window operator. */
export function simulatedWindow(
  seed: number,
  options: { links?: number; persons?: number; index?: number; id?: string } = {},
): { environment: Environment; window: Window } {
  const { links = 4, persons = 1, index = 0, id = `room-${seed}` } = options;
  const sequence = sequenceOf(seed, links, persons);
  const frame = 2 * sequence.antennas * sequence.subcarriers;
  const subcarriers = Int16Array.from({ length: sequence.subcarriers }, (_, k) => 4 * k - 24);
  const environment: Environment = {
    id,
    size: sequence.room.size,
    links: sequence.room.links.map(({ transmitter, antennas }, link) => ({
      id: `${id}-link-${link}`,
      transmitter: [...transmitter],
      receiver: [...antennas[0]!],
      sender: `${id}-node-${link}`,
    })),
    walls: [],
    zones: [],
    timezone: 'UTC',
    assumed: [],
  };
  const window: Window = {
    port: 'window',
    environment: id,
    index,
    start: START + index * 200_000,
    step: STEP_US,
    points: POINTS,
    provenance: { origin: 'simulated' },
    links: environment.links.map((link, i) => ({
      id: link.id,
      layout: 'lltf/1x1/20@2437/-24..24',
      rx: 1,
      tx: 1,
      subcarriers,
      centreMhz: 2437,
      values: sequence.csi.slice(i * POINTS * frame, (i + 1) * POINTS * frame),
      gaps: Uint8Array.from(sequence.present.subarray(i * POINTS, (i + 1) * POINTS), (one) => 1 - one),
      frames: POINTS,
      rssi: -50,
      quality: UNKNOWN_QUALITY,
    })),
  };
  return { environment, window };
}
