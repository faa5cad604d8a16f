export type { Batches, PartitionPosition } from './kafka-partition.js';
export * from './kafka-partitions.js';
