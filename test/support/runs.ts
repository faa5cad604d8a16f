/** Runs of a property in `npm test`, which find what more of them do; `npm run test:long` does five times as many. */
export const runs = (quick: number): number => (process.env['CSIFLOW_LONG'] ? 5 * quick : quick);
