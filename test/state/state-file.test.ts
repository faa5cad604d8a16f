import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StateFile } from '../../pipeline/state/index.js';

const Users = Type.Object({
  version: Type.Integer(),
  users: Type.Array(Type.Object({ name: Type.String(), hash: Type.String(), admin: Type.Boolean() })),
});
const content = { version: 1, users: [{ name: 'olga', hash: '$argon2id$v=19$x', admin: false }] };

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-file-'));
  path = join(folder, 'users.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const opened = () =>
  new StateFile(path, {
    schema: Users,
    layout: 1,
    initial: { version: 1, users: [] },
    remedy: 'restore it from a backup',
  });
const stored = () => JSON.parse(readFileSync(path, 'utf8')) as object;

test('each flipped bit of a file is named, or makes no difference', () => {
  opened().write(content);
  const whole = readFileSync(path);
  for (let bit = 0; bit < whole.length * 8; bit += 3) {
    const damaged = Buffer.from(whole);
    damaged[bit >> 3]! ^= 1 << (bit & 7);
    writeFileSync(path, damaged);
    let said: unknown;
    try {
      said = opened().content;
    } catch (error) {
      expect(error).toMatchObject({
        code: expect.stringMatching(/^state\.(corrupt|newer|older)$/) as string,
      });
      expect((error as Error).message).toContain(path);
      continue;
    }
    expect(said, `bit ${bit}`).toEqual(content);
  }
});

test('accepts a file of an earlier csiflow, and adds its checksum at once', () => {
  writeFileSync(path, JSON.stringify(content));
  expect(opened().content).toEqual(content);
  expect(stored()).toEqual({ ...content, checksum: expect.stringMatching(/^[0-9a-f]{8}$/) as string });
  expect(opened().content).toEqual(content);
});

test('a file edited by hand is reported with how to do that', () => {
  opened().write(content);
  writeFileSync(path, readFileSync(path, 'utf8').replace('olga', 'igor'));
  expect(opened).toThrow(
    `${path} is damaged (its checksum does not match; to edit the file by hand, remove that line): restore it from a backup`,
  );
});

test('a change damaged by another process is not accepted', () => {
  const file = opened();
  file.write(content);
  writeFileSync(path, readFileSync(path, 'utf8').replace('olga', 'igor'));
  expect(() => file.content).toThrow('its checksum does not match');
});

test('a folder in place of a file is named', () => {
  mkdirSync(path);
  expect(opened).toThrow(`${path} is damaged (it is a folder): restore it from a backup`);
});

test.skipIf(!existsSync('/dev/full'))('a full disk is reported with the file that cannot be written', () => {
  const file = opened();
  const part = `${path}.${process.pid}.part`;
  symlinkSync('/dev/full', part);
  const named = `${part}: ENOSPC: no space left on device`;
  expect(() => {
    file.write(content);
  }).toThrow(expect.objectContaining({ code: 'ENOSPC', message: expect.stringContaining(named) as string }));
});

test('what another process wrote is seen in the next turn of the event loop, and at once under the lock', async () => {
  const file = opened();
  file.write(content);
  expect(file.recent).toEqual(content);
  const changed = { version: 1, users: [] };
  opened().write(changed);
  expect(file.recent).toEqual(content);
  expect(file.exclusively(() => file.recent)).toEqual(changed);
  opened().write(content);
  await new Promise(setImmediate);
  expect(file.recent).toEqual(content);
});
