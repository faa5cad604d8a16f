import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { missingSequence, PUBLISHED, trackSequence } from '../../bench/accuracy/published-sequence.js';
import { overlap, readMot, scoreTracking, type Box } from '../../bench/accuracy/tracking.js';
import { trackingPage } from '../../bench/accuracy/tracking-report.js';
import { sharedFile } from '../support/shared.js';

const folder = sharedFile('tracking/tud-campus');
const read = (name: string) => readMot(readFileSync(`${folder}/${name}`, 'utf8'));
const hundredths = (share: number) => Math.round(share * 10000) / 100;
const tenths = (share: number) => Math.round(share * 1000) / 10;

describe.skipIf(folder === undefined)('TUD-Campus, published figures', () => {
  it("of a tracker's output", () => {
    const { mota, idf1, hota, switches } = scoreTracking(read('gt.txt'), read('test.txt'), overlap);
    expect({ mota: tenths(mota), idf1: tenths(idf1), hota: hundredths(hota), switches }).toEqual({
      mota: 52.6,
      idf1: 55.8,
      hota: 39.14,
      switches: 7,
    });
  });

  it('of SORT on its detections: track-persons with `association: iou`', () => {
    const { truths, mota, idf1, hota, ...counts } = trackSequence(sharedFile('.')!);
    expect(truths).toBe(359);
    expect({ ...counts, mota: tenths(mota), idf1: tenths(idf1), hota: tenths(hota) }).toEqual(PUBLISHED);
  });
});

describe('scores', () => {
  const box = (id: number, x: number): Box => ({ id, x, y: 0, width: 10, height: 10 });

  it('of the truth itself are perfect', () => {
    const truth = [[box(1, 0), box(2, 50)], [box(1, 2)], [box(1, 4), box(2, 50)]];
    expect(scoreTracking(truth, truth, overlap)).toMatchObject({ mota: 1, idf1: 1, hota: 1, switches: 0 });
  });

  it('count a change of numbers once, and missing and false tracks', () => {
    const truth = [[box(1, 0)], [box(1, 0)], [box(1, 0)], [box(1, 0)]];
    const tracks = [[box(7, 0)], [], [box(8, 1), box(9, 80)], [box(8, 0)]];
    expect(scoreTracking(truth, tracks, overlap)).toMatchObject({
      truths: 4,
      falsePositives: 1,
      misses: 1,
      switches: 1,
      fragmentations: 1,
      mota: 1 - 3 / 4,
      idf1: 4 / 8,
    });
  });
});

describe('the page', () => {
  const row = { tracker: 'track-persons', people: 2, story: 'cross', metres: 1, fifths: [], count: 1 };
  const report = { seed: 1, scenes: 1, rows: [row as never] };
  const score = {
    ...{ truths: 359, falsePositives: 14, misses: 110, switches: 5, fragmentations: 8 },
    ...{ mota: 0.6407, idf1: 0.601, hota: 0.4521 },
  };

  it('has what was measured on the published sequence beside what is published', () => {
    const page = trackingPage({ ...report, sequence: score });
    expect(page).toContain('| `track-persons`, measured | 64.1 | 60.1 | 45.2 | 14 | 110 | 5 | 8 |');
    expect(page).toContain('| SORT, published | 62.7 | 60.6 | 45.3 | 15 | 113 | 6 | 9 |');
  });

  it('has no figures of the sequence if it was not measured', () => {
    const page = trackingPage({ ...report, sequence: null });
    expect(page).toContain(
      'Not measured in this report: pass a folder with `tracking/tud-campus` with `--data`.',
    );
    expect(page).not.toContain('62.7');
  });

  it('needs all files of the sequence', () => {
    expect(missingSequence('/nowhere')).toBe('/nowhere/tracking/tud-campus/gt.txt');
  });
});
