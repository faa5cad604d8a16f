export * from './kafka-partitions.js';
