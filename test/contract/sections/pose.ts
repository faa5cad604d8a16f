import { expect } from 'vitest';
import type { Rows } from '../contract.js';
import { iso, lately, latest, MINUTE, type Answer, type Service } from '../service.js';
import { enveloped, HISTORY_A, misfits, QUERY, RECORD_B, TRACK, type Shape } from '../shapes.js';

/** Pose data. */
export function pose({ service, row }: Rows): void {
  row('4.2', 'GET /pose/latest', async () => {
    const all = await latest(service(), 'b');
    const person = all.at('data.persons.0.person_id') as number;
    expect(await sizes(service(), '/pose/latest?min_confidence=1.0')).toBe(0);
    const without = await service().get('b', '/pose/latest?include_keypoints=false&environment_id=flat');
    expect(without.at('data.persons.0')).not.toHaveProperty('keypoints');
    expect(person).toBeGreaterThanOrEqual(0);
    for (const query of ['min_confidence=1.1', 'min_confidence=-0.1', 'include_keypoints=perhaps'])
      expect((await service().get('b', `/pose/latest?${query}`)).status).toBe(422);
    expect((await service().get('b', '/pose/latest?environment_id=elsewhere')).status).toBe(404);
  });

  row('4.2', 'GET /pose/history', async () => {
    const a = (await service().get('a', '/pose/history')).fits(HISTORY_A);
    expect(a.at('pagination.returned_count')).toBeLessThanOrEqual(100);
    const two = (await service().get('a', '/pose/history?limit=2')).fits(HISTORY_A);
    expect([two.at('pagination.returned_count'), two.at('pagination.has_more')]).toEqual([2, true]);
    const cursor = encodeURIComponent(two.at('pagination.next_cursor') as string);
    const more = await service().get('a', `/pose/history?limit=2&cursor=${cursor}`);
    const time = (answer: Answer, index: number) => answer.at(`poses.${index}.timestamp`) as string;
    expect(time(more, 0) > time(two, 1)).toBe(true);
    const b = (await service().get('b', `/pose/history?${lately()}`)).fits(enveloped([RECORD_B], true));
    expect([b.at('pagination.page'), b.at('pagination.per_page')]).toEqual([1, 50]);
    const page = await service().get('b', `/pose/history?${lately()}&page=2&per_page=3&min_confidence=0`);
    expect(page.at('pagination')).toMatchObject({ page: 2, per_page: 3, has_prev: true });
    const someone = String(b.at('data.0.person_id'));
    const theirs = await service().get('a', `/pose/history?person_id=${someone}&limit=20`);
    const persons = (theirs.at('poses') as { persons: { id: number }[] }[]).map((pose) => pose.persons);
    expect(persons.flat().map(({ id }) => id)).toEqual(persons.map(() => Number(someone)));
    for (const [filter, field] of [
      ['person_id', 'person_id'],
      ['track_id', 'track_id'],
    ] as const) {
      const wanted = b.at(`data.0.${field}`) as number;
      const found = await service().get('b', `/pose/history?${lately()}&${filter}=${wanted}`);
      expect(new Set((found.at('data') as Record<string, number>[]).map((one) => one[field]))).toEqual(
        new Set([wanted]),
      );
    }
    const sure = await service().get('b', `/pose/history?${lately()}&min_confidence=0.6`);
    expect(
      (sure.at('data') as { confidence: number }[]).filter(({ confidence }) => confidence < 0.6),
    ).toEqual([]);
    const day = new Date().toISOString().slice(0, 10);
    for (const time of [day, `${day}T00:00:00`, `${day}T00:00:00%2B00:00`])
      expect((await service().get('a', `/pose/history?limit=1&start_time=${time}`)).status).toBe(200);
    for (const [form, query] of [
      ['a', 'limit=1001'],
      ['a', 'limit=0'],
      ['a', 'confidence_threshold=1.5'],
      ['a', 'cursor=made-up'],
      ['b', `${lately()}&per_page=1001`],
      ['b', `${lately()}&page=0`],
      ['b', `start_time=${iso(0)}`],
      ['b', `${lately()}&track_id=first`],
    ] as const)
      expect([query, (await service().get(form, `/pose/history?${query}`)).status]).toEqual([query, 422]);
  });

  row('4.2', 'POST /pose/query', async () => {
    const query = (end = Date.now() + MINUTE) => ({
      query: {
        time_range: { start: iso(end - 10 * MINUTE), end: iso(end) },
        filters: { person_count: { min: 0, max: 10 }, confidence: { min: 0 } },
        aggregation: { type: 'hourly_summary', metrics: ['person_count', 'avg_confidence'] },
      },
    });
    const a = (await service().post('a', '/pose/query', query())).fits(QUERY);
    expect(a.at('results.0.person_count')).toBeGreaterThan(0);
    expect(a.at('query_metadata.total_records_scanned')).toBeGreaterThan(0);
    (await service().post('b', '/pose/query', query())).fits(enveloped(QUERY));
    expect((await service().post('a', '/pose/query', { query: { time_range: {} } })).status).toBe(422);
  });

  row('4.2', 'GET /pose/tracking/{track_id}', async () => {
    const record = (await service().get('b', `/pose/history?${lately()}&per_page=1`)).at('data.0.track_id');
    const track = (await service().get('b', `/pose/tracking/${String(record)}`)).fits(enveloped(TRACK));
    expect(track.at('data.trajectory')).toBeUndefined();
    const moving = `/pose/tracking/${String(record)}?include_trajectory=true&${lately()}`;
    expect((await service().get('b', moving)).fits(enveloped(TRACK)).at('data.trajectory.0')).toBeDefined();
    expect((await service().get('b', '/pose/tracking/987654')).status).toBe(404);
    expect((await service().get('b', '/pose/tracking/first')).status).toBe(422);
  });

  const frame = () => ({
    csi_data: {
      timestamp: iso(Date.now()),
      antenna_data: [Array.from({ length: 52 }, (_, k) => ({ real: 20 + (k % 5), imag: -3 + (k % 7) }))],
      metadata: { router_id: 'node-1', sampling_rate: 50, signal_strength: -45 },
    },
    processing_options: {
      confidence_threshold: 0.3,
      max_persons: 2,
      enable_tracking: true,
      return_dense_pose: false,
    },
  });
  const processed: Shape = {
    processing_id: 'string',
    status: 'string',
    processing_time_ms: 'number',
    poses: ['object'],
  };
  const process = (body: object) => service().post('b', '/pose/process', body, { as: 'operator' });
  row('4.2', 'POST /pose/process', async () => {
    const answer = await process(frame());
    expect(answer.status).toBe(200);
    expect(misfits(withoutExtras(answer.at('data'), processed), processed)).toEqual([]);
    expect((await service().post('b', '/pose/process', frame(), { as: 'viewer' })).status).toBe(403);
  });
  row('4.2', 'csi_data.timestamp', async () => {
    const { csi_data, ...rest } = frame();
    expect((await process({ ...rest, csi_data: { ...csi_data, timestamp: 'now' } })).status).toBe(422);
  });
  row('4.2', 'csi_data.antenna_data', async () => {
    const { csi_data, ...rest } = frame();
    expect((await process({ ...rest, csi_data: { ...csi_data, antenna_data: [] } })).status).toBe(422);
  });
  row('4.2', 'csi_data.metadata', async () => {
    const { csi_data, ...rest } = frame();
    const metadata = { ...csi_data.metadata, router_id: 'nobody-knows' };
    expect((await process({ ...rest, csi_data: { ...csi_data, metadata } })).status).toBe(422);
  });
  row('4.2', 'processing_options', async () => {
    expect((await process({ csi_data: frame().csi_data })).status).toBe(200);
    const wrong = { ...frame(), processing_options: { max_persons: 0 } };
    expect((await process(wrong)).status).toBe(422);
  });
}

const sizes = async (service: Service, path: string): Promise<number> =>
  ((await service.get('b', path)).at('data.persons') as unknown[]).length;

/** Removes the fields that csiflow adds to the contract's own. */
function withoutExtras(value: unknown, shape: Shape): unknown {
  const known = new Set(Object.keys(shape));
  return Object.fromEntries(Object.entries(value as object).filter(([name]) => known.has(name)));
}
