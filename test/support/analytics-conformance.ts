import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openService, type TestService } from '../api/support.js';
import type { ReadableStore } from '../kit/reader.js';
import { ENVIRONMENT, FORM_A, FORM_B, NOW, records } from './analytics-truth.js';

/** The analytics over a store whose every figure is known: the same for every store. */
export function analyticsConformance(name: string, makeStore: () => Promise<ReadableStore>): void {
  describe(`analytics over ${name}`, () => {
    let store: ReadableStore;
    let service: TestService;
    let now = NOW;
    beforeAll(async () => {
      store = await makeStore();
      await store.put(records());
      service = await openService(undefined, {
        clock: { now: () => now, elapsed: () => performance.now() },
      });
      service.main.readers.set('history', store.reader);
      Object.assign(service.main.topology, { environments: [ENVIRONMENT] });
    });
    afterAll(async () => {
      await service.close();
      await store.close();
    });

    const get = async (path: string): Promise<{ status: number; body: unknown }> => {
      const response = await service.get(path, service.token('viewer'));
      return { status: response.status, body: await response.json() };
    };

    test.each(FORM_A)('$name', async ({ path, expected }) => {
      for (const base of ['/form-a/api/v1', '/form-b/api/v1'])
        expect(await get(base + path)).toEqual({ status: 200, body: expected });
    });

    test.each(FORM_B)('$name', async ({ path, expected }) => {
      expect(await get(`/form-b/api/v1${path}`)).toMatchObject({
        status: 200,
        body: { success: true, data: expected },
      });
    });

    test.each(['healthcare', 'retail', 'security'])(
      '%s of a period without data is not found',
      async (domain) => {
        now = NOW + 3 * 86_400_000_000;
        try {
          expect(await get(`/form-a/api/v1/analytics/${domain}?period=hour`)).toMatchObject({
            status: 404,
            body: {
              error: {
                code: 'POSE_DATA_NOT_FOUND',
                details: {
                  requested_range: { start: '2026-04-01T12:00:00.000Z', end: '2026-04-01T12:30:00.000Z' },
                  available_range: { start: '2026-03-29T07:00:00.000Z', end: '2026-03-29T07:59:00.000Z' },
                },
              },
            },
          });
        } finally {
          now = NOW;
        }
      },
    );
  });
}
