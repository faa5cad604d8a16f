import { createRequire } from 'node:module';
import type { GroupState } from 'kafkajs';
import { crc32c } from './crc32c.js';
import { hideAborted, type AbortedTransaction, type FetchedRecord } from './aborted.js';

/** A protocol of a group as an assigner passes it to kafkajs; with an instance id, its member is static. */
export interface StaticProtocol extends GroupState {
  readonly groupInstanceId?: string | undefined;
}

interface FetchResponse {
  readonly responses: readonly {
    readonly partitions: readonly {
      readonly messages: readonly FetchedRecord[];
      abortedTransactions?: readonly AbortedTransaction[];
    }[];
  }[];
}

type Request = Readonly<Record<string, unknown>>;

/** The connection to a broker within kafkajs, as far as it is patched here. */
interface Broker {
  fetch: (this: Broker, request: Request) => Promise<FetchResponse>;
  joinGroup: (this: Broker, request: Request) => Promise<{ readonly memberId: string }>;
  heartbeat: (this: Broker, request: Request) => Promise<unknown>;
  syncGroup: (this: Broker, request: Request) => Promise<unknown>;
  leaveGroup: (this: Broker, request: Request) => Promise<unknown>;
  lookupRequest(key: unknown, versions: unknown): (payload: Request) => unknown;
}

const CORRECTED = Symbol.for('csiflow.kafkajs.corrected');

/**
 * Adds two things that kafkajs 2.2.4 lacks, for all clients of this process:
 *
 * - Readers receive records of overlapping aborted transactions (its `filterAbortedMessages`): see {@link
 *   hideAborted}.
 * - Group members cannot be static (KIP-345), although its requests have the field. A static member that
 *   restarts takes over its former membership immediately, instead of waiting until the session of the dead
 *   one expires.
 *
 * kafkajs has no public API for either. Its version is pinned, and tests with a real broker cover both.
 */
export function correctKafkajs(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/broker/index.js') as {
    readonly prototype: Broker & { [CORRECTED]?: true };
  };
  if (prototype[CORRECTED]) return;
  prototype[CORRECTED] = true;
  correctFetch(prototype);
  addInstanceIds(prototype);
}

/** What kafkajs writes requests into, as far as it is patched here. */
interface Encoder {
  buf: Buffer;
  readonly offset: number;
  ensureAvailable(this: Encoder, length: number): void;
}

/** From this size on, a buffer fits what is written if that is most of it, and is not doubled. */
const LARGE_BYTES = 64 * 2 ** 10;
/** What kafkajs writes behind a large value. */
const REST_BYTES = 256;

/**
 * Makes requests with large values cheaper, for all clients that load kafkajs later: its checksum takes one byte at a
 * time, and it copies a value eight times, each time into a cleared buffer of up to twice the size.
 */
export function speedUpKafkajs(): void {
  const require = createRequire(import.meta.url);
  const checksum = 'kafkajs/src/protocol/recordBatch/crc32C/index.js';
  require(checksum);
  require.cache[require.resolve(checksum)]!.exports = crc32c;
  const { prototype, nextPowerOfTwo } = require('kafkajs/src/protocol/encoder.js') as {
    readonly prototype: Encoder;
    readonly nextPowerOfTwo: (value: number) => number;
  };
  prototype.ensureAvailable = function (length) {
    const needed = this.offset + length;
    if (needed <= this.buf.length) return;
    // Many large values, each of which grew the buffer by itself, would all be copied for each of them.
    const isMost = length > Math.max(LARGE_BYTES, this.offset);
    const size = isMost ? needed + REST_BYTES : nextPowerOfTwo(needed);
    const grown = Buffer.allocUnsafeSlow(size);
    this.buf.copy(grown, 0, 0, this.offset);
    this.buf = grown;
  };
}

function correctFetch(broker: Broker): void {
  const fetch = broker.fetch;
  broker.fetch = async function (request) {
    const response = await fetch.call(this, request);
    for (const partition of response.responses.flatMap(({ partitions }) => partitions)) {
      hideAborted(partition.messages, partition.abortedTransactions ?? []);
      partition.abortedTransactions = [];
    }
    return response;
  };
}

function addInstanceIds(broker: Broker): void {
  /** Instance ids by the id that the coordinator assigned to a member. */
  const instances = new Map<unknown, string>();
  const { joinGroup, leaveGroup } = broker;
  broker.joinGroup = async function (request) {
    const [protocol] = request['groupProtocols'] as readonly StaticProtocol[];
    const instance = protocol?.groupInstanceId;
    if (instance === undefined) return joinGroup.call(this, request);
    const joined = await joinGroup.call(withInstance(this, instance), request);
    instances.delete(request['memberId']);
    instances.set(joined.memberId, instance);
    return joined;
  };
  // With the instance id in each request, the broker rejects a member that another process has replaced.
  for (const name of ['heartbeat', 'syncGroup'] as const) {
    const ask = broker[name];
    broker[name] = function (request) {
      const instance = instances.get(request['memberId']);
      return ask.call(instance === undefined ? this : withInstance(this, instance), request);
    };
  }
  broker.leaveGroup = function (request) {
    instances.delete(request['memberId']);
    return leaveGroup.call(this, request);
  };
}

/** The broker, with an instance id in its requests. */
const withInstance = (broker: Broker, groupInstanceId: string): Broker =>
  Object.create(broker, {
    lookupRequest: {
      value: (key: unknown, versions: unknown) => {
        const request = broker.lookupRequest(key, versions);
        return (payload: Request) => request({ ...payload, groupInstanceId });
      },
    },
  }) as Broker;
