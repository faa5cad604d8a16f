import { expect } from 'vitest';
import type { Rows } from '../contract.js';
import { CONFIG_A, CONFIG_B, enveloped, STATUS_A, STATUS_B, type Shape } from '../shapes.js';

/** Tokens, system status and configuration. */
export function control({ service, row }: Rows): void {
  row('4.1', 'POST /auth/token', async () => {
    const body = { username: 'nobody', password: 'nothing' };
    const refused = await service().post('b', '/auth/token', body, { as: 'nobody' });
    expect([refused.status, refused.at('error.code')]).toEqual([401, 'AUTHENTICATION_ERROR']);
    await service().post('b', '/auth/users', { name: 'ada', password: 'analytical', role: 'viewer' });
    const good = { username: 'ada', password: 'analytical' };
    const token: Shape = { access_token: 'string', token_type: 'string', expires_in: 'integer' };
    const a = (await service().post('a', '/auth/token', good, { as: 'nobody' })).fits(token);
    expect([a.at('token_type'), a.at('expires_in')]).toEqual(['bearer', 3600]);
    (await service().post('b', '/auth/token', good, { as: 'nobody' })).fits(
      enveloped({ ...(token as object), refresh_token: 'string' }),
    );
  });

  row('4.3', 'GET /system/status', async () => {
    (await service().get('a', '/system/status')).fits(STATUS_A);
    (await service().get('b', '/system/status')).fits(enveloped(STATUS_B));
  });

  row('4.4', 'GET /config', async () => {
    (await service().get('a', '/config', { as: 'viewer' })).fits(CONFIG_A);
    (await service().get('b', '/config', { as: 'viewer' })).fits(enveloped(CONFIG_B));
  });
  row('4.4', 'PUT /config', async () => {
    const a = await service().put('a', '/config', { detection: { max_persons: 3 } });
    a.fits({
      status: 'string',
      changes_applied: ['string'],
      restart_required: 'boolean',
      validation_warnings: ['string'],
    });
    expect([a.at('status'), a.at('changes_applied')]).toEqual(['updated', ['detection.max_persons']]);
    const b = await service().put('b', '/config', { detection: { max_persons: 4 } });
    b.fits(
      enveloped({
        updated_fields: ['string'],
        requires_restart: 'boolean',
        applied_at: 'timestamp',
        configuration: CONFIG_B,
      }),
    );
    expect(b.at('data.configuration.detection.max_persons')).toBe(4);
    for (const detection of [
      { confidence_threshold: 1.1 },
      { confidence_threshold: -0.1 },
      { max_persons: 0 },
      { max_persons: 1.5 },
      { colour: 'red' },
    ])
      expect((await service().put('b', '/config', { detection })).status).toBe(422);
    const other = await service().put('b', '/config', { detection: { tracking_enabled: true } });
    expect(other.status).toBe(422);
    const viewer = await service().put('b', '/config', { detection: { max_persons: 5 } }, { as: 'viewer' });
    expect(viewer.status).toBe(403);
  });
  row('4.4', 'GET /config/schema', async () => {
    const schema = (await service().get('b', '/config/schema')).at('data');
    expect(schema).toMatchObject({
      schema: {
        type: 'object',
        properties: {
          detection: { properties: { confidence_threshold: { type: 'number', minimum: 0, maximum: 1 } } },
        },
      },
      defaults: { detection: { max_persons: expect.any(Number) as number } },
    });
  });
}
