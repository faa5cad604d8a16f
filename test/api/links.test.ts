import { afterEach, beforeEach, expect, test } from 'vitest';
import { FIRST_TIME } from '../support/fake-topology.js';
import { testEnvironment } from '../support/context.js';
import { openService, type TestService } from './support.js';

let service: TestService;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const ask = async (path: string): Promise<unknown> => {
  const response = await service.get(`/form-b/api/v1${path}`, service.token('viewer'));
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: unknown }).data;
};

const [one, two] = testEnvironment.links.map(({ id }) => id) as [string, string];

test('each link reports its state, whether it counts, and why not', async () => {
  const last = '2026-01-01T00:00:00.000Z';
  service.main.details = {
    heard: { [one]: { rate: 48, last, rssi: -41.5, noise: -92 }, [two]: { rate: 0, last } },
    links: { [one]: { received: 99, lost: 1, loss: 0.01, usable: false, fault: 'frozen', snr_db: 12 } },
  };
  expect(await ask('/topologies/test/links')).toMatchObject({
    links: [
      {
        id: one,
        frames_per_second: 48,
        loss: 0.01,
        rssi_dbm: -41.5,
        noise_dbm: -92,
        snr_db: 12,
        counts: false,
        reason: 'it repeats one frame: restart its receiver',
      },
      {
        id: two,
        frames_per_second: 0,
        loss: null,
        counts: false,
        reason: expect.stringContaining('silent') as string,
      },
    ],
    unknown_senders: [],
  });
});

test('an unheard link names its missing sender; a stranger, the line that would add it', async () => {
  service.main.details = {
    heard: {},
    unknown_senders: {
      listed: [
        {
          sender: 'node-7@10.0.0.4:4000',
          frames: 12,
          last: '2026-01-01T00:00:00.000Z',
          line: 'sender: node-7',
        },
      ],
    },
  };
  const { sender } = testEnvironment.links[0]!;
  expect(await ask('/topologies/test/links')).toMatchObject({
    links: [{ counts: false, reason: `no frame of its sender, ${sender}, has arrived` }, {}],
    unknown_senders: [
      { node: 'routers', sender: 'node-7@10.0.0.4:4000', frames: 12, line: 'sender: node-7' },
    ],
  });
});

test('measures are summed by interval', async () => {
  const measure = (seconds: number, value: number) => ({
    port: 'measure' as const,
    environment: testEnvironment.id,
    time: FIRST_TIME + seconds * 1e6,
    name: 'breathing_rate_bpm',
    subject: null,
    value,
    source: 'csiflow' as const,
    provenance: { origin: 'simulated' as const },
  });
  service.main.measures.push(measure(5, 12), measure(50, 16), measure(70, 20));
  const range = 'start_time=2026-01-01T00:00:00Z&end_time=2026-01-01T00:05:00Z';
  const query = `${range}&names=breathing_rate_bpm,presence_seconds&interval=1min`;
  expect(await ask(`/analytics/measures?${query}`)).toEqual([
    expect.objectContaining({ timestamp: '2026-01-01T00:00:00.000Z', count: 2, sum: 28, min: 12, max: 16 }),
    expect.objectContaining({ timestamp: '2026-01-01T00:01:00.000Z', count: 1, sum: 20 }),
  ]);
});
