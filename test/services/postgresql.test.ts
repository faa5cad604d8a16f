import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { postgresql } from '../../sinks/postgresql/postgresql.js';
import { withDefaults } from '../kit/definition.js';
import { ownDatabase, sink as driver, usePostgres } from '../kit/drivers/postgresql.js';
import { sinkConformance } from '../kit/sink.js';
import { blocksOf } from '../support/code-blocks.js';
import { testContext } from '../support/context.js';
import { anyEvent, anyMeasure, measure, poseFrame, sensedEvent } from '../support/records.js';
import { startPostgres, type PostgresServer } from '../support/servers/postgres.js';
import { freePorts } from '../support/servers/server.js';
import { startProxy } from '../support/tcp-proxy.js';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
  usePostgres(postgres);
}, 90_000);
afterAll(async () => {
  await postgres.stop();
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function make(config: object): Sink {
  const sink = postgresql.create(withDefaults(postgresql, config) as never, testContext().context);
  closing.push(() => sink.close());
  return sink;
}

/** An open sink with a database of its own, and rows of a query in it. */
async function opened(overrides: object = {}) {
  const { config, database } = await ownDatabase();
  const sink = make({ ...config, ...overrides });
  await sink.open();
  return { sink, config, database, rows: (query: string) => postgres.execute(query, database) };
}

sinkConformance('postgresql over PostgreSQL 15', driver);

describe('rows', () => {
  test('a frame is a row of poses and one of persons for each person, with keypoints in millimetres', async () => {
    const { sink, rows } = await opened();
    const frame = poseFrame(3, { people: 2 });
    expect(await sink.write([frame], 1)).toEqual([]);
    const [pose] = await rows('SELECT * FROM csiflow.poses');
    expect(pose).toMatchObject({
      environment: frame.environment,
      person_count: '2',
      links: String(frame.links),
    });
    expect(pose!['time']).toEqual(new Date(frame.time / 1000));
    const persons = await rows('SELECT * FROM csiflow.persons ORDER BY person_index');
    expect(persons.map(({ x }) => x)).toEqual(
      frame.persons.map(({ position }) => Math.round(position.x * 1000) / 1000),
    );
    const { x, y } = frame.persons[0]!.keypoints[0]!;
    const keypoints = persons[0]!['keypoints'] as number[];
    expect(keypoints).toHaveLength(68);
    expect(keypoints.slice(0, 2)).toEqual([Math.round(x * 1000), Math.round(y * 1000)]);
  });

  test('any event and measure is stored exactly, or rejected with the reason', async () => {
    const { sink, rows } = await opened();
    const fields = { event: 'confidence', measure: 'value' } as const;
    let index = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyEvent, anyMeasure), async (made) => {
        // Each has a time of its own, to be found by.
        const record = { ...made, time: 1_700_000_000_000_000 + ++index } as typeof made;
        const failed = await sink.write([record], 1);
        const found = await rows(
          `SELECT *, ${fields[record.port]} AS number FROM csiflow.${record.port}s WHERE time = '2023-11-14T22:13:20Z'::timestamptz + interval '${index} microseconds'`,
        );
        if (failed.length > 0) {
          expect(failed[0]).toMatchObject({ code: 'store.value.invalid', retriable: false });
          expect(JSON.stringify(record)).toContain('\\u0000');
          expect(found).toEqual([]);
        } else if (record.port === 'event') {
          const { id, confidence, metadata, source } = record;
          expect(found).toMatchObject([{ id, number: confidence, source }]);
          expect(found[0]!['metadata']).toEqual(JSON.parse(JSON.stringify(metadata)));
        } else {
          const { name, subject, value, source } = record;
          expect(found).toMatchObject([{ name, subject: subject ?? '', number: value, source }]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a record that is written again with another value replaces the row', async () => {
    const { sink, rows } = await opened();
    const again = [measure(1, { value: 1 }), measure(1, { value: 2 }), measure(2, { value: 3 })];
    expect(await sink.write(again, 1)).toEqual([]);
    expect(await sink.write([measure(2, { value: 4 })], 2)).toEqual([]);
    const found = await rows('SELECT value FROM csiflow.measures ORDER BY time');
    expect(found.map(({ value }) => value)).toEqual([2, 4]);
  });

  test('only records that break a rule of the database are rejected', async () => {
    const { sink, rows } = await opened();
    await rows('ALTER TABLE csiflow.measures ADD CHECK (value < 100)');
    const records = [...Array(20).keys()].map((index) =>
      measure(index, { value: index === 7 ? 100 : index }),
    );
    const failed = await sink.write(records, 1);
    expect(failed).toMatchObject([
      {
        record: records[7],
        code: 'postgresql.refused',
        reason: expect.stringContaining('measures_value_check') as string,
        retriable: false,
      },
    ]);
    expect(await rows('SELECT count(*) FROM csiflow.measures')).toEqual([{ count: '19' }]);
  });

  test('numbers that JSON does not have are rejected, the others stored', async () => {
    const { sink, rows } = await opened();
    const records: Data[] = [measure(1, { value: NaN }), sensedEvent(2), measure(3, { value: -0 })];
    expect(await sink.write(records, 1)).toMatchObject([{ code: 'store.value.invalid' }]);
    const [{ value }] = (await rows('SELECT value FROM csiflow.measures')) as [{ value: number }];
    expect(Object.is(value, -0)).toBe(true);
    expect(await rows('SELECT count(*) FROM csiflow.events')).toEqual([{ count: '1' }]);
  });
});

describe('the statements of docs/postgresql.md', () => {
  const [setup, falls, motion] = blocksOf('sql').filter(({ page }) => page === 'docs/postgresql.md');

  test('prepare a database, and ask for falls and motion', async () => {
    // A database cannot be created within a transaction, which several statements at once are.
    for (const statement of setup!.text.split(';\n')) await postgres.execute(statement);
    const url = `postgresql://127.0.0.1:${postgres.port}/sensing`;
    const sink = make({ url, username: 'csiflow', password: 'a long password' });
    await sink.open();
    const time = (Date.now() - 3_600_000) * 1000;
    const records = [
      sensedEvent(1, { time }),
      sensedEvent(2, { time, source: 'node-1' }),
      sensedEvent(3),
      ...[1, 3].map((value, index) => measure(4, { name: 'motion', time: time + index, value })),
    ];
    expect(await sink.write(records, 1)).toEqual([]);
    const environment = 'test-room';
    expect(await postgres.execute(falls!.text, 'sensing')).toEqual([{ environment, count: '1' }]);
    expect(await postgres.execute(motion!.text, 'sensing')).toMatchObject([{ environment, avg: 2 }]);
  });
});

describe('the schema', () => {
  test('two sinks that open at once create it once', async () => {
    const { config } = await ownDatabase();
    const sinks = Array.from({ length: 4 }, () => make(config));
    await Promise.all(sinks.map((sink) => sink.open()));
  });

  test('a user without the right to create tables writes to those that exist', async () => {
    const { database, config, rows } = await opened();
    await rows("CREATE ROLE writer LOGIN PASSWORD 'writer-pw'");
    closing.push(async () => {
      await rows('DROP OWNED BY writer; DROP ROLE writer');
    });
    const sink = make({ ...config, username: 'writer', password: 'writer-pw' });
    await expect(sink.open()).rejects.toMatchObject({
      code: 'postgresql.rights',
      retriable: false,
      message: expect.stringContaining(`/${database} does not let csiflow use its tables`) as string,
    });
    await rows(
      'GRANT USAGE ON SCHEMA csiflow TO writer; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA csiflow TO writer',
    );
    const allowed = make({ ...config, username: 'writer', password: 'writer-pw' });
    await allowed.open();
    expect(await allowed.write([measure(1)], 1)).toEqual([]);
  });

  // TimescaleDB is in no package registry: a function with its signature records the calls.
  test('with the extension timescaledb, tables become hypertables by time', async () => {
    const { config, database } = await ownDatabase();
    await postgres.execute(
      `SET allow_system_table_mods = on;
       CREATE SCHEMA home; CREATE TABLE home.calls (relation text, by_time name, again boolean, moved boolean);
       CREATE FUNCTION home.create_hypertable(relation regclass, time_column_name name, if_not_exists boolean, migrate_data boolean)
         RETURNS void LANGUAGE sql AS $$ INSERT INTO home.calls VALUES ($1::text, $2, $3, $4) $$;
       INSERT INTO pg_extension SELECT 99999, 'timescaledb', 10, 'home'::regnamespace, false, '2.0', null, null`,
      database,
    );
    await make(config).open();
    const calls = await postgres.execute('SELECT * FROM home.calls ORDER BY relation', database);
    expect(calls.map(({ relation }) => relation)).toEqual(
      ['events', 'measures', 'persons', 'poses'].map((table) => `csiflow.${table}`),
    );
    expect(calls[0]).toMatchObject({ by_time: 'time', again: true, moved: true });
  });
});

describe('faults', () => {
  test.each([
    ['password', { password: 'wrong-pw' }, /rejects the login: password authentication failed/],
    ['missing password', { password: null }, /rejects the login: .*password must be/],
    ['database', { url: 'no-such' }, /rejects the login: database "no_such" does not exist/],
  ])('a wrong %s aborts the start and says what to check', async (_what, wrong, message) => {
    const { config } = await ownDatabase();
    const url = `postgresql://127.0.0.1:${postgres.port}/no_such`;
    const sink = make({ ...config, ...wrong, ...('url' in wrong && { url }) });
    const failed = sink.open();
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toMatchObject({ code: 'postgresql.login', retriable: false });
    await expect(failed).rejects.not.toThrow(/wrong-pw/);
  });

  test('nothing listening is an outage', async () => {
    const [port] = await freePorts(1);
    const sink = make({ url: `postgresql://127.0.0.1:${port}/csi` });
    await expect(sink.open()).rejects.toMatchObject({
      code: 'postgresql.unavailable',
      retriable: true,
      message: expect.stringContaining(`127.0.0.1:${port}/csi is unavailable`) as string,
    });
  });

  test('a server without TLS is not written to if TLS is required', async () => {
    const { config } = await ownDatabase();
    await expect(make({ ...config, tls: true }).open()).rejects.toThrow(/does not support SSL connections/);
  });

  test('after a crash of the server, everything accepted is there, and writing continues', async () => {
    const { sink, rows } = await opened();
    expect(await sink.write([measure(1)], 1)).toEqual([]);
    await postgres.crash();
    await expect(sink.write([measure(2)], 2)).rejects.toMatchObject({ retriable: true });
    await postgres.restart();
    expect(await sink.write([measure(2)], 2)).toEqual([]);
    expect(await rows('SELECT count(*) FROM csiflow.measures')).toEqual([{ count: '2' }]);
  });

  test('a connection that breaks or stalls within a write loses nothing, and closing does not wait for it', async () => {
    const { config, rows } = await opened();
    const proxy = await startProxy(postgres.port);
    closing.push(() => proxy.close());
    const url = (config as { url: string }).url.replace(String(postgres.port), String(proxy.port));
    const sink = make({ ...config, url, timeout_ms: 3_000 });
    await sink.open();
    proxy.tear(20);
    await expect(sink.write([measure(1)], 1)).rejects.toMatchObject({ retriable: true });
    expect(await sink.write([measure(1)], 1)).toEqual([]);
    proxy.stall();
    await expect(sink.write([measure(2)], 1)).rejects.toMatchObject({ retriable: true });
    proxy.mend();
    expect(await sink.write([measure(1), measure(2)], 1)).toEqual([]);
    expect(await rows('SELECT count(*) FROM csiflow.measures')).toEqual([{ count: '2' }]);
    proxy.stall();
    const hanging = expect(sink.write([measure(3)], 1)).rejects.toThrow();
    await sink.close();
    await hanging;
    await expect(sink.write([measure(3)], 1)).rejects.toThrow(/is not open/);
  });

  test('a server that hangs within a transaction is given up, and the records come again', async () => {
    const { config, database } = await ownDatabase();
    const sink = make({ ...config, timeout_ms: 1_000 });
    await sink.open();
    await postgres.execute(
      "CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(30); RETURN NEW; END'; CREATE TRIGGER hang BEFORE INSERT ON csiflow.measures EXECUTE FUNCTION hang()",
      database,
    );
    await expect(sink.write([measure(1)], 1)).rejects.toMatchObject({ retriable: true });
    await postgres.execute('DROP TRIGGER hang ON csiflow.measures', database);
    expect(await sink.write([measure(1)], 1)).toEqual([]);
    expect(await postgres.execute('SELECT count(*) FROM csiflow.measures', database)).toEqual([
      { count: '1' },
    ]);
  });
});
