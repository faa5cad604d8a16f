import { DuckDBInstance } from '@duckdb/node-api';

/** Persons in each frame, and microseconds between frames. */
export const [PEOPLE, HOP] = [2, 100_000];

export interface PoseRows {
  readonly environment: string;
  readonly frames: number;
  /** Time of the first one, microseconds since 1970. */
  readonly start: number;
}

/**
 * Fills a store of the duckdb sink by SQL, in the order in which the sink writes: frames of two people with 17 keypoints
 * each. Ten million persons take about three minutes and 1.1 GB.
 */
export async function fillWithPoses(path: string, { environment, frames, start }: PoseRows): Promise<void> {
  const instance = await DuckDBInstance.create(path, {
    memory_limit: '1GB',
    preserve_insertion_order: 'true',
  });
  const connection = await instance.connect();
  const time = `make_timestamp(${start} + frame * ${HOP})`;
  await connection.run(`SET VARIABLE bodies = (SELECT list(list_transform(range(68), k ->
    CAST(1000 * sin(body * 0.7 + k) AS INTEGER))::INTEGER[68]) FROM range(64) AS bodies(body))`);
  await connection.run(`INSERT INTO poses SELECT frame // 1000, ${time}, '${environment}', frame, ${time}, ${PEOPLE},
    0.5 + (frame * 7919 % 5000) / 10000, 4, 0.98, 3, 'simulated', NULL, NULL, NULL, NULL
    FROM range(${frames}) AS frames(frame)`);
  await connection.run(`INSERT INTO persons SELECT frame // 1000, ${time}, '${environment}', frame, index,
    0.5 + (frame * 7919 % 5000) / 10000, round(2 + cos(frame / 300 + index), 3), round(2 + sin(frame / 300 + index), 3),
    0.25, NULL, 0, 'upright', true, index + 1, 'active', frame, make_timestamp(${start}), 0.1, 0,
    getvariable('bodies')[1 + frame % 64]
    FROM (SELECT number // ${PEOPLE} AS frame, number % ${PEOPLE} AS index FROM range(${frames} * ${PEOPLE}) AS numbers(number))`);
  connection.closeSync();
  instance.closeSync();
}
