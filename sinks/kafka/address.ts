import type { Data, Failure } from '../../pipeline/model/index.js';
import { failure, toMessage } from './message.js';
import { topicOf, type KafkaSinkSettings } from './settings.js';
import { sizeOf, type Addressed } from './topics.js';

/**
 * Converts records to messages with their topics, and separates those that cannot be sent. @param largest
 * limit of the brokers for a message, bytes
 */
export function address(
  records: readonly Data[],
  { topic, cloudevents }: Pick<KafkaSinkSettings, 'topic' | 'cloudevents'>,
  topology: string,
  largest: number,
): { readonly messages: ReadonlyMap<Addressed, Data>; readonly failures: readonly Failure[] } {
  const messages = new Map<Addressed, Data>();
  const failures: Failure[] = [];
  for (const record of records) {
    const message = toMessage(record, cloudevents, topology);
    if ('code' in message) failures.push(message);
    else if (sizeOf(message) > largest) failures.push(tooLarge(record, sizeOf(message), largest));
    else {
      const { port, ...rest } = message;
      messages.set({ topic: topicOf(topic, port), ...rest }, record);
    }
  }
  return { messages, failures };
}

const tooLarge = (record: Data, bytes: number, largest: number): Failure =>
  failure(
    record,
    'kafka.record.too_large',
    `it takes ${bytes} bytes, the topic accepts ${largest}: raise its \`max.message.bytes\``,
  );
