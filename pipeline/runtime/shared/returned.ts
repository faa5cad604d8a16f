import type { Component, Output } from '../../component/index.js';
import { EVENT_TYPES, isEventTime, knownAt, type Data, type Failure } from '../../model/index.js';

const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);

/**
 * What is wrong with the result of an operator, as the end of a sentence; null if nothing is. Types check this
 * where TypeScript is used, but plugins may be plain JavaScript. Looks at each record's port, times and
 * environment, and at an event's type: whatever passes here reaches others that rely on it.
 */
export function outputFault(
  component: Component,
  output: Output<Data> | Promise<Output<Data>>,
): string | null {
  if (isPromise(output))
    return 'it returned a promise, which only `process` may, of a definition with `asynchronous`';
  const { data, failed } = ((output as unknown) ?? {}) as Partial<Record<keyof Output<Data>, unknown>>;
  if (!Array.isArray(data))
    return `it returned ${kindOf(output)}, but must return { data: [...] } (NOTHING if there is no result)`;
  const fault = failed === undefined ? null : failuresFault(failed);
  if (fault !== null) return `it returned \`failed\` with ${fault}`;
  if (component.kind !== 'operator') return null;
  for (const record of data as readonly (Data | null | undefined)[]) {
    const port = record?.port;
    if (port === undefined || !component.outputs.includes(port))
      return `it returned a record on the port ${quoted(port)}, but its definition has outputs: ${component.outputs.join(', ')}`;
    if (record!.port === 'event' && !TYPES.has(record!.type))
      return `it returned an event of the type ${quoted(record!.type)}; csiflow knows ${EVENT_TYPES.join(', ')}: return a measure for anything else`;
    const wrong = fieldFault(record!);
    if (wrong !== null)
      return `it returned ${record!.port === 'event' ? 'an' : 'a'} ${record!.port} record ${wrong}`;
  }
  return null;
}

/**
 * What is wrong with the time and the environment of a record, as the end of "a record"; null if nothing is. All
 * that follows orders records by them, and stores file records under them. The frames of a block are not read.
 */
function fieldFault(record: Data): string | null {
  if (record.port === 'csi')
    return record.time instanceof Float64Array && record.time.length === record.count
      ? null
      : 'whose `time` is not a Float64Array with one time for each frame of `count`';
  const fields = record as unknown as Readonly<Record<string, unknown>>;
  for (const field of TIMES[record.port])
    if (!isEventTime(fields[field]))
      return `whose \`${field}\` is ${shown(fields[field])}; an event time is a number of microseconds since 1970`;
  if (!isEventTime(knownAt(record))) return 'whose `step` or `points` is not a number';
  return typeof record.environment === 'string'
    ? null
    : `whose \`environment\` is ${shown(record.environment)}; it must be the id of an environment`;
}

/** Fields that hold an event time. */
const TIMES = { window: ['start'], pose: ['time', 'windowEnd'], event: ['time'], measure: ['time'] } as const;

/**
 * What a method of a component returned, which must be a result and no promise.
 * @throws Error that names the method
 */
export function atOnce<T>(method: string, result: T): T {
  if (isPromise(result))
    throw new Error(`\`${method}\` returned a promise, but must return its result at once`);
  return result;
}

/** Calls a method that returns nothing. What it throws, or rejects with, goes to `onError`. */
export function reported(call: () => unknown, onError: (error: unknown) => void): void {
  try {
    Promise.resolve(call()).catch(onError);
  } catch (error) {
    onError(error);
  }
}

/** What is wrong with the records that a component rejects, as the end of "with"; null if nothing is. */
export function failuresFault(failed: unknown): string | null {
  if (!Array.isArray(failed)) return `${shown(failed)} instead of a list`;
  const bad = failed.findIndex((one) => !isFailure(one));
  return bad < 0 ? null : `${shown(failed[bad])} instead of { record, code, reason, retriable }`;
}

/** Whatever a promise would reject with is not awaited: it must not end the process. */
function isPromise(value: unknown): boolean {
  if (typeof (value as Partial<Promise<unknown>> | null | undefined)?.then !== 'function') return false;
  Promise.resolve(value).catch(() => undefined);
  return true;
}

function isFailure(failure: unknown): boolean {
  const { code, reason } = (failure ?? {}) as Partial<Failure>;
  return typeof code === 'string' && typeof reason === 'string';
}

function kindOf(output: unknown): string {
  if (typeof output !== 'object' || output === null) return String(output);
  return 'data' in output ? 'data that is not a list' : 'an object without data';
}

const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'another object' : quoted(value);

/** Plain JavaScript may put anything there. */
const quoted = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : String(value));
