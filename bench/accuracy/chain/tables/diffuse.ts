import { each, howCalibrated, plannedRoom, seedsOf, type Plan } from '../plan.js';
import type { Row, Table } from '../table.js';
import { baselineOf, rowOf, walkIn, WALKING_COLUMNS, WALKING_S } from './walking.js';

/** Power of all diffuse paths together, relative to the line of sight, and their mean extra length. */
const POWER_DB = 0;
const EXCESS_M = 6;

/** Diffuse paths per link. */
const VARIANTS = [
  { name: 'no diffuse paths', paths: 0 },
  { name: '30 diffuse paths', paths: 30 },
] as const;

/** Walkers in the same rooms with and without many weak paths. */
export async function diffuse(plan: Plan): Promise<Table> {
  const links = plan.links[0]!;
  const walks = await each(plan, seedsOf(plan, 8), async (seed) => {
    const found = [];
    for (const { name, paths } of VARIANTS) {
      const simulator = { diffuse: { paths, power_db: POWER_DB, excess_m: EXCESS_M } };
      const room = await plannedRoom(plan, seed, links, simulator);
      found.push(await walkIn(plan, room, name, simulator));
    }
    return found;
  });
  const rows = VARIANTS.map(({ name }, index): Row =>
    rowOf(
      name,
      walks.map((found) => found[index]!),
    ),
  );
  return {
    id: 'diffuse',
    title: 'Walking among many weak paths',
    method: `The same ${plan.rooms} rooms with ${links} links in each row, ${howCalibrated(plan)}. One person walks for ${WALKING_S} s, measured as above. Each link has no diffuse path, or 30 of them, by way of rough walls and small objects, which nobody blocks. Together they are as strong as the line of sight (${POWER_DB} dB, the strongest in training), and ${EXCESS_M} m longer on average.`,
    columns: WALKING_COLUMNS,
    rows: [
      ...rows,
      baselineOf(
        'both',
        walks.map(([first]) => first!),
      ),
    ],
  };
}
