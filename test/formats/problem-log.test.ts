import { expect, test } from 'vitest';
import { ProblemLog } from '../../pipeline/formats/index.js';

/** What the log says of a file with `count` problems of one cause, at bytes 0, 10, 20... */
function said(count: number): readonly string[] {
  const lines: string[] = [];
  const log = new ProblemLog((message) => lines.push(message));
  for (let index = 0; index < count; index++)
    log.see({ code: 'acme.truncated', location: `byte ${10 * index}`, message: 'the record is truncated' });
  log.end();
  return lines;
}

test('a single problem is reported without a sum', () => {
  expect(said(1)).toEqual(['byte 0: the record is truncated']);
});

test('a second problem of the same cause is one more', () => {
  expect(said(2)[1]).toBe('byte 10: one more problem of this kind (acme.truncated)');
});

test('further problems of the same cause are counted, with the location of the last', () => {
  expect(said(4)[1]).toBe('byte 30: the last of 3 more problems of this kind (acme.truncated)');
});
