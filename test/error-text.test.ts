import { expect, test } from 'vitest';
import { causeText } from '../pipeline/base/error-text.js';

test.each([
  [
    new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') }),
    'connect ECONNREFUSED 127.0.0.1:1',
  ],
  [
    new TypeError('fetch failed', { cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }) }),
    'ECONNREFUSED',
  ],
  [new AggregateError([]), 'AggregateError'],
  [new Error('no such host', { cause: 'a text' }), 'no such host'],
  ['thrown text', 'thrown text'],
])('the cause of %s is described', (error, text) => {
  expect(causeText(error)).toBe(text);
});
