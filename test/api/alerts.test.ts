import { WebSocket } from 'ws';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from '../../api/client/index.js';
import { fallEvent } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

let service: TestService;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const now = Date.now() * 1000;
const fall = (id: string, secondsAgo: number) =>
  fallEvent({ id: `test-room-${id}`, time: now - secondsAgo * 1e6 });
const addressOf = ({ id, time }: { readonly id: string; readonly time: number }): string =>
  `/form-b/api/v1/alerts/${new Date(time / 1000).toISOString()}/${id}/acknowledgement`;

interface Listed {
  readonly data: readonly { alert_id: string; acknowledgement: { acknowledged_by: string } | null }[];
}
const listed = async (query = ''): Promise<Listed['data']> => {
  const response = await service.get(`/form-b/api/v1/alerts${query}`, service.token('viewer'));
  expect(response.status).toBe(200);
  return ((await response.json()) as Listed).data;
};

test('returns the alerts of the last day, newest first, up to the limit', async () => {
  service.main.events.push(fall('old', 90_000), fall('first', 7_200), fall('second', 60));
  expect((await listed()).map(({ alert_id }) => alert_id)).toEqual(['test-room-second', 'test-room-first']);
  expect((await listed('?limit=1')).map(({ alert_id }) => alert_id)).toEqual(['test-room-second']);
});

test('the first acknowledgement of an alert counts, and all clients are notified at once', async () => {
  const alert = fall('one', 60);
  service.main.events.push(alert);
  const client = createClient({
    address: service.server.address,
    form: 'b',
    credentials: { token: service.token('viewer') },
    WebSocket: WebSocket,
  });
  const received: unknown[] = [];
  const live = client.live();
  live.subscribe('acknowledgements', {}, (message) => received.push(message));
  // Confirmed once a later request has been answered.
  await new Promise<void>((resolve) => {
    live.subscribe('system_status', {}, () => {
      resolve();
    });
  });
  const first = await service.post(addressOf(alert), {}, service.token('operator'));
  expect(first.status).toBe(200);
  const again = await service.post(addressOf(alert), {}, service.token('admin'));
  const { data } = (await again.json()) as { data: { acknowledged_by: string } };
  expect(data.acknowledged_by).toBe('operator');
  await expect.poll(() => received).toHaveLength(1);
  expect(received).toMatchObject([
    {
      type: 'alert_acknowledged',
      alert_id: alert.id,
      environment_id: 'test-room',
      acknowledged_by: 'operator',
    },
  ]);
  expect((await listed())[0]!.acknowledgement).toMatchObject({ acknowledged_by: 'operator' });
  live.close();
});

test('viewers cannot acknowledge, only alerts can be, and the log names the user', async () => {
  const alert = fall('two', 60);
  const everyday = fallEvent({ id: 'test-room-zone', type: 'zone_entered', time: now - 60e6 });
  service.main.events.push(alert, everyday);
  expect((await service.post(addressOf(alert), {}, service.token('viewer'))).status).toBe(403);
  expect((await service.post(addressOf(everyday), {}, service.token('operator'))).status).toBe(404);
  await service.post(addressOf(alert), {}, service.token('operator'));
  const audit = await service.get('/form-b/api/v1/audit', service.token('admin'));
  expect(((await audit.json()) as { data: unknown[] }).data).toContainEqual(
    expect.objectContaining({
      account: 'operator',
      action: 'POST /alerts/:timestamp/:alert_id/acknowledgement',
      outcome: 'done',
    }),
  );
});
