import { Registry } from '../pipeline/component/index.js';

/**
 * The components that topologies may name. Adding one is an import and a line here. This file and
 * api/main.ts are the only ones that know all of them.
 */
export const components = new Registry([
  // sources
  // operators
  // sinks
]);
