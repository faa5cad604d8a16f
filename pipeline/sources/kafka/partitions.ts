import type { Context, Member, Partitions, RawBatch } from '../../component/index.js';
import { RawBuilder } from '../../formats/index.js';
import { KafkaPartitions, type Batches } from '../../kafka/partitions/index.js';
import { MAX_RECORDS, originOf, readMessage } from './messages.js';
import type { KafkaSettings } from './settings.js';

/** Frames of a batch: the pump takes one at a time. */
const BATCH = 64;

/** The partitions of the source's topic, for a topology that several processes run. */
export function kafkaPartitions(config: KafkaSettings, context: Context, member: Member): Partitions {
  const [topic, ...more] = config.topics;
  if (topic === undefined || more.length > 0)
    throw new Error(
      `with \`settings.scale_out\` the source reads one topic, not ${config.topics.join(', ')}`,
    );
  return new KafkaPartitions(
    {
      connection: config,
      ...{ topic, member },
      group: config.group ?? `csiflow-${context.topology}`,
      start: config.start,
      sessionTimeoutMs: config.session_timeout_ms,
      maxLag: config.max_lag,
      batches: batchesOf(config, topic, context),
    },
    context,
  );
}

/** Messages of a partition as batches of one origin each; what cannot be read is counted. */
function batchesOf(config: KafkaSettings, topic: string, context: Context): Batches {
  const builders = new Map<RawBatch['origin'], RawBuilder>();
  return function* (messages, before, partition) {
    let newest = before;
    for (let next = 0; next < messages.length;) {
      const origin = originOf(messages[next]!, config.origin);
      let builder = builders.get(origin);
      if (!builder) builders.set(origin, (builder = new RawBuilder(BATCH + MAX_RECORDS, origin)));
      builder.startFrom(newest);
      do readMessage(messages[next++]!, config, builder, context, { topic, partition });
      while (
        builder.count < BATCH &&
        next < messages.length &&
        originOf(messages[next]!, config.origin) === origin
      );
      newest = builder.newest;
      const offset = String(BigInt(messages[next - 1]!.offset) + 1n);
      yield { raw: builder.take('message'), position: { offset, newest } };
    }
  };
}
