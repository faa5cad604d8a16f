import { readFile, readdir } from 'node:fs/promises';

/** Seconds. */
export interface ProcessorTime {
  readonly user: number;
  readonly system: number;
}

/**
 * Processor time so far, in steps of 10 ms: fields 14 and 15 of proc(5). They follow the name in brackets,
 * which may contain anything.
 * @param task `PID` for all threads of a process, `PID/task/TID` for one
 */
export async function processorTime(task: number | string): Promise<ProcessorTime> {
  const stat = await readFile(`/proc/${task}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { user: Number(fields[11]) / 100, system: Number(fields[12]) / 100 };
}

/** The same, of csiflow and the kernel together, seconds. */
export async function processorSeconds(task: number | string): Promise<number> {
  const { user, system } = await processorTime(task);
  return user + system;
}

/** How often the threads of a process have gone to sleep so far: each time, something had to wake them. */
export async function sleeps(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const counts = await Promise.all(
    tasks.map(async (task) => {
      const status = await readFile(`/proc/${pid}/task/${task}/status`, 'utf8');
      return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)![1]);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
