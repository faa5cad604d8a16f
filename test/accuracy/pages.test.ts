import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { trackingPage, type TrackingReport } from '../../bench/accuracy/tracking-report.js';
import { reportText, unknownAgain, type ChainReport } from '../../bench/accuracy/chain/tables/report.js';
import { packageFile } from '../../pipeline/base/paths.js';

const text = (name: string): string => readFileSync(packageFile(`docs/reports/${name}`), 'utf8');
const figures = (name: string): unknown => JSON.parse(text(name), unknownAgain);

test('report pages match what their commands write for the figures', () => {
  expect(text('tracking.md')).toBe(trackingPage(figures('tracking.json') as TrackingReport));
  expect(text('accuracy.md')).toBe(reportText(figures('accuracy.json') as ChainReport));
});
