import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workerData, type MessagePort } from 'node:worker_threads';

/** The thread that runs a script: one record after the other, each with one answer. */

export interface ScriptOrder {
  /** URL of its module. */
  readonly entry: string;
  /** Its own files, absolute: errors are located in these. */
  readonly files: readonly string[];
  /** What errors name files relative to. */
  readonly folder: string;
  readonly port: MessagePort;
}

export type Answer =
  | { readonly kind: 'returned'; readonly value: unknown }
  | {
      readonly kind: 'failed';
      readonly code: 'script.threw' | 'script.result' | 'script.ended' | 'script.timeout';
      readonly reason: string;
    };

export type FromScript =
  Answer | { readonly kind: 'ready' } | { readonly kind: 'unable'; readonly reason: string };

const { entry, files, folder, port } = workerData as ScriptOrder;
const script = relative(folder, files[0]!);
const say = (message: FromScript) => {
  port.postMessage(message);
};

try {
  const { default: step } = (await import(entry)) as { readonly default: unknown };
  if (isStep(step)) serve(step);
  else {
    const reason = `${script}: the default export must be a function \`process(record)\`, not ${nameOf(step)}`;
    say({ kind: 'unable', reason });
  }
} catch (error) {
  say({ kind: 'unable', reason: described(error) });
}

type Step = (record: unknown) => unknown;

function isStep(value: unknown): value is Step {
  return typeof value === 'function';
}

function serve(step: Step): void {
  port.on('message', (record: unknown) => {
    const answer = answerTo(step, record);
    try {
      say(answer);
    } catch (error) {
      const reason = `${script}: it returned something other than plain data: ${described(error)}`;
      say({ kind: 'failed', code: 'script.result', reason });
    }
  });
  say({ kind: 'ready' });
}

function answerTo(step: Step, record: unknown): Answer {
  try {
    const value = step(record);
    if (!(value instanceof Promise)) return { kind: 'returned', value };
    // The record fails anyway.
    value.catch(() => undefined);
    const reason = `${script}: it returned a promise: a script returns its records at once`;
    return { kind: 'failed', code: 'script.result', reason };
  } catch (error) {
    return { kind: 'failed', code: 'script.threw', reason: described(error) };
  }
}

/** `my-step.ts:12:7: TypeError: ...`: where in the script, and what. */
function described(error: unknown): string {
  if (!(error instanceof Error)) return `${script}: it threw ${nameOf(error)}`;
  for (const [, url, where] of (error.stack ?? '').matchAll(/(file:\/\/[^\s()]+?):(\d+:\d+)/g)) {
    const file = fileURLToPath(url!);
    if (files.includes(file)) return `${relative(folder, file)}:${where!}: ${String(error)}`;
  }
  return `${script}: ${String(error)}`;
}

function nameOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
      return `the ${typeof value} ${String(value)}`;
    case 'object':
      return value === null ? 'null' : 'an object';
    default:
      return typeof value;
  }
}
