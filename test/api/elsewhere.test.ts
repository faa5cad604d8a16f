import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Whereabouts } from '../../pipeline/component/index.js';
import { testEnvironment } from '../support/context.js';
import { poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

const ROOM = testEnvironment.id;
const LATEST = ['/form-a/api/v1/pose/latest', '/form-b/api/v1/pose/latest'] as const;
const open: TestService[] = [];
let service: TestService;
let found: () => Promise<Whereabouts>;

/** A service whose topology shares its rooms among several processes, without a store. */
async function shared(): Promise<TestService> {
  const one = await openService();
  open.push(one);
  one.main.topology = { ...one.main.topology, settings: { ...one.main.topology.settings, scaleOut: true } };
  one.main.readers.clear();
  return one;
}

beforeEach(async () => {
  service = await shared();
  found = async () => ({ at: 'here' });
  service.main.whereIs = () => found();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const latest = (path: string) => service.get(path, service.token('viewer'));

test('a room that another process reads is answered 421 with its place, in both forms', async () => {
  const other = await shared();
  other.main.publish(poseFrame(7));
  found = async () => ({ at: 'elsewhere', address: other.server.address });
  for (const path of LATEST) {
    const answer = await latest(`${path}?include_3d=true`);
    expect(answer.status).toBe(421);
    expect(JSON.stringify(await answer.json())).toContain(
      `Another process of the group reads ${ROOM}: ask ${other.server.address}`,
    );
    const location = answer.headers.get('Location');
    expect(location).toBe(`${other.server.address}${path}?include_3d=true`);
    const there = await other.get(location!.slice(other.server.address.length), other.token('viewer'));
    expect([there.status, JSON.stringify(await there.json()).includes('"frame_id"')]).toEqual([200, true]);
  }
});

test('a process with an unknown address is reported all the same', async () => {
  found = async () => ({ at: 'elsewhere', address: null });
  const answer = await latest(LATEST[1]);
  expect([answer.status, answer.headers.get('Location')]).toEqual([421, null]);
  expect(await answer.text()).toContain('settings.advertised_address');
});

test.each([
  ['a room that moves between processes', async (): Promise<Whereabouts> => ({ at: 'moving' }), /is moving/],
  ['a group that cannot be asked', () => Promise.reject(new Error('no broker')), /Kafka.*no broker/],
])('%s is answered 503 with when to retry', async (_, where, text) => {
  found = where;
  const answer = await latest(LATEST[1]);
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, expect.stringMatching(/^[15]$/)]);
  expect(await answer.text()).toMatch(text);
});

test.each(['here', 'nowhere'] as const)(
  'a room that is %s and has no pose yet is answered 404',
  async (at) => {
    found = async () => ({ at });
    expect((await latest(LATEST[1])).status).toBe(404);
  },
);

test('a room that this process reads is answered without the group', async () => {
  found = () => Promise.reject(new Error('no broker'));
  service.main.publish(poseFrame(1));
  expect((await latest(LATEST[1])).status).toBe(200);
});
