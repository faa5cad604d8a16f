import { parseArgs } from 'node:util';
import { randomEnvironment } from '../accuracy/chain/rooms.js';

/**
 * Prints rooms of csiflow, their sizes and the places of their nodes, for scenes.py. What happens in them, and their
 * materials, are that program's.
 */

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20' },
    links: { type: 'string', default: '4' },
    /** No table of the report uses these seeds, and nothing was trained or tuned on them. */
    seed: { type: 'string', default: '914000' },
  },
});

const rooms = Array.from({ length: Number(values.count) }, (_, index) => {
  const seed = Number(values.seed) + index;
  return { seed, environment: randomEnvironment(seed, Number(values.links)) };
});

process.stdout.write(`${JSON.stringify(rooms)}\n`);
