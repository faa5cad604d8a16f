import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { renderClip } from '../../api/contract/clip.js';
import type { PoseFrame } from '../../pipeline/model/index.js';
import { clipPath } from '../../sinks/shared/alert.js';
import { testEnvironment } from '../support/context.js';
import { fallEvent, FIRST_TIME, person, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

const fall = fallEvent({ time: FIRST_TIME + 5_000_000 });
/** Ten seconds of two people. */
const frames = Array.from({ length: 100 }, (_, index) =>
  poseFrame(index, [
    person(1, 1 + index / 50, 2),
    person(2, 4, 3, { articulated: false, positionError: 0.8 }),
  ]),
);

const values = (svg: string): readonly string[] =>
  [...svg.matchAll(/attributeName="d"[^>]* values="([^"]*)"/g)].map(([, text]) => text!);

test('bones move if there is a skeleton; others are drawn as a disc', () => {
  const [bones, disc, ...more] = values(renderClip(fall, frames, testEnvironment));
  expect(more).toEqual([]);
  // Nobody in the first second, then a skeleton of 14 lines a frame.
  expect(bones!.split(';')).toHaveLength(102);
  expect(bones!.split(';')[1]!.match(/M/g)).toHaveLength(14);
  // It stands still, so it is written once; one second after the last frame it disappears.
  expect(disc!.split(';')).toHaveLength(3);
  expect(disc!.split(';')[1]).toMatch(/^M[^M]*$/);
});

test('the same event and frames give the same text', () => {
  expect(renderClip(fall, frames, testEnvironment)).toBe(renderClip(fall, frames, testEnvironment));
});

test.each(['simulated', 'live', 'replay'] as const)('states that it is %s', (origin) => {
  const svg = renderClip({ ...fall, provenance: { origin } }, frames, testEnvironment);
  expect(svg).toContain(`>${origin.toUpperCase()}</text>`);
});

test('marks the place of the event from its start, and names the event', () => {
  const svg = renderClip(fall, frames, testEnvironment);
  expect(svg).toMatch(/attributeName="opacity"[^>]* keyTimes="0;0.5" values="0;1"/);
  expect(svg).toContain('fall detection (high), 2026-01-01 00:00:05.000 UTC');
  expect(svg).toContain('pose-test 1.0.0, trained on simulated CSI');
});

test('the lines of text are above the view, where no wall crosses them', () => {
  const svg = renderClip(fall, frames, testEnvironment);
  const lines = [...svg.matchAll(/<text x="\d+" y="(-?\d+)"[^>]*>[^<]+<\/text>/g)].map(([, y]) => Number(y));
  const [, top] = /viewBox="0 (-\d+) /.exec(svg)!;
  expect(lines).toHaveLength(4);
  for (const y of lines) {
    expect(y).toBeGreaterThan(Number(top));
    expect(y).toBeLessThan(0);
  }
});

test('a crowd at forty frames per second stays under 200 kB', () => {
  const crowd = Array.from({ length: 20 }, (_, index) => person(index + 1, index / 4, 2));
  const many: PoseFrame[] = Array.from({ length: 480 }, (_, index) => ({
    ...poseFrame(index),
    time: fall.time - 6_000_000 + index * 25_000,
    persons: crowd.map((one) => ({
      ...one,
      keypoints: one.keypoints.map((k) => ({ ...k, x: k.x + index / 300 })),
    })),
  }));
  const svg = renderClip(fall, many, testEnvironment);
  expect(svg.length).toBeLessThan(200_000);
  expect(svg.length).toBeGreaterThan(50_000);
  expect(svg).toContain('12 more people are not drawn');
});

test('a store without keypoints gives a disc', () => {
  const anonymous = frames.map((frame) => ({
    ...frame,
    persons: frame.persons.map((one) => ({ ...one, keypoints: [] })),
  }));
  for (const text of values(renderClip(fall, anonymous, testEnvironment)))
    expect(text.split(';').every((path) => (path.match(/M/g) ?? []).length === 1)).toBe(true);
});

test('names from files are text, whatever their content', () => {
  const name = '"><script>alert(1)</script>&\u0000';
  const svg = renderClip(fall, frames, { ...testEnvironment, name });
  expect(svg).not.toContain('<script');
  expect(svg).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;,');
});

let service: TestService;
/** How far the service's clock is ahead, milliseconds. */
let ahead = 0;
beforeAll(async () => {
  const clock = { now: () => (Date.now() + ahead) * 1000, elapsed: () => performance.now() + ahead };
  service = await openService(undefined, { clock });
});
afterAll(() => service.close());
beforeEach(() => {
  service.main.frames.length = 0;
  service.main.events.length = 0;
});

test('the path in an alert returns its clip, under each mount, to authorised readers', async () => {
  service.main.publish(...frames, fall);
  const path = clipPath(fall);
  for (const mount of ['/api/v1', '/form-a/api/v1', '/form-b/api/v1']) {
    const response = await service.get(path.replace('/api/v1', mount), service.token('viewer'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(response.headers.get('x-ratelimit-limit')).toBe('1000');
    expect(await response.text()).toBe(renderClip(fall, frames, testEnvironment));
  }
  expect((await service.get(path)).status).toBe(401);
});

/** Long ago, by the event time of the topology. */
const old = fallEvent({ time: FIRST_TIME - 120_000_000 });

test.each([
  ['an unknown alert', clipPath({ ...old, id: 'other' }), 404, 'RESOURCE_NOT_FOUND'],
  ['another time', clipPath({ ...old, time: old.time + 1_000_000 }), 404, 'RESOURCE_NOT_FOUND'],
  ['an alert whose poses were deleted', clipPath(old), 404, 'POSE_DATA_NOT_FOUND'],
  ['no time', '/api/v1/alerts/yesterday/x/clip', 422, 'VALIDATION_ERROR'],
])('%s is answered in words', async (_what, path, status, code) => {
  service.main.publish(old);
  const response = await service.get(path, service.token('viewer'));
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { code } });
});

test('waits for a fresh alert that is not stored yet', async () => {
  const asked = service.get(clipPath(fall), service.token('viewer'));
  const looked = service.main.reader.events.bind(service.main.reader);
  let looks = 0;
  service.main.reader.events = (query) => {
    if (++looks === 2) service.main.publish(...frames, fall);
    return looked(query);
  };
  expect((await asked).status).toBe(200);
  service.main.reader.events = looked;
});

/** Requests a clip; its alert is searched twice, then the time is up. */
async function askInVain(path: string): Promise<Response> {
  const looked = service.main.reader.events.bind(service.main.reader);
  let looks = 0;
  service.main.reader.events = (query) => {
    if (++looks === 2) ahead += 3_000;
    return looked(query);
  };
  const response = await service.get(path, service.token('viewer'));
  service.main.reader.events = looked;
  expect(looks).toBe(2);
  return response;
}

test('a fresh alert that does not arrive is answered 503, to be retried', async () => {
  const response = await askInVain(clipPath(fall));
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
});

test('an alert that may wait in an outbox is answered 503, however old it is', async () => {
  service.main.undelivered = 7;
  const response = await askInVain(clipPath(old));
  service.main.undelivered = 0;
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await service.get(clipPath(old), service.token('viewer'))).status).toBe(404);
});

test('does not wait while the topology is stopped', async () => {
  service.main.state = 'stopped';
  const response = await service.get(clipPath(fall), service.token('viewer'));
  service.main.state = 'running';
  expect(response.status).toBe(404);
});
