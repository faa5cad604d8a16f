export { registerCodecs } from './codecs.js';
export * from './client.js';
export * from './connection.js';
export type { StaticProtocol } from './corrections.js';
export * from './lag.js';
export * from './library.js';
export * from './offsets.js';
export * from './problem.js';
export * from './topics.js';
