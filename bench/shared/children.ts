import type { ChildProcess } from 'node:child_process';
import { exitBy, onSignals } from '../../pipeline/base/signals.js';

const children = new Map<ChildProcess, NodeJS.Signals>();
let releaseSignals: () => void = () => undefined;

/**
 * Starts a child process, which ends at the latest when this process exits, also by a signal, so that an
 * interrupted benchmark leaves none behind. Without children, a signal ends this process at once, even one that
 * computes without a pause.
 * @param signal `SIGTERM` for a child that has children of its own
 */
export function endWithThis<T extends ChildProcess>(start: () => T, signal: NodeJS.Signals = 'SIGKILL'): T {
  // Before the child exists: from then on, no signal ends this process alone.
  if (children.size === 0) begin();
  const child = start();
  children.set(child, signal);
  child.once('exit', () => {
    children.delete(child);
    if (children.size === 0) end();
  });
  return child;
}

function begin(): void {
  // Before other listeners: temporary folders can be removed once nobody writes to them.
  process.prependListener('exit', endAll);
  // To the end: the terminal's Ctrl-C, followed by a parent's SIGTERM, must not interrupt the removal of folders.
  releaseSignals = onSignals(exitBy);
}

function end(): void {
  process.off('exit', endAll);
  releaseSignals();
}

function endAll(): void {
  for (const [child, signal] of children) child.kill(signal);
}
