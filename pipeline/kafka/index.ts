export * from './client.js';
export * from './connection.js';
export * from './library.js';
export * from './offsets.js';
export * from './problem.js';
