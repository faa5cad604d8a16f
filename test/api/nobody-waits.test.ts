import { afterEach, expect, test } from 'vitest';
import { testContext } from '../support/context.js';
import { openService, UNLIMITED, type TestService } from './support.js';

const HISTORY = '/form-b/api/v1/pose/history?start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z';
const { context, recorded } = testContext();

let service: TestService;
/** Called with each call's signal, whose work ends with it and not before. */
let asked: (signal: AbortSignal) => void;

async function open(answerMs: number): Promise<void> {
  service = await openService(UNLIMITED, { answerMs, log: context.log });
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
}
afterEach(() => service.close());

/** Work left over from an answer is done once the service has sent another. */
const settle = (): Promise<Response> => service.get('/form-b/api/v1/health');

test('a call that is answered 504 cancels its query of the store', async () => {
  await open(300);
  let seen: AbortSignal | undefined;
  asked = (signal) => (seen = signal);
  expect((await service.get(HISTORY, service.token('viewer'))).status).toBe(504);
  expect(seen?.aborted).toBe(true);
});

test('so does a call whose caller has left; it is not reported as a failure', async () => {
  await open(60_000);
  const caller = new AbortController();
  const ended = new Promise<unknown>((resolve) => {
    asked = (signal) => {
      signal.addEventListener('abort', () => {
        resolve(signal.reason);
      });
      caller.abort();
    };
  });
  const headers = { Authorization: `Bearer ${service.token('viewer')}` };
  await expect(fetch(service.server.address + HISTORY, { headers, signal: caller.signal })).rejects.toThrow();
  expect(await ended).toMatchObject({ message: 'The caller disconnected before the answer' });
  await settle();
  expect(recorded.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('a completed call is not aborted', async () => {
  await open(60_000);
  let seen: AbortSignal | undefined;
  const { reader } = service.main;
  reader.until = (signal) => {
    seen = signal;
    return reader;
  };
  expect((await service.get(HISTORY, service.token('viewer'))).status).toBe(200);
  await settle();
  expect(seen?.aborted).toBe(false);
});
