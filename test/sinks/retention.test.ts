import type { DuckDBConnection } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { Retention } from '../../sinks/duckdb/retention.js';

test('a failed deletion leaves no transaction open, and is retried', async () => {
  let isFull = true;
  const asked: string[] = [];
  const connection = {
    run: async (sql: string) => {
      asked.push(sql.split(' ')[0]!);
      if (isFull && sql.startsWith('DELETE')) throw new Error('the disk is full');
    },
    runAndReadAll: async () => ({ getRows: () => [[1n]] }),
  } as unknown as DuckDBConnection;
  const retention = new Retention(connection, 1);
  await expect(retention.step(0, 0)).rejects.toThrow('the disk is full');
  expect(asked).toEqual(['BEGIN', 'DELETE', 'ROLLBACK']);
  isFull = false;
  expect(await retention.step(0, 0)).toBe(true);
  expect(asked.at(-1)).toBe('COMMIT');
});
