/**
 * Kafka's clients as csiflow itself uses them: kafkajs, fixed to read transactions correctly (unpatched, it
 * returns records of overlapping aborted ones) and able to unpack GZIP, Snappy, LZ4 and ZSTD.
 */
import { loadKafka, registerCodecs } from '../pipeline/kafka/index.js';

export type * from 'kafkajs';
await registerCodecs();
const kafkajs = await loadKafka();
export const { Kafka, logLevel } = kafkajs;
