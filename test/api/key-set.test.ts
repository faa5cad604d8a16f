import type jwksRsa from 'jwks-rsa';
import { expect, test } from 'vitest';
import { KeySet } from '../../api/service/accounts/key-set.js';

const keyOf = (kid: string) => ({ kid, getPublicKey: () => `PEM of ${kid}` }) as jwksRsa.SigningKey;

function setUp() {
  const world = {
    now: 0,
    asked: 0,
    published: ['k1'] as string[] | null,
    answers: Promise.resolve(),
    warned: 0,
  };
  const keys = new KeySet({
    elapsed: () => world.now,
    log: { warn: () => world.warned++ },
    fetch: async () => {
      world.asked++;
      await world.answers;
      if (!world.published) throw new Error('connect ECONNREFUSED');
      return world.published.map(keyOf);
    },
  });
  return { world, keys };
}

test('keys are read once, and again after ten minutes: then a withdrawn one is rejected', async () => {
  const { world, keys } = setUp();
  expect(await Promise.all([keys.get('k1'), keys.get('k1'), keys.get(undefined)])).toEqual(
    Array(3).fill('PEM of k1'),
  );
  world.published = ['k2'];
  world.now = 600_000;
  expect(await keys.get('k1')).toBe('PEM of k1');
  expect(world.asked).toBe(1);
  world.now = 600_001;
  expect(await keys.get('k1')).toBe('PEM of k1');
  expect(world.asked).toBe(2);
  expect(await keys.get('k2')).toBe('PEM of k2');
  await expect(keys.get('k1')).rejects.toThrow('no such key');
});

test('finds a new key at once', async () => {
  const { world, keys } = setUp();
  await keys.get('k1');
  world.published = ['k2', 'k1'];
  world.now = 10_000;
  expect(await keys.get('k2')).toBe('PEM of k2');
  await expect(keys.get(undefined)).rejects.toThrow('no such key');
});

test('a provider that hangs delays no caller with a known key', async () => {
  const { world, keys } = setUp();
  await keys.get('k1');
  world.answers = new Promise(() => undefined);
  for (world.now = 600_001; world.now < 660_000; world.now += 1_000)
    expect(await keys.get('k1')).toBe('PEM of k1');
  expect(world.asked).toBe(7);
});

test('keys stay valid for an hour while the provider is offline', async () => {
  const { world, keys } = setUp();
  await keys.get('k1');
  world.published = null;
  for (world.now = 0; world.now <= 3_600_000; world.now += 60_000)
    expect(await keys.get('k1')).toBe('PEM of k1');
  await expect(keys.get('k1')).rejects.toThrow('no such key');
  expect(world.warned).toBe(51);
  world.published = ['k1'];
  world.now += 10_000;
  expect(await keys.get('k1')).toBe('PEM of k1');
});

test('tokens with invented keys neither cause more requests nor keep others out', async () => {
  const { world, keys } = setUp();
  for (world.now = 0; world.now < 60_000; world.now += 100) {
    await expect(keys.get(`made up ${world.now}`)).rejects.toThrow('no such key');
    expect(await keys.get('k1')).toBe('PEM of k1');
  }
  expect(world.asked).toBe(6);
  expect(world.warned).toBe(0);
});
