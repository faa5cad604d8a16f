import { expect } from 'vitest';
import type { Rows } from '../contract.js';
import { lately } from '../service.js';
import {
  enveloped,
  EVENT,
  HEALTH,
  HEALTH_DETAILED,
  HEALTHCARE,
  METRICS,
  OCCUPANCY,
  RETAIL,
  SECURITY,
  SUMMARY,
} from '../shapes.js';

/** Analytics, health and metrics. */
export function analytics({ service, row, rows }: Rows): void {
  rows(
    '4.5',
    ['GET /analytics/healthcare', 'GET /analytics/retail', 'GET /analytics/security'],
    async (call) => {
      const path = call.replace('GET ', '');
      const shape = { healthcare: HEALTHCARE, retail: RETAIL, security: SECURITY }[path.split('/')[2]!]!;
      for (const period of ['hour', 'day', 'week', 'month']) {
        const answer = await service().get('a', `${path}?period=${period}`);
        expect([period, answer.status]).toEqual([period, 200]);
        expect(answer.fits(shape).at('period')).toBe(period);
      }
      expect((await service().get('a', path)).at('period')).toBe('day');
      expect((await service().get('a', `${path}?period=year`)).status).toBe(422);
      expect((await service().get('a', `${path}?metrics=colour`)).status).toBe(422);
    },
  );
  row('4.5', 'GET /analytics/summary', async () => {
    for (const granularity of ['hour', 'day', 'week'])
      (await service().get('b', `/analytics/summary?${lately()}&granularity=${granularity}`)).fits(
        enveloped(SUMMARY),
      );
    expect((await service().get('b', '/analytics/summary')).status).toBe(422);
    expect((await service().get('b', `/analytics/summary?${lately()}&granularity=year`)).status).toBe(422);
  });
  row('4.5', 'GET /analytics/events', async () => {
    (await service().get('b', '/analytics/events')).fits(enveloped([EVENT], true));
    for (const type of ['fall', 'alert', 'activity'])
      expect((await service().get('b', `/analytics/events?event_type=${type}&severity=low`)).status).toBe(
        200,
      );
    expect((await service().get('b', '/analytics/events?event_type=party')).status).toBe(422);
    expect((await service().get('b', '/analytics/events?severity=mild')).status).toBe(422);
  });
  row('4.5', 'GET /analytics/occupancy', async () => {
    for (const interval of ['5min', '15min', '1hour'])
      (await service().get('b', `/analytics/occupancy?${lately()}&interval=${interval}`)).fits(
        enveloped(OCCUPANCY),
      );
    expect((await service().get('b', `/analytics/occupancy?${lately()}&interval=2min`)).status).toBe(422);
  });

  row('4.6', 'GET /health', async () => {
    const health = (await service().get('b', '/health', { as: 'nobody' })).fits(HEALTH);
    expect(health.at('status')).toBe('healthy');
  });
  row('4.6', 'GET /health/detailed', async () => {
    (await service().get('b', '/health/detailed')).fits(enveloped(HEALTH_DETAILED));
    expect((await service().get('b', '/health/detailed', { as: 'nobody' })).status).toBe(401);
  });
  row('4.6', 'GET /metrics', async () => {
    (await service().get('b', '/metrics')).fits(enveloped(METRICS));
    expect((await service().get('b', `/metrics?${lately()}&metric_type=performance`)).status).toBe(200);
    expect((await service().get('b', '/metrics?metric_type=colour')).status).toBe(422);
  });
}
