import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from './plan.js';
import type { Table } from './table.js';
import { emptyRooms } from './tables/empty.js';
import { falls } from './tables/falls.js';
import { still } from './tables/still.js';
import { walking } from './tables/walking.js';

/** What can be measured, in the order of the report. */
export const TABLES = {
  empty: { summary: 'empty rooms after somebody left', measure: emptyRooms },
  walking: { summary: 'place, pose and heading of a walker', measure: walking },
  still: { summary: 'place and posture of somebody still', measure: still },
  falls: { summary: 'simulated falls, and false alarms of daily life', measure: falls },
} as const satisfies Readonly<Record<string, { summary: string; measure: (plan: Plan) => Promise<Table> }>>;

export { tableText } from './table.js';

export type TableName = keyof typeof TABLES;

/** Measures a topology by what its sinks get; `done` hears of each table. */
export async function evaluateChain(
  options: Omit<Plan, 'folder'>,
  names: readonly TableName[],
  done: (table: Table) => void = () => undefined,
): Promise<readonly Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-evaluate-'));
  try {
    const tables: Table[] = [];
    for (const name of names) {
      const table = await TABLES[name].measure({ ...options, folder });
      tables.push(table);
      done(table);
    }
    return tables;
  } finally {
    await rm(folder, { recursive: true });
  }
}
