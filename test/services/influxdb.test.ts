import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { withDefaults } from '../kit/definition.js';
import { readerConformance } from '../kit/reader.js';
import { resultIdentity, resultRecord } from '../support/records.js';
import { sinkConformance } from '../kit/sink.js';
import { testContext } from '../support/context.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';

let influx: InfluxServer;
let databases = 0;
beforeAll(async () => {
  influx = await startInflux();
});
afterAll(async () => {
  await influx.server.stop();
});

const environment = 'test-room';

/** The configuration of a sink with a database of its own, as the administrator. */
const ownDatabase = () => ({
  url: influx.url,
  database: `test-${++databases}`,
  username: 'admin',
  password: INFLUX_USERS.admin,
});

const make = (config: object): Sink =>
  influxdb.create(withDefaults(influxdb, config) as never, testContext().context);

async function open(config: object): Promise<Sink> {
  const sink = make(config);
  await sink.open();
  return sink;
}

readerConformance('InfluxDB 1', async () => {
  const sink = await open(ownDatabase());
  return {
    reader: sink.reader!,
    put: async (records) => {
      expect(await sink.write(records, 1)).toEqual([]);
    },
    close: () => sink.close(),
  };
});

sinkConformance('influxdb over InfluxDB 1', {
  component: influxdb,
  config: {},
  backend: async () => {
    const config = ownDatabase();
    return Promise.resolve({
      config,
      read: async () => {
        const { reader, close } = await reading(config);
        const [poses, events, measures] = await Promise.all([
          reader.poses({ environment }),
          reader.events({ environment }),
          reader.measures({ environment }),
        ]);
        await close();
        return [...poses, ...events, ...measures].map(resultIdentity);
      },
    });
  },
  record: resultRecord,
  identity: resultIdentity,
});

async function reading(config: object) {
  const sink = await open(config);
  return { reader: sink.reader!, close: () => sink.close() };
}

describe('points that InfluxDB distinguishes', () => {
  test('a crowd in one frame, and frames of one microsecond, are all stored', async () => {
    const sink = await open(ownDatabase());
    const crowd = poseFrame(100, { people: 40 });
    const twins = Array.from({ length: 15 }, (_, index) => ({ ...poseFrame(101 + index), time: crowd.time }));
    await sink.write([...twins].reverse(), 1);
    await sink.write([crowd], 1);
    const found = await sink.reader!.poses({ environment });
    expect(found.map(({ frameId, persons }) => [frameId, persons.length])).toEqual(
      [crowd, ...twins].map(({ frameId, persons }) => [frameId, persons.length]),
    );
    expect(found[0]!.persons.map(({ track }) => track!.id)).toEqual(
      crowd.persons.map(({ track }) => track!.id),
    );
    await sink.close();
  });

  test('hours with people give as few series as minutes do', async () => {
    const config = ownDatabase();
    const sink = await open(config);
    const series = async () => {
      const answer = JSON.stringify(await influx.execute(`SHOW SERIES ON "${config.database}"`));
      return answer.match(/,environment=test-room/g)!.length;
    };
    const write = (from: number, to: number) =>
      sink.write(
        Array.from({ length: to - from }, (_, index) => from + index).flatMap((index) => {
          const frame = poseFrame(index * 100, { people: 3 });
          const persons = frame.persons.map((person, slot) => ({
            ...person,
            track: { ...person.track!, id: index * 3 + slot },
          }));
          const vital = measure(index, { name: 'breathing_rate_bpm', subject: String(index) });
          return [{ ...frame, persons }, sensedEvent(index, { person: index }), vital];
        }),
        1,
      );
    expect(await write(0, 100)).toEqual([]);
    const before = await series();
    expect(await write(100, 600)).toEqual([]);
    expect(await series()).toBe(before);
    expect(await sink.reader!.measures({ environment, subject: '577' })).toHaveLength(1);
    await sink.close();
  });

  test('the server rejects a field of another type, and only its record fails', async () => {
    const config = ownDatabase();
    const sink = await open(config);
    await fetch(`${influx.url}/write?db=${config.database}&precision=n&u=admin&p=${INFLUX_USERS.admin}`, {
      method: 'POST',
      body: 'motion,environment=test-room,name=motion value="text" 1700000000000000000',
    });
    const failures = await sink.write([poseFrame(0), measure(0), poseFrame(1)], 1);
    expect(failures).toEqual([
      {
        record: measure(0),
        code: 'influxdb.refused',
        reason: expect.stringContaining('field type conflict') as string,
        retriable: false,
      },
    ]);
    expect(await sink.reader!.countPoses({ environment })).toBe(2);
    await sink.close();
  });
});

describe('credentials', () => {
  test.each([
    ['a wrong password', { username: 'writer', password: 'canary-91d2' }, "rejects user 'writer' (401)"],
    ['an unknown user', { username: 'nobody', password: 'canary-91d2' }, "rejects user 'nobody' (401)"],
    ['no user', { username: null, password: null }, 'an anonymous user (401)'],
    [
      'a token, which version 1 does not know',
      { username: null, password: null, token: 'canary-91d2' },
      '(401)',
    ],
  ])('with %s the start ends with a plain error that shows no secret', async (_, credentials, message) => {
    const start = make({ url: influx.url, database: 'csi', ...credentials }).open();
    await expect(start).rejects.toMatchObject({ code: 'influxdb.credentials' });
    await expect(start).rejects.toThrow(message);
    await expect(start).rejects.not.toThrow('canary-91d2');
  });

  test('a read-only user is reported at the first write, with a fix', async () => {
    const sink = await open({
      url: influx.url,
      database: 'csi',
      username: 'reader',
      password: INFLUX_USERS.reader,
    });
    const write = sink.write([measure(0)], 1);
    await expect(write).rejects.toMatchObject({ code: 'influxdb.credentials' });
    await expect(write).rejects.toThrow('grant rights on csi');
    await sink.close();
  });

  test('a user who may not create the database gets the statements to run', async () => {
    const start = make({
      url: influx.url,
      database: 'not-there',
      username: 'writer',
      password: INFLUX_USERS.writer,
    }).open();
    await expect(start).rejects.toThrow('CREATE DATABASE "not-there"');
  });

  test('a user with rights on its database alone can write and read', async () => {
    const { writer } = INFLUX_USERS;
    const sink = await open({ url: influx.url, database: 'csi', username: 'writer', password: writer });
    expect(await sink.write([poseFrame(0)], 1)).toEqual([]);
    expect(await sink.reader!.latestPose(environment)).toEqual(poseFrame(0));
    await sink.close();
  });

  test('a change of retention that needs an administrator names the statement to run', async () => {
    const { writer } = INFLUX_USERS;
    const config = { url: influx.url, database: 'csi', username: 'writer', password: writer };
    await expect(make({ ...config, retention_days: 30 }).open()).rejects.toThrow(
      'run: ALTER RETENTION POLICY "autogen" ON "csi" DURATION 43200m REPLICATION 1 SHARD DURATION 24h',
    );
  });
});

describe('retention', () => {
  const policies = async (database: string) => {
    const answer = (await influx.execute(`SHOW RETENTION POLICIES ON "${database}"`)) as {
      readonly results: readonly { readonly series: readonly { readonly values: readonly string[][] }[] }[];
    };
    return Object.fromEntries(
      answer.results[0]!.series[0]!.values.map(([name, duration, shard]) => [name!, `${duration} ${shard}`]),
    );
  };

  test('without it no policy is changed', async () => {
    const config = ownDatabase();
    await (await open(config)).close();
    expect(await policies(config.database)).toEqual({ autogen: '0s 168h0m0s' });
  });

  test('it is the duration of the policy, even after a change', async () => {
    const config = ownDatabase();
    await (await open({ ...config, retention_days: 90 })).close();
    expect(await policies(config.database)).toEqual({ autogen: '2160h0m0s 24h0m0s' });
    await (await open({ ...config, retention_days: 1.5 })).close();
    expect(await policies(config.database)).toEqual({ autogen: '36h0m0s 1h0m0s' });
  });

  test('a separate policy is created, written to and read', async () => {
    const config = { ...ownDatabase(), retention_policy: 'rooms' };
    const sink = await open(config);
    await sink.write([poseFrame(0), measure(0), sensedEvent(0)], 1);
    expect(await policies(config.database)).toMatchObject({ rooms: '0s 168h0m0s' });
    const { database } = config;
    const found = await influx.execute(`SELECT count(frame_id) FROM "${database}"."rooms"."pose"`);
    expect(JSON.stringify(found)).toContain('"pose"');
    expect(await sink.reader!.poses({ environment })).toEqual([poseFrame(0)]);
    expect(await sink.reader!.measures({ environment })).toHaveLength(1);
    expect(await sink.reader!.events({ environment })).toHaveLength(1);
    await sink.close();
  });

  test('InfluxDB rejects points older than it, which does not affect the rest', async () => {
    const sink = await open({ ...ownDatabase(), retention_days: 90 });
    const now = Date.now() * 1_000;
    const [old, fresh] = [measure(0), { ...measure(0), time: now }];
    const failures = await sink.write([fresh, old], 1);
    expect(failures.map(({ record, reason }) => [record, reason.includes('retention policy')])).toEqual([
      [old, true],
    ]);
    expect(await sink.reader!.measures({ environment })).toEqual([fresh]);
    const recording = Array.from({ length: 512 }, (_, index) => measure(index));
    expect(await sink.write(recording, 1)).toHaveLength(512);
    await sink.close();
  });

  test('means are computed over the interval, and kept as long as everything', async () => {
    const config = {
      ...ownDatabase(),
      full_rate_days: 7,
      retention_days: 90,
      means_interval_s: 2,
    };
    const sink = await open(config);
    expect(await policies(config.database)).toEqual({
      autogen: '168h0m0s 24h0m0s',
      csiflow_means: '2160h0m0s 24h0m0s',
    });
    const begin = Math.floor(Date.now() / 2_000) * 2_000_000 - 20_000_000;
    await sink.write(
      Array.from({ length: 20 }, (_, index) => [
        measure(0, { time: begin + index * 500_000, value: index }),
        { ...poseFrame(index, { people: index % 2 }), time: begin + index * 500_000 },
      ]).flat(),
      1,
    );
    const { database } = config;
    const means = async (columns: string, measurement: string) => {
      const found = await influx.execute(
        `SELECT ${columns} FROM "${database}"."csiflow_means"."${measurement}"`,
      );
      const [result] = (found as { results: { series?: { values: unknown[][] }[] }[] }).results;
      return result?.series?.[0]?.values.map((row) => row.slice(1)) ?? [];
    };
    await expect
      .poll(() => means('value, value_min, value_max, value_count', 'motion'), {
        timeout: 15_000,
        interval: 200,
      })
      .toEqual([
        [1.5, 0, 3, 4],
        [5.5, 4, 7, 4],
        [9.5, 8, 11, 4],
        [13.5, 12, 15, 4],
        [17.5, 16, 19, 4],
      ]);
    await expect
      .poll(() => means('person_count, person_count_max', 'occupancy'), { timeout: 15_000, interval: 200 })
      .toEqual(Array(5).fill([0.5, 1]));
    await sink.close();
    // Repeating it changes nothing; another interval replaces the queries.
    await (await open(config)).close();
    await (await open({ ...config, means_interval_s: 60 })).close();
    expect(JSON.stringify(await influx.execute('SHOW CONTINUOUS QUERIES'))).toContain('time(1m)');
  });
});
