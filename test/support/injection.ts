import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reader } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { addSource, openService, UNLIMITED, type TestService } from '../api/support.js';
import { callWith, named, OPERATIONS } from './endpoints.js';
import { fallEvent, FIRST_TIME, person, poseFrame } from './fake-topology.js';

/** A store to fill and to read. */
export interface OpenStore {
  readonly reader: Reader;
  /** The records are readable when it resolves. */
  put(records: readonly Data[]): Promise<void>;
  close(): Promise<void>;
}

/** Texts that end a string in SQL or InfluxQL, and continue. */
const TEXTS = [
  `x' OR '1'='1`,
  `x'; DROP TABLE poses; --`,
  `x'; DROP MEASUREMENT pose; --`,
  `"; DROP SERIES FROM /.*/; --`,
  `x' UNION ALL SELECT * FROM persons --`,
  `\\' OR 1=1 --`,
  `=~ /.*/`,
  `x\n'; DELETE FROM events; --`,
];

/** Numbers and words in data that nobody requests. */
const CANARIES = ['987654', 'canary'];
const OTHER = 'secret-room';
const OURS = 'test-room';

/** Texts that would be database statements remain texts, wherever the service interface accepts one. */
export function injectionConformance(name: string, makeStore: () => Promise<OpenStore>): void {
  let service: TestService;
  let store: OpenStore;
  beforeAll(async () => {
    store = await makeStore();
    await store.put([
      poseFrame(0),
      fallEvent(),
      {
        ...poseFrame(987654, [person(987654, 1, 1)]),
        environment: OTHER,
        time: FIRST_TIME,
        windowEnd: FIRST_TIME,
      },
      fallEvent({ id: `${OTHER}/canary`, environment: OTHER, metadata: { canary: true } }),
    ]);
    service = await openService(UNLIMITED);
    addSource(service.main);
    Object.assign(service.main, { reader: store.reader });
    service.main.readers.set('history', store.reader);
  });
  afterAll(async () => {
    await service.close();
    await store.close();
  });

  const kept = async () => [
    await store.reader.countPoses({ environment: OURS }),
    await store.reader.countEvents({ environment: OURS }),
    await store.reader.countPoses({ environment: OTHER }),
    await store.reader.countEvents({ environment: OTHER }),
  ];

  test.each(named(OPERATIONS))(
    `${name}: statements in the texts of %s are texts`,
    async (_name, operation) => {
      const token = service.token('admin');
      for (const text of TEXTS) {
        service.main.state = 'running';
        const { path, body } = callWith(operation, text);
        const response = await fetch(service.server.address + path, {
          method: operation.endpoint.method,
          headers: {
            Authorization: `Bearer ${token}`,
            ...(body !== null && { 'Content-Type': 'application/json' }),
          },
          ...(body !== null && { body }),
        });
        const answer = await response.text();
        expect(`${response.status} ${answer}`).not.toMatch(/^5/);
        for (const canary of CANARIES) expect(answer).not.toContain(canary);
      }
      expect(await kept()).toEqual([1, 1, 1, 1]);
    },
  );
}
