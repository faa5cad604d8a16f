import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withTemporaryFolder } from '../../../pipeline/base/temporary-folders.js';
import type { TaskName } from '../contracts.js';
import { scored } from '../score.js';
import type { Entrant, Measured, SuitePlan, Task } from '../task.js';
import { movement, presence } from './motion.js';
import { falls } from './falls.js';
import { breathing, count, pose } from './rooms.js';
import { activityIntel, activityRpi } from './activity.js';

/** The suite, in the order of its report. */
export const TASKS: Readonly<Record<TaskName, Task>> = {
  movement,
  presence,
  'activity-intel': activityIntel,
  'activity-rpi4': activityRpi,
  falls,
  count,
  pose,
  breathing,
};

/** Runs tasks one after another; calls `began` before each, and `done` with its result. */
export async function runSuite(
  plan: Omit<SuitePlan, 'folder'>,
  names: readonly TaskName[],
  models: readonly Entrant[],
  { began, done }: { readonly began?: (id: TaskName) => void; readonly done?: (measured: Measured) => void },
): Promise<readonly Measured[]> {
  return withTemporaryFolder('csiflow-suite-', async (folder) => {
    const all: Measured[] = [];
    for (const id of names) {
      const rows = models.filter(({ task }) => task === id).map(({ row }) => row);
      began?.(id);
      const measured = await runTask(id, { ...plan, folder }, rows);
      all.push(measured);
      done?.(measured);
    }
    return all;
  });
}

async function runTask(id: TaskName, plan: SuitePlan, models: readonly string[]): Promise<Measured> {
  const task = TASKS[id];
  const about = { id, title: task.title, groups: task.groups };
  const skipped = missing(task, plan.data);
  if (skipped !== null) return { ...about, table: null, skipped, seconds: 0 };
  const began = performance.now();
  const cases = await task.cases(plan);
  const table = scored(id, task, cases, models);
  return { ...about, table, skipped: null, seconds: Math.round((performance.now() - began) / 1000) };
}

function missing({ needs }: Task, data: string | undefined): string | null {
  if (needs.length === 0) return null;
  if (data === undefined)
    return `it needs ${needs.join(', ')}: name the folder that holds ${needs.length === 1 ? 'it' : 'them'} with --data`;
  const absent = needs.filter((folder) => !existsSync(join(data, folder)));
  return absent.length === 0
    ? null
    : `${absent.map((folder) => join(data, folder)).join(', ')} does not exist`;
}
