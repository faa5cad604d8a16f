import type { AnyOperator, Operator, Output } from '../../component/index.js';
import type { Data } from '../../model/index.js';
import { atOnce } from './returned.js';

/** Event time jumps by `by`: closes what is aligned to the time grid, and moves the rest of the operator's state. */
export function reanchor(
  { timeFields }: Pick<AnyOperator, 'timeFields'>,
  operator: Operator,
  by: number,
): Output<Data> | undefined {
  const closed = operator.reanchor?.(by);
  if (timeFields) {
    const state = atOnce('snapshot', operator.snapshot?.());
    atOnce('restore', operator.restore?.(moveTimes(state, new Set(timeFields), by)));
  }
  return closed;
}

/** A copy of an operator's snapshot in which all numbers of these fields, at any depth, are moved by `by`. */
export function moveTimes<T>(state: T, fields: ReadonlySet<string>, by: number): T {
  return moved(state, fields, by, false) as T;
}

function moved(value: unknown, fields: ReadonlySet<string>, by: number, isTime: boolean): unknown {
  if (typeof value === 'number') return isTime ? value + by : value;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((one) => moved(one, fields, by, isTime));
  if (value instanceof Map)
    return new Map([...value].map(([key, one]) => [key, moved(one, fields, by, isTime)] as const));
  const entries = Object.entries(value).map(
    ([key, one]) => [key, moved(one, fields, by, isTime || fields.has(key))] as const,
  );
  return Object.fromEntries(entries);
}
