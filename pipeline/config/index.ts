export * from './codes.js';
export * from './load.js';
export * from './problem.js';
export * from './topology.js';
