/**
 * A hook for tests: `CSIFLOW_KILL_AT=written:3` kills this process the third time it passes that point, like
 * a power cut. Without the variable it does nothing.
 */
export type KillPoint = 'read' | 'enqueued' | 'written' | 'flushed' | 'mid_checkpoint';

const [point, count = '1'] = (process.env['CSIFLOW_KILL_AT'] ?? '').split(':');
let left = Number(count);

export function killAt(passed: KillPoint): void {
  if (passed === point && --left === 0) process.kill(process.pid, 'SIGKILL');
}
