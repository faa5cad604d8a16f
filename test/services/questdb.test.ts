import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { lineProtocol } from '../../sinks/line-protocol/line-protocol.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';
import { startQuestDb, type QuestDb } from '../support/servers/questdb.js';

let quest: QuestDb;
beforeAll(async () => {
  quest = await startQuestDb();
}, 90_000);
afterAll(async () => {
  await quest.server.stop();
});

const closing: Sink[] = [];
afterEach(async () => {
  for (const sink of closing.splice(0)) await sink.close();
});

async function opened(): Promise<Sink> {
  // A server that has just started takes longer on a busy machine than the ten seconds of the default.
  const config = withDefaults(lineProtocol, { server: 'questdb', url: quest.url, timeout_ms: 45_000 });
  const sink = lineProtocol.create(config as never, testContext().context);
  closing.push(sink);
  await sink.open();
  return sink;
}

/** The server answers a write once it is in its log, and shows the rows a moment later. */
const waitFor = (sql: string, rows: readonly (readonly unknown[])[]) =>
  expect.poll(() => quest.rows(sql).catch(String)).toEqual(rows);

const RECORDS: readonly Data[] = Array.from({ length: 20 }, (_, index) => index).flatMap((index) => [
  poseFrame(index),
  measure(index, { name: 'motion', value: index / 20 }),
  ...(index % 5 === 0 ? [sensedEvent(index)] : []),
]);
const persons = poseFrame(0).persons.length;

test('every record is a row, with its values', async () => {
  const sink = await opened();
  expect(await sink.write(RECORDS, 1)).toEqual([]);
  await waitFor('SELECT count(), min(value), max(value) FROM motion', [[20, 0, 0.95]]);
  await waitFor('SELECT count() FROM pose', [[20 * persons]]);
  await waitFor("SELECT count() FROM occupancy WHERE name = 'frame'", [[20]]);
  await waitFor('SELECT count() FROM event', [[4]]);
}, 60_000);

test('records that arrive twice are there twice, unless the table says what a repeated row is', async () => {
  const sink = await opened();
  const breathing = RECORDS.flatMap((record) =>
    record.port === 'measure' ? [{ ...record, name: 'breathing_rate' }] : [],
  );
  await sink.write(breathing, 1);
  await sink.write(breathing, 1);
  await waitFor('SELECT count() FROM vitals', [[40]]);
  await quest.rows(
    'ALTER TABLE vitals DEDUP ENABLE UPSERT KEYS(timestamp, environment, name, origin, source, subject)',
  );
  const later = breathing.map((record) => ({ ...record, time: record.time + 3_600_000_000 }));
  await sink.write(later, 1);
  await sink.write(later, 1);
  await sink.write([{ ...later[0]!, time: later[0]!.time + 3_600_000_000 }], 1);
  await waitFor('SELECT count() FROM vitals', [[61]]);
}, 60_000);

test('a row that its table cannot hold is refused alone, with the reason', async () => {
  const sink = await opened();
  await quest.rows(
    'CREATE TABLE activity (timestamp TIMESTAMP, value LONG256) TIMESTAMP(timestamp) PARTITION BY DAY WAL',
  );
  const misfit = measure(0, { name: 'gait_speed', value: 0.5 });
  const [refused, ...others] = await sink.write([misfit, measure(30, { name: 'motion', value: 7 })], 1);
  expect(others).toEqual([]);
  expect(refused).toMatchObject({ code: 'influxdb.refused', retriable: false, record: misfit });
  expect(refused!.reason).toContain('column: value; cast error from protocol type: FLOAT');
  await waitFor('SELECT count() FROM motion WHERE value = 7', [[1]]);
}, 60_000);

test('a server that ends keeps what it accepted; records wait for it', async () => {
  const sink = await opened();
  await sink.write(RECORDS, 1);
  await quest.server.crash();
  await expect(sink.write([poseFrame(50)], 1)).rejects.toMatchObject({ retriable: true });
  await quest.server.start();
  await sink.write([poseFrame(50)], 1);
  await waitFor('SELECT count_distinct(timestamp) FROM pose', [[21]]);
}, 90_000);
