import type { Admin, ICustomPartitioner } from 'kafkajs';
import { loadKafka } from '../library.js';
import { requireTopics } from '../topics.js';

export async function defaultPartitioner(): Promise<ICustomPartitioner> {
  const { Partitioners } = await loadKafka();
  return Partitioners.DefaultPartitioner;
}

/** Undefined if this user is not authorised to read it. */
export async function cleanupPolicy(admin: Admin, topic: string): Promise<string | undefined> {
  const { ConfigResourceTypes } = await loadKafka();
  const resource = { type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['cleanup.policy'] };
  try {
    const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [resource] });
    return resources[0]?.configEntries[0]?.configValue;
  } catch (error) {
    if (error instanceof Error && 'type' in error && /AUTHORIZATION/.test(String(error.type)))
      return undefined;
    throw error;
  }
}

export async function partitionCount(admin: Admin, topic: string): Promise<number> {
  const [found] = await requireTopics(admin, [topic]);
  return found!.partitions.length;
}
