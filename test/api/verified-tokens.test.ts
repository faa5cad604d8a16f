import { expect, test } from 'vitest';
import { VerifiedTokens } from '../../api/service/accounts/verified-tokens.js';

const NOW = { now: 1_000, tolerance: 30 };
const KEY = 'key of today';
const verified = (payload: object = { exp: 2_000 }) => ({ header: { alg: 'HS256' }, payload, key: KEY });
const sameKey = () => Promise.resolve(KEY);

/** A cache with one token. */
function cacheWith(payload?: object): VerifiedTokens {
  const tokens = new VerifiedTokens();
  tokens.add('a', verified(payload));
  return tokens;
}

test('the content of a cached token is returned, and of no other', async () => {
  const tokens = cacheWith();
  expect(await tokens.payloadOf('a', sameKey, NOW)).toEqual({ exp: 2_000 });
  expect(await tokens.payloadOf('b', sameKey, NOW)).toBeUndefined();
});

test.each([
  { what: 'has just expired, within the tolerance', payload: { exp: 971 }, valid: true },
  { what: 'has expired', payload: { exp: 970 }, valid: false },
  { what: 'never expires', payload: {}, valid: false },
  { what: 'will be valid within the tolerance', payload: { exp: 2_000, nbf: 1_030 }, valid: true },
  { what: 'is not valid yet', payload: { exp: 2_000, nbf: 1_031 }, valid: false },
])('of a cached token that $what, the cache says so: $valid', async ({ payload, valid }) => {
  expect(await cacheWith(payload).payloadOf('a', sameKey, NOW)).toEqual(valid ? payload : undefined);
});

test.each([
  { what: 'revoked', key: null },
  { what: 'replaced', key: 'key of tomorrow' },
])('a token whose key was $what is forgotten, even if the key returns', async ({ key }) => {
  const tokens = cacheWith();
  expect(await tokens.payloadOf('a', () => Promise.resolve(key), NOW)).toBeUndefined();
  expect(await tokens.payloadOf('a', sameKey, NOW)).toBeUndefined();
});

test('of more than a thousand tokens, the oldest are forgotten first', async () => {
  const tokens = new VerifiedTokens();
  for (let number = 0; number <= 1_000; number++) tokens.add(`token ${number}`, verified());
  expect(await tokens.payloadOf('token 0', sameKey, NOW)).toBeUndefined();
  expect(await tokens.payloadOf('token 1', sameKey, NOW)).toBeDefined();
  expect(await tokens.payloadOf('token 1000', sameKey, NOW)).toBeDefined();
});
