import {
  arrayValue,
  DuckDBArrayType,
  DuckDBBigIntType,
  DuckDBDataChunk,
  DuckDBTimestampType,
  timestampValue,
  type DuckDBConnection,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Cell } from './columns.js';

/** Rows passed in one call, at most DuckDB's 2,048: a few milliseconds of the event loop. */
const CHUNK_ROWS = 1024;

/**
 * Appends rows, given by column, to a table within the connection's transaction. Converts numbers to the
 * column's type.
 */
export async function append(
  connection: DuckDBConnection,
  table: string,
  columns: readonly (readonly Cell[])[],
): Promise<void> {
  const appender = await connection.createAppender(table);
  try {
    const types = columns.map((_, column) => appender.columnType(column));
    const rows = columns[0]?.length ?? 0;
    for (let start = 0; start < rows; start += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, rows - start);
      const chunk = DuckDBDataChunk.create(types, count);
      columns.forEach((values, column) => {
        const convert = converterTo(types[column]!);
        const vector = chunk.getColumnVector(column);
        for (let row = 0; row < count; row++) {
          vector.setItem(row, convert(values[start + row]!));
        }
        vector.flush();
      });
      appender.appendDataChunk(chunk);
      appender.flushSync();
      await nextTurn();
    }
  } finally {
    appender.closeSync();
  }
}

function converterTo(type: DuckDBType): (value: Cell) => DuckDBValue {
  const convert = conversionTo(type);
  return convert ? (value) => (value === null ? null : convert(value)) : (value) => value as DuckDBValue;
}

function conversionTo(type: DuckDBType): ((value: NonNullable<Cell>) => DuckDBValue) | undefined {
  if (type instanceof DuckDBTimestampType) return (micros) => timestampValue(BigInt(micros as number));
  if (type instanceof DuckDBBigIntType) return (value) => BigInt(value as number);
  if (type instanceof DuckDBArrayType) return (values) => arrayValue(values as readonly number[]);
  return undefined;
}
