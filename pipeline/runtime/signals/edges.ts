import type { CheckedNode, Edge } from '../../config/topology/topology.js';
import type { Data } from '../../model/index.js';
import type { Signal } from './signal.js';

/** Marks pass every edge, and so do records of a node that is switched off: it names no route. */
export const passes = ({ ports, routes }: Edge, signal: Signal): boolean =>
  signal.kind !== 'data' ||
  (ports.includes(signal.data.port) &&
    (!routes || signal.route === undefined || routes.includes(signal.route)));

/** The input of a node that takes such records. */
export const inputFor = (node: CheckedNode, data: Data): Edge | undefined =>
  node.inputs.find(({ ports }) => ports.includes(data.port));
