import { afterEach, beforeEach, expect, test } from 'vitest';
import { openService, UNLIMITED, type TestService } from './support.js';

const HISTORY = '/form-b/api/v1/pose/history?start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z';

let service: TestService;
/** Told of each call's signal, whose work ends with it and not before. */
let asked: (signal: AbortSignal) => void;

beforeEach(async () => {
  service = await openService(UNLIMITED, { answerMs: 300 });
  const { reader } = service.main;
  reader.until = (signal) => ({
    ...reader,
    countPersons: () =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
        asked(signal);
      }),
  });
});
afterEach(() => service.close());

test('a call that is answered 504 ends what it asks of the store', async () => {
  let seen: AbortSignal | undefined;
  asked = (signal) => (seen = signal);
  expect((await service.get(HISTORY, service.token('viewer'))).status).toBe(504);
  expect(seen?.aborted).toBe(true);
});

test('so does a call whose caller has gone; nothing is told of it as a failure', async () => {
  const caller = new AbortController();
  const ended = new Promise<void>((resolve) => {
    asked = (signal) => {
      signal.addEventListener('abort', () => {
        resolve();
      });
      caller.abort();
    };
  });
  const headers = { Authorization: `Bearer ${service.token('viewer')}` };
  await expect(fetch(service.server.address + HISTORY, { headers, signal: caller.signal })).rejects.toThrow();
  await ended;
});

test('a call that was answered has not been ended', async () => {
  let seen: AbortSignal | undefined;
  const { reader } = service.main;
  reader.until = (signal) => {
    seen = signal;
    return reader;
  };
  expect((await service.get(HISTORY, service.token('viewer'))).status).toBe(200);
  expect(seen?.aborted).toBe(false);
});
