import { correctKafkajs, speedUpKafkajs } from './corrections.js';

/** kafkajs with corrections, loaded on demand. It is CommonJS: its exports are the default. */
export async function loadKafka() {
  // Its default partitioner is Kafka's own since version 2; it logs that at each start unless disabled.
  process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';
  speedUpKafkajs();
  const { default: kafkajs } = await import('kafkajs');
  correctKafkajs();
  return kafkajs;
}
