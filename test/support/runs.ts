/**
 * Number of runs of a property in `npm test`, which finds most of what more runs do; `npm run test:long` does
 * five times as many.
 */
export const runs = (quick: number): number => (process.env['CSIFLOW_LONG'] ? 5 * quick : quick);
