import type { Environment } from '../../../../pipeline/model/index.js';
import { inCeilingCorners, misplaced, onOneWall } from '../layouts.js';
import type { Plan } from '../plan.js';
import type { Column, Table } from '../table.js';
import {
  CONDITION_COLUMNS,
  conditionBaselines,
  conditionRow,
  scenesText,
  underEach,
  type Condition,
  type Variant,
} from './conditions.js';

const [PLACE, ...OTHERS] = CONDITION_COLUMNS;
const COLUMNS: readonly Column[] = [
  PLACE!,
  { id: 'worse', title: 'minus that of one link fewer from the beginning', unit: 'm' },
  ...OTHERS,
];

const MISPLACED_M = 0.5;
const LOW_SNR_DB = [5, 12];
const CHILD_M = 1.1;
/** The mean of the simulator's bodies. */
const USUAL_REFLECTIVITY = 0.9;
/** About as much as in most recordings of real rooms. */
const ECHO_DB = 10;

/** The link that is bad, or left out. */
const badOf = ({ links }: Environment, seed: number): string => links[seed % links.length]!.id;

const asUsual = (): Condition => ({});

/** Variants that lose a link are compared with it. */
const FEWER = 'one link fewer from the beginning';
const USUAL = 'as usual';
const NOISE = 'one link delivers noise';
const DEAD = 'one link is dead';

const VARIANTS: readonly Variant[] = [
  { name: USUAL, room: null, condition: asUsual },
  {
    name: `nodes misplaced by ${MISPLACED_M} m`,
    room: null,
    condition: (actual) => ({ actual }),
    described: (room, seed) => misplaced(room, seed, MISPLACED_M),
  },
  {
    name: NOISE,
    room: null,
    condition: (room, seed) => ({ bad: { link: badOf(room, seed), fault: 'noise' } }),
  },
  {
    name: DEAD,
    room: null,
    condition: (room, seed) => ({ bad: { link: badOf(room, seed), fault: 'dead' } }),
  },
  {
    name: FEWER,
    room: (room, seed) => ({ ...room, links: room.links.filter(({ id }) => id !== badOf(room, seed)) }),
    condition: asUsual,
  },
  {
    name: `SNR ${LOW_SNR_DB.join(' to ')} dB on all links`,
    room: (room) => room,
    condition: () => ({ simulator: { snr_db: LOW_SNR_DB } }),
  },
  {
    name: 'nodes on one wall',
    room: (room, seed) => onOneWall(room, seed, room.links.length),
    condition: asUsual,
  },
  {
    name: 'nodes in the corners of the ceiling',
    room: (room) => inCeilingCorners(room, room.links.length),
    condition: asUsual,
  },
  {
    name: 'a pet walks around',
    room: null,
    condition: () => ({ simulator: { things: [{ type: 'pet' }] } }),
  },
  {
    name: `a child of ${CHILD_M} m`,
    room: null,
    condition: () => ({ person: { height_m: CHILD_M } }),
  },
  {
    name: 'a body that reflects half as much',
    room: null,
    condition: () => ({ person: { reflectivity: USUAL_REFLECTIVITY / 2 } }),
  },
  {
    name: 'a body that reflects twice as much',
    room: null,
    condition: () => ({ person: { reflectivity: 2 * USUAL_REFLECTIVITY } }),
  },
  {
    name: `people and things reflect ${ECHO_DB} dB more`,
    room: null,
    condition: () => ({ simulator: { echo_db: ECHO_DB } }),
  },
];

export async function robustness(plan: Plan): Promise<Table> {
  const rooms = await underEach(plan, 13, VARIANTS);
  const tolds = (name: string) => rooms.map((found) => found.get(name)!);
  return {
    id: 'robustness',
    title: 'Other conditions',
    method: `${scenesText(plan)} A link that delivers noise or is dead was good during the calibration; the pet came later and stays. Misplaced: in the topology, each node stands ${MISPLACED_M} m from where it really is, across the floor. On one wall, in the corners: four nodes. A bad link delivers white noise of the same power as before; a dead link sends nothing. Negative differences: better than with one link fewer.`,
    columns: COLUMNS,
    rows: [
      ...VARIANTS.map(({ name }) =>
        conditionRow(name, tolds(name), name === NOISE || name === DEAD ? tolds(FEWER) : null),
      ),
      ...conditionBaselines(tolds(USUAL)),
    ],
  };
}
