import { expect, test } from 'vitest';
import { placeLabels, type Label } from '../../api/web/page/room/labels.js';

const label = (across: number, down: number, width = 60): Label => ({ at: [across, down], width, size: 14 });
const place = (wanted: readonly Label[], fixed: readonly Label[] = []) => placeLabels(wanted, fixed, 400);

test('a label stands above and to the right of its person', () => {
  expect(place([label(100, 100)])).toEqual([[114, 88]]);
});

test('a label keeps off the name of a zone, and off the labels of others', () => {
  // The name is where the label would be.
  expect(place([label(100, 100)], [label(120, 90)])).toEqual([[26, 88]]);
  expect(place([label(100, 100), label(100, 100)])).toEqual([
    [114, 88],
    [26, 88],
  ]);
});

test('a label stays on the canvas if there is space', () => {
  expect(place([label(380, 100)])).toEqual([[306, 88]]);
  // Left of it, a name is in the way.
  expect(place([label(380, 100)], [label(310, 90)])).toEqual([[306, 126]]);
});

test('a label that has no space is where it would be alone', () => {
  expect(place([label(100, 100)], [label(0, 90, 400), label(0, 120, 400)])).toEqual([[114, 88]]);
});
