import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sortTracks } from '../../bench/accuracy/sort.js';
import { readMot, scoreTracking, type Box } from '../../bench/accuracy/tracking.js';
import { sharedFile } from '../support/shared.js';

const folder = sharedFile('tracking/tud-campus');
const read = (name: string) => readMot(readFileSync(`${folder}/${name}`, 'utf8'));
const tenths = (share: number) => Math.round(share * 1000) / 10;

describe.skipIf(folder === undefined)('TUD-Campus, published figures', () => {
  it("of a tracker's output", () => {
    const { mota, idf1, switches } = scoreTracking(read('gt.txt'), read('test.txt'));
    expect({ mota: tenths(mota), idf1: tenths(idf1), switches }).toEqual({
      mota: 52.6,
      idf1: 55.8,
      switches: 7,
    });
  });

  it('of SORT on its detections', () => {
    const { mota, idf1, ...counts } = scoreTracking(read('gt.txt'), sortTracks(read('det.txt')));
    expect(counts).toEqual({ truths: 359, falsePositives: 15, misses: 113, switches: 6, fragmentations: 9 });
    expect([tenths(mota), tenths(idf1)]).toEqual([62.7, 60.6]);
  });
});

describe('scores', () => {
  const box = (id: number, x: number): Box => ({ id, x, y: 0, width: 10, height: 10 });

  it('of the truth itself are perfect', () => {
    const truth = [[box(1, 0), box(2, 50)], [box(1, 2)], [box(1, 4), box(2, 50)]];
    expect(scoreTracking(truth, truth)).toMatchObject({ mota: 1, idf1: 1, switches: 0 });
  });

  it('count a change of numbers once, and what was not found or not there', () => {
    const truth = [[box(1, 0)], [box(1, 0)], [box(1, 0)], [box(1, 0)]];
    const tracks = [[box(7, 0)], [], [box(8, 1), box(9, 80)], [box(8, 0)]];
    expect(scoreTracking(truth, tracks)).toEqual({
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
