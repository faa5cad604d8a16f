import { createRequire } from 'node:module';
import type { GroupState } from 'kafkajs';
import { hideAborted, type AbortedTransaction, type FetchedRecord } from './aborted.js';

/** A protocol of a group as an assigner gives it to kafkajs; with an instance id its member is a static one. */
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

/** The connection to a broker within kafkajs, as far as it is corrected here. */
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
 * Two things that kafkajs 2.2.4 lacks, added where it talks to brokers, for all clients of this process:
 *
 * - Readers get what overlapping aborted transactions have left (its `filterAbortedMessages`): see {@link hideAborted}.
 * - No member of a group can be a static one (KIP-345), though its requests have the field: a process that is
 *   started again then takes its former place at once, instead of waiting for the session of the dead one to end.
 *
 * kafkajs has no public place for either. It is pinned, and tests with a real broker show that both work.
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
  /** By the id that the coordinator has given to a member. */
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
  // With the instance id in each request, one whose place another process has taken is refused.
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

/** The broker, but that its requests have an instance id. */
const withInstance = (broker: Broker, groupInstanceId: string): Broker =>
  Object.create(broker, {
    lookupRequest: {
      value: (key: unknown, versions: unknown) => {
        const request = broker.lookupRequest(key, versions);
        return (payload: Request) => request({ ...payload, groupInstanceId });
      },
    },
  }) as Broker;
