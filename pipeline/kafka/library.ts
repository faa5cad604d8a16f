import { correctKafkajs } from './corrections.js';

/** kafkajs, corrected, loaded when it is needed. It is CommonJS: what it exports is its default. */
export async function loadKafka() {
  // Its default partitioner is Kafka's own since version 2; it says so at each start unless told not to.
  process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';
  const { default: kafkajs } = await import('kafkajs');
  correctKafkajs();
  return kafkajs;
}
