import { expect } from 'vitest';
import type { Rows } from '../contract.js';
import { enveloped, RESTART, START_A, START_B, STOP_A, STOP_B } from '../shapes.js';

/** Effects of start, stop and restart. In this order, because each needs the state before it. */
export function lifecycle({ service, row, elsewhere }: Rows): void {
  row('3', 'GET /system/status', async () => {
    expect((await service().get('a', '/system/status')).at('status')).toBe('running');
  });
  row('3', 'POST /system/restart', async () => {
    const answer = (await service().post('b', '/system/restart')).fits(enveloped(RESTART));
    expect([answer.status, answer.at('data.status')]).toEqual([202, 'restarting']);
    const session = answer.at('data.new_session_id');
    expect(session).not.toBe(answer.at('data.previous_session_id'));
    await service().reaches('running');
    expect((await service().get('b', '/system/status')).at('data.session_id')).toBe(session);
  });
  row('3', 'POST /system/start', async () => {
    for (const form of ['a', 'b'] as const) {
      const answer = await service().post(form, '/system/start', {});
      expect([answer.status, answer.at('error.code')]).toEqual([409, 'RESOURCE_CONFLICT']);
    }
  });
  row('3', 'POST /system/stop', async () => {
    const a = (await service().post('a', '/system/stop', { save_state: true })).fits(STOP_A);
    expect([a.status, a.at('status')]).toEqual([202, 'stopping']);
    await service().reaches('stopped');
    expect((await service().post('a', '/system/stop', {})).status).toBe(409);
    const latest = await service().get('b', '/pose/latest');
    expect([latest.status, latest.headers.get('Retry-After')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    const configuration = { environment_id: 'flat' };
    const started = await service().post('a', '/system/start', { configuration });
    expect([started.status, started.fits(START_A).at('status')]).toEqual([202, 'starting']);
    await service().reaches('running');
  });
  row('4.3', 'POST /system/stop', async () => {
    const b = (await service().post('b', '/system/stop')).fits(enveloped(STOP_B));
    expect([b.status, b.at('data.status')]).toEqual([202, 'stopping']);
    await service().reaches('stopped');
  });
  row('4.3', 'POST /system/start', async () => {
    const configuration = {
      environment_id: 'flat',
      detection_settings: { confidence_threshold: 0, max_persons: 4, enable_tracking: true },
    };
    const b = await service().post('b', '/system/start', { configuration });
    expect([b.status, b.fits(enveloped(START_B)).at('data.status')]).toEqual([202, 'starting']);
    await service().reaches('running');
  });
  elsewhere('4.3', 'POST /system/restart', '3 POST /system/restart');
}
