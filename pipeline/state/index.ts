export * from './checkpoints.js';
export * from './dead-letters.js';
export * from './journal.js';
export * from './outbox.js';
export * from './partition-state.js';
export * from './sent-alerts.js';
export * from './shard-state.js';
export { StateStore } from './store.js';
