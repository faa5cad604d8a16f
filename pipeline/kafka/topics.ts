import type { Admin, ITopicMetadata } from 'kafkajs';

const MISSING = 'UNKNOWN_TOPIC_OR_PARTITION';

/** Topics that do not exist, by name; kafkajs only reports that there is one. */
export class MissingTopicsError extends Error {
  readonly type = MISSING;

  constructor(topics: readonly string[]) {
    const names = topics.map((topic) => `\`${topic}\``).join(', ');
    super(
      topics.length === 1
        ? `there is no topic ${names}: create it first`
        : `there are no topics ${names}: create them first`,
    );
    this.name = 'MissingTopicsError';
  }
}

/** What brokers report about topics. @throws MissingTopicsError */
export async function requireTopics(
  admin: Pick<Admin, 'fetchTopicMetadata'>,
  topics: readonly string[],
): Promise<readonly ITopicMetadata[]> {
  try {
    return (await admin.fetchTopicMetadata({ topics: [...topics] })).topics;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const missing: string[] = [];
  const found: ITopicMetadata[] = [];
  for (const topic of topics) {
    try {
      found.push(...(await admin.fetchTopicMetadata({ topics: [topic] })).topics);
    } catch (error) {
      if (!isMissing(error)) throw error;
      missing.push(topic);
    }
  }
  if (missing.length > 0) throw new MissingTopicsError(missing);
  return found;
}

/** Whether the broker does not know a topic. */
export const isMissing = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if ('type' in error && error.type === MISSING) return true;
  return 'cause' in error && isMissing(error.cause);
};
