export * from './ids.js';
export * from './settings.js';
export * from './trace.js';
