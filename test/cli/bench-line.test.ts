import { expect, it } from 'vitest';
import { NAMES } from '../../api/cli/commands/bench/line.js';
import { MEASUREMENTS, memoryResult } from '../../bench/line.js';
import { measureLine } from '../../bench/measure-line.js';
import { performancePage } from '../../bench/performance-page.js';
import { csiflow } from '../support/csiflow.js';

const options = { quick: true, memorySeconds: 1, progress: () => undefined };

it('offers every measurement', () => {
  expect(NAMES).toEqual(Object.keys(MEASUREMENTS));
});

it('lists the measurements if one is unknown', async () => {
  await expect(measureLine('chains', options)).rejects.toThrow(/no measurement 'chains'.*\n.*chain: decode/);
});

const machine = { cores: 2, processor: null, memoryGb: 25, node: '20.0.0', platform: 'linux x64', load: 0.4 };
const journal = {
  ...{ what: 'journal', target: '2/s', reached: '1/s', control: '1.0', met: false, figures: {} },
  ...{ date: '2026-11-27', machine },
};
const journalRow = '| journal | 2/s | 1/s (missed) | 1.0 | 2026-11-27, load 0.4 |';

it('writes results as a table with their dates, and the missed ones marked', () => {
  const page = performancePage(null, [journal, { ...journal, what: 'udp', met: true }]);
  expect(page).toContain(
    `|---|---|---|---|---|\n${journalRow}\n| udp | 2/s | 1/s | 1.0 | 2026-11-27, load 0.4 |\n`,
  );
});

it('replaces the row of a measurement, and keeps the other rows and the notes', () => {
  const before = performancePage(null, [
    { ...journal, reached: '7/s', date: '2026-01-01' },
    { ...journal, what: 'udp' },
  ]);
  const page = `${before}\n- **UDP** needs a large buffer.\n`;
  expect(performancePage(page, [journal])).toBe(
    page.replace('| journal | 2/s | 7/s (missed) | 1.0 | 2026-01-01, load 0.4 |', journalRow),
  );
});

it('refuses to write results to a page without their table', () => {
  expect(() => performancePage('# Performance\n', [journal])).toThrow(
    /has no table that begins with `\| what/,
  );
});

it('prints results as JSON with the machine', async () => {
  const { out } = await csiflow('bench', 'line', '--only', 'journal', '--quick', '--json');
  expect(JSON.parse(out)).toMatchObject({
    machine: { cores: expect.any(Number) as number },
    quick: true,
    results: [
      {
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
        machine: { memoryGb: expect.any(Number) as number },
      },
    ],
  });
});

it.each([
  [60, 200, 9, 'slope not judged below ten minutes', true],
  [600, 200, 9, 'slope 0 within noise', false],
  [600, 200, 0.1, 'slope 0 within noise', true],
  [60, 251, 0, 'slope not judged below ten minutes', false],
])('memory over %i s of %i MB that rises by %f MB a minute: %s', (seconds, highest, slope, judged, met) => {
  const samples = [highest, highest, highest, highest];
  const figures = {
    samples,
    highest,
    settled: highest,
    slope,
    error: 0.1,
    usPerFrame: 90,
    sent: 1_000,
    lost: 0,
  };
  expect(memoryResult(figures, seconds)).toMatchObject({ target: `250 MB, ${judged}`, met });
});
