export * from './checkpoints.js';
export * from './dead-letter.js';
export * from './dead-letters.js';
export * from './journal.js';
export * from './outbox.js';
export * from './partition-state.js';
export * from './sent-alerts.js';
export * from './shard-state.js';
export { lockFolder, RESTORING } from './lock.js';
export * from './look.js';
export { memberOf } from './member.js';
export * from './state-file.js';
export {
  derivedKey,
  KEY_FILE,
  knownSecret,
  NO_KEYS,
  privacySecret,
  secretOf,
  type StateKeys,
} from './keys.js';
export * from './settled-times.js';
export * from './shed-log.js';
export { openState } from './reseal.js';
export { Seal } from './seal.js';
export { BACKUPS, STATE_FILE, StateStore } from './store.js';
export * from './version.js';
