import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { CallEnd } from '../../api/rest/serving/call-end.js';
import { ApiError } from '../../api/service/errors.js';

const GONE = 'The caller disconnected before the answer';
const late = new ApiError('TIMEOUT', 'No answer within 1 seconds');

/** A response of which `CallEnd` reads two flags, and waits for one event. */
const responseOf = (flags: { readonly closed: boolean; writableFinished: boolean }) =>
  Object.assign(new EventEmitter(), flags) as unknown as ServerResponse & { writableFinished: boolean };
const open = () => responseOf({ closed: false, writableFinished: false });

test('a signal asked for in time aborts when the caller leaves', () => {
  const response = open();
  const { signal } = new CallEnd(response);
  expect(signal.aborted).toBe(false);
  response.emit('close');
  expect(signal.reason).toMatchObject({ message: GONE });
});

test('a signal asked for after the caller has left is aborted', () => {
  const left = responseOf({ closed: true, writableFinished: false });
  expect(new CallEnd(left).signal.reason).toMatchObject({ message: GONE });
});

test('a completed answer aborts nothing, whenever the signal is asked for', () => {
  const response = open();
  const { signal } = new CallEnd(response);
  response.writableFinished = true;
  response.emit('close');
  const later = new CallEnd(responseOf({ closed: true, writableFinished: true }));
  expect([signal.aborted, later.signal.aborted]).toEqual([false, false]);
});

test.each(['before', 'after'])('a call that took too long: its signal was asked for %s that', (when) => {
  const end = new CallEnd(open());
  if (when === 'before') expect(end.signal.aborted).toBe(false);
  end.end(late);
  expect(end.signal.reason).toBe(late);
});

test('the first reason counts', () => {
  const response = open();
  const end = new CallEnd(response);
  end.end(late);
  const { signal } = end;
  response.emit('close');
  expect(signal.reason).toBe(late);
});

test('an endpoint that asks for no signal costs no listener', () => {
  const response = open();
  const end = new CallEnd(response);
  expect(response.listenerCount('close')).toBe(0);
  expect(end.signal).toBe(end.signal);
  expect(response.listenerCount('close')).toBe(1);
});
