import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fallsPage, type FallsReport } from '../../bench/accuracy/falls-page.js';
import { trackingPage, type TrackingReport } from '../../bench/accuracy/tracking-report.js';
import { reportText, unknownAgain, type ChainReport } from '../../bench/accuracy/chain/report.js';
import { packageFile } from '../../pipeline/base/paths.js';

const text = (name: string): string => readFileSync(packageFile(`docs/reports/${name}`), 'utf8');
const figures = <Of>(name: string): Of => JSON.parse(text(name), unknownAgain) as Of;

test('pages of reports are those that their commands write of the figures', () => {
  expect(text('falls.md')).toBe(fallsPage(figures<FallsReport>('falls.json')));
  expect(text('tracking.md')).toBe(trackingPage(figures<TrackingReport>('tracking.json')));
  expect(text('accuracy.md')).toBe(reportText(figures<ChainReport>('accuracy.json')));
});
