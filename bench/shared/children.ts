import type { ChildProcess } from 'node:child_process';

const children = new Map<ChildProcess, NodeJS.Signals>();

/**
 * Ends a child process at the latest when this process exits, so that an interrupted benchmark leaves none behind.
 * @param signal `SIGTERM` for a child that has children of its own
 */
export function endWithThis<T extends ChildProcess>(child: T, signal: NodeJS.Signals = 'SIGKILL'): T {
  // Before other listeners: temporary folders can be removed once nobody writes to them.
  if (children.size === 0) process.prependListener('exit', endAll);
  children.set(child, signal);
  child.once('exit', () => {
    children.delete(child);
    if (children.size === 0) process.off('exit', endAll);
  });
  return child;
}

function endAll(): void {
  for (const [child, signal] of children) child.kill(signal);
}
