import { expect, test } from 'vitest';
import { createLogger } from '../../pipeline/telemetry/log.js';

interface Line {
  readonly msg: string;
  readonly reason?: string;
}

function linesOf(work: (log: ReturnType<typeof createLogger>) => void): readonly Line[] {
  const lines: Line[] = [];
  work(createLogger({ destination: { write: (line) => lines.push(JSON.parse(line) as Line) } }));
  return lines;
}

test('a repeated warning is logged once, and each of its causes once', () => {
  const lines = linesOf((log) => {
    for (let line = 1; line <= 5; line++) {
      const fields = (code: string, why: string) => ({ code, reason: `a.log: line ${line}: ${why}` });
      log.warn('records failed', fields('decode.value', 'its rssi is not a whole number'));
      log.warn('records failed', fields('decode.value', 'its mac is not an address'));
      log.warn('records failed', fields('decode.truncated', 'it has no end'));
      log.warn('the disk is full');
    }
  });
  expect(lines.map(({ msg, reason }) => reason ?? msg)).toEqual([
    'a.log: line 1: its rssi is not a whole number',
    'a.log: line 1: its mac is not an address',
    'a.log: line 1: it has no end',
    'the disk is full',
  ]);
});

test('any number of causes gives a bounded number of lines', () => {
  const word = (i: number) => String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26));
  const lines = linesOf((log) => {
    for (let i = 0; i < 500; i++) log.warn('records failed', { code: 'decode.json', reason: word(i) });
  });
  expect(lines).toHaveLength(17);
});
