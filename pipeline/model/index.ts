export * from './csi.js';
export * from './domain.js';
export * from './environment.js';
export * from './plain.js';
export * from './ports.js';
export * from './records.js';
export * from './time-zone.js';
export * from './zone.js';
