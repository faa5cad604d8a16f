import { expect, test } from 'vitest';
import type { Outcome } from '../../pipeline/testing/outcome.js';
import { testText } from '../../pipeline/testing/report.js';

const outcome: Outcome = {
  records: new Map(),
  taken: new Map(),
  deadLetters: new Map(),
  outbox: new Map(),
  figures: new Map([['clean', { received: 849, sent: 0, failed: 0, dropped: { not_finite: 840, late: 9 } }]]),
  state: 'running',
  problem: null,
  hasBeen: new Set(),
  activities: new Map(),
  truth: new Map(),
  start: 0,
  inputMs: 1000,
  log: [],
};

test('the verbose table shows what a node dropped, by reason', () => {
  const result = {
    file: 'a.yaml',
    topology: 'a',
    name: 'walk',
    line: 1,
    column: 1,
    passed: true,
    seconds: 1,
  };
  expect(testText({ ...result, unmet: [], error: null, outcome }, true)).toContain(
    '       clean: 849 in, 0 out, 0 failed, 840 dropped (not_finite), 9 dropped (late)',
  );
});
