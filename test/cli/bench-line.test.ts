import { expect, it } from 'vitest';
import { NAMES } from '../../api/cli/commands/bench/line.js';
import { MEASUREMENTS } from '../../bench/line.js';
import { measureLine } from '../../bench/measure-line.js';
import { performancePage } from '../../bench/performance-page.js';

const options = { quick: true, memorySeconds: 1, progress: () => undefined };

it('offers every measurement', () => {
  expect(NAMES).toEqual(Object.keys(MEASUREMENTS));
});

it('lists the measurements if one is unknown', async () => {
  await expect(measureLine('chains', options)).rejects.toThrow(/no measurement 'chains'.*\n.*chain: decode/);
});

it('writes results as a table, with the missed ones marked', () => {
  const result = { what: 'journal', target: '2/s', reached: '1/s', control: '1.0', met: false, figures: {} };
  expect(performancePage([result])).toContain('| journal | 2/s | 1/s (missed) | 1.0 |');
});
