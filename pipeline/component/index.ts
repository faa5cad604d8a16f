export * from './context.js';
export * from './define.js';
export * from './live.js';
export * from './partitions.js';
export * from './raw.js';
export * from './reader.js';
export * from './registry.js';
export * from './schema.js';
