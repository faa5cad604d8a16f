/**
 * Kafka's clients as csiflow itself uses them: kafkajs, which reads transactions right here (by itself it shows
 * what overlapping aborted ones have left) and unpacks GZIP, Snappy, LZ4 and ZSTD.
 */
import { loadKafka, registerCodecs } from '../pipeline/kafka/index.js';

export type * from 'kafkajs';
await registerCodecs();
const kafkajs = await loadKafka();
export const { Kafka, logLevel } = kafkajs;
