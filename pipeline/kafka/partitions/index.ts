export type { PartitionPosition } from './kafka-partition.js';
export * from './kafka-partitions.js';
