import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

const WORKER = readFileSync(new URL('../../api/web/page/notifications.js', import.meta.url), 'utf8');
const ORIGIN = 'https://csiflow.example';

/** What a tap on a notification does while these pages of the service are open. */
async function tap(paths: readonly string[], environment?: string): Promise<readonly string[]> {
  const done: string[] = [];
  let heard: (event: object) => void = () => undefined;
  const windows = paths.map((path) => ({
    url: ORIGIN + path,
    postMessage: (message: { environment?: string }) => done.push(`${path} shows ${message.environment}`),
    focus: () => Promise.resolve(done.push(`${path} is in front`)),
  }));
  const self = {
    addEventListener: (_type: string, listener: typeof heard) => (heard = listener),
    clients: {
      matchAll: () => Promise.resolve(windows),
      openWindow: (path: string) => Promise.resolve(done.push(`opens ${path}`)),
    },
  };
  runInNewContext(WORKER, { self, URL, encodeURIComponent });
  let ended: Promise<void> | undefined;
  heard({
    notification: {
      close: () => done.push('closes'),
      data: environment === undefined ? null : { environment },
    },
    waitUntil: (until: Promise<void>) => (ended = until),
  });
  await ended;
  return done;
}

test('a tap on a notification leads to its room on the open live page, not to other pages', async () => {
  expect(await tap(['/docs/', '/?view=links', '/'], 'hall')).toEqual([
    'closes',
    '/?view=links shows hall',
    '/?view=links is in front',
  ]);
});

test('without an open live page, it opens one', async () => {
  expect(await tap(['/docs/'], 'room 1 & 2')).toEqual(['closes', 'opens /?environment=room%201%20%26%202']);
  expect(await tap([])).toEqual(['closes', 'opens /']);
});
