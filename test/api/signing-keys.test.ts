import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SigningKeys } from '../../api/service/accounts/signing-keys.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-keys-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('are marked as secrets, so that no check of a token parses them as a public key', () => {
  const { id, key } = new SigningKeys(folder).newest;
  expect(key.type).toBe('secret');
  expect(new SigningKeys(folder).find(id)!.equals(key)).toBe(true);
});

test('a replaced key still verifies the tokens it signed, until they expire', () => {
  const keys = new SigningKeys(folder);
  const first = keys.newest;
  keys.rotate(1_000_000, 60);
  expect(keys.newest.id).not.toBe(first.id);
  expect(keys.find(first.id)!.equals(first.key)).toBe(true);
  keys.rotate(1_000_000 + 61_000, 60);
  expect(keys.find(first.id)).toBeNull();
});
