import { expect } from 'vitest';
import type { Rows } from '../contract.js';
import { iso, type Form } from '../service.js';
import { ERROR_A, ERROR_B } from '../shapes.js';

const YEARS_AGO = `start_time=${iso(Date.UTC(2020, 0, 1))}&end_time=${iso(Date.UTC(2020, 0, 2))}`;
const ANY_TEXT = expect.any(String) as string;

/** Errors. Those that cannot be provoked from outside are tested with the code that returns them. */
export function errors({ service, row, elsewhere }: Rows): void {
  const refused = async (form: Form, method: string, path: string, call: object = {}) => {
    const answer = await service().call(form, method, path, call);
    answer.fits(form === 'a' ? ERROR_A : ERROR_B);
    return [answer.status, answer.at('error.code'), answer.at('error.details')];
  };

  row('7.2', 'POSE_DATA_NOT_FOUND', async () => {
    const range = { start: ANY_TEXT, end: ANY_TEXT };
    expect(await refused('a', 'GET', `/pose/history?${YEARS_AGO}`)).toEqual([
      404,
      'POSE_DATA_NOT_FOUND',
      { requested_range: range, available_range: range },
    ]);
    const b = await service().get('b', `/pose/history?${YEARS_AGO}`);
    expect([b.status, b.at('data')]).toEqual([200, []]);
  });
  row('7.2', 'VALIDATION_ERROR', async () => {
    const field_errors = [{ field: 'limit', message: ANY_TEXT, received_value: 1001 }];
    expect(await refused('a', 'GET', '/pose/history?limit=1001')).toEqual([
      422,
      'VALIDATION_ERROR',
      { field_errors },
    ]);
    expect(await refused('b', 'GET', '/pose/latest?min_confidence=2')).toEqual([
      422,
      'VALIDATION_ERROR',
      { field: 'min_confidence', reason: ANY_TEXT },
    ]);
  });
  row('7.2', 'AUTHENTICATION_ERROR', async () => {
    const [status, code] = await refused('b', 'GET', '/pose/latest', { as: 'nobody' });
    expect([status, code]).toEqual([401, 'AUTHENTICATION_ERROR']);
  });
  row('7.2', 'AUTHORIZATION_ERROR', async () => {
    const [status, code] = await refused('b', 'POST', '/system/stop', { as: 'viewer' });
    expect([status, code]).toEqual([403, 'AUTHORIZATION_ERROR']);
  });
  row('7.2', 'RESOURCE_NOT_FOUND', async () => {
    const [status, code] = await refused('b', 'GET', '/pose/tracking/987654');
    expect([status, code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
  });
  elsewhere('7.2', 'RATE_LIMIT_EXCEEDED', '8.3 Authentication');
  elsewhere('7.2', 'SYSTEM_ERROR', 'test/api/outside.test.ts');
  elsewhere('7.2', 'HARDWARE_ERROR', 'no endpoint asks hardware');
  elsewhere('7.2', 'MODEL_ERROR', 'test/api/process.test.ts');

  const calls = {
    200: ['GET', '/pose/latest', {}],
    400: ['PUT', '/config', { body: '{' }],
    401: ['GET', '/pose/latest', { as: 'nobody' }],
    403: ['POST', '/system/stop', { as: 'viewer' }],
    404: ['GET', '/nothing/here', {}],
    422: ['GET', '/pose/latest?colour=red', {}],
  } as const;
  row('7.2', 'validation details', async () => {
    const [A, B] = [
      { field_errors: [{ field: ANY_TEXT, message: ANY_TEXT }] },
      { field: ANY_TEXT, reason: ANY_TEXT },
    ];
    const century = `start_time=${iso(Date.UTC(1970, 0, 1))}&end_time=${iso(Date.UTC(2026, 0, 1))}`;
    for (const [method, path, call] of [
      ['GET', '/pose/history?start_time=never', {}],
      ['GET', `/pose/history?${century}`, {}],
      ['PUT', '/config', { body: '{' }],
      ['PUT', '/config', { body: 'a=b', headers: { 'Content-Type': 'text/plain' } }],
      ['PUT', '/config', { body: { detection: { confidence_threshold: 2 } } }],
      ['POST', '/pose/query', { body: {} }],
      ['DELETE', '/pose/latest', {}],
    ] as const) {
      for (const [form, details] of [
        ['a', A],
        ['b', B],
      ] as const)
        expect([path, ...(await refused(form, method, path, call)).slice(1)]).toMatchObject([
          path,
          'VALIDATION_ERROR',
          details,
        ]);
    }
    const wrong = { detection: { confidence_threshold: 'high', max_persons: -1 } };
    expect((await refused('a', 'PUT', '/config', { body: wrong }))[2]).toMatchObject({
      field_errors: [
        { field: 'detection.confidence_threshold', received_value: 'high' },
        { field: 'detection.max_persons', received_value: -1 },
      ],
    });
  });

  for (const [status, [method, path, call]] of Object.entries(calls)) {
    row('7.3', status, async () => {
      for (const form of ['a', 'b'] as const)
        expect((await service().call(form, method, path, call)).status).toBe(Number(status));
    });
  }
  row('7.3', '201', async () => {
    for (const form of ['a', 'b'] as const) {
      const made = await service().post(form, '/auth/api-keys', { name: `key-${form}`, role: 'viewer' });
      expect(made.status).toBe(201);
    }
  });
  row('7.3', '204', async () => {
    const made = await service().post('b', '/auth/api-keys', { name: 'another-key', role: 'viewer' });
    const path = `/auth/api-keys/${String(made.at('data.id'))}`;
    expect((await service().call('b', 'DELETE', path)).status).toBe(204);
    expect((await service().call('b', 'DELETE', path)).status).toBe(404);
  });
  elsewhere('7.3', '202', '3 POST /system/stop');
  elsewhere('7.3', '409', '3 POST /system/start');
  elsewhere('7.3', '429', '8.3 Authentication');
  elsewhere('7.3', '500', 'test/api/outside.test.ts');
  elsewhere('7.3', '502', 'no endpoint asks an upstream service');
  elsewhere('7.3', '503', '3 POST /system/stop');
  elsewhere('7.3', '504', 'test/api/outside.test.ts');
}
