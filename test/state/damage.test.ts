import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STATE_FILE, StateStore } from '../../pipeline/state/index.js';
import { checkMdb } from '../../pipeline/state/damage.js';
import { verify } from '../../pipeline/state/verify.js';
import { temporaryFolder } from '../support/flow.js';
import { runs } from '../support/runs.js';

/** `CSIFLOW_DAMAGES=100000 npx vitest run test/state/damage.test.ts` tries more. */
const FLIPS = Number(process.env['CSIFLOW_DAMAGES'] ?? runs(150));
const CUTS = Math.ceil(FLIPS / 5);
/** Each writes and reads a file. */
const timeout = 20_000 + FLIPS * 200;

let whole: Buffer;
let file: string;

/** A state after some time of use: with values of all sizes, and free pages. */
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-damage-'));
  const store = new StateStore(folder, 'ward');
  const [journal, checkpoint, outbox] = ['journal:udp', 'checkpoint', 'outbox:history'].map((name) =>
    store.table(name),
  ) as [ReturnType<StateStore['table']>, ReturnType<StateStore['table']>, ReturnType<StateStore['table']>];
  for (let round = 0; round < 30; round++)
    await store.transaction(() => {
      for (let index = 0; index < 20; index++) {
        const number = round * 20 + index;
        void journal.put(number, Buffer.alloc((number * 769) % (index % 5 ? 600 : 20_000), number));
        void outbox.put(number, Buffer.alloc((number * 31) % 500, number));
        if (number % 3 > 0 && number > 100) void journal.remove(number - 100);
      }
      void checkpoint.put('head', Buffer.alloc(30, round));
      for (let node = 0; node < 4; node++)
        void checkpoint.put(`node:${node}`, Buffer.alloc((round * 977) % 9_000, node));
    });
  await store.close();
  file = join(folder, STATE_FILE);
  whole = readFileSync(file);
});
afterAll(() => {
  rmSync(dirname(file), { recursive: true });
});

/** All content of the store, in order. */
function content(): Buffer {
  const parts: Buffer[] = [];
  const steps = verify(file, (table, key, value) =>
    parts.push(Buffer.from(table), Buffer.from(key), Buffer.from(value)),
  );
  while (!steps.next().done);
  return Buffer.concat(parts);
}

/** The outcome of opening a damaged file: the damage is reported, or makes no difference. */
function outcome(bytes: Buffer, expected: Buffer): string {
  writeFileSync(file, bytes);
  try {
    checkMdb(file);
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    return code === 'state.corrupt' && message.includes(file) && message.includes('restore')
      ? 'reported'
      : String(error);
  }
  return content().equals(expected) ? 'no difference' : 'another content';
}

/** Deterministic numbers (Numerical Recipes' generator). */
function numbers(): (below: number) => number {
  let seed = 1;
  return (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}

test('a flipped bit is reported, or makes no difference', { timeout }, () => {
  writeFileSync(file, whole);
  const expected = content();
  const random = numbers();
  const seen = new Set<string>();
  for (let flip = 0; flip < FLIPS; flip++) {
    const bytes = Buffer.from(whole);
    // Every fourth flip is in the headers, which are two pages of hundreds.
    const at = random(flip % 4 === 0 ? 2 * whole.readUInt32LE(48) : bytes.length);
    bytes[at]! ^= 1 << random(8);
    seen.add(outcome(bytes, expected));
  }
  expect([...seen].sort()).toEqual(['no difference', 'reported']);
});

test('reports a truncated file, wherever the cut is', { timeout }, () => {
  writeFileSync(file, whole);
  const expected = content();
  const random = numbers();
  const seen = new Set<string>();
  for (let cut = 0; cut < CUTS; cut++) seen.add(outcome(whole.subarray(0, random(whole.length)), expected));
  seen.delete('no difference');
  expect([...seen]).toEqual(['reported']);
});

test('damage during a run is reported when it is read', async () => {
  const folder = temporaryFolder();
  const store = new StateStore(folder, 'ward');
  await store.transaction(() => {
    void store.table('outbox:history').put(1, Buffer.from('what is to be delivered'));
  });
  const path = join(folder, STATE_FILE);
  const bytes = readFileSync(path);
  bytes.write('what is to be forgotten', bytes.lastIndexOf('what is to be delivered'));
  writeFileSync(path, bytes, { flag: 'r+' });
  expect(() => store.table('outbox:history').get(1)).toThrow(
    /state.mdb is damaged: a value of the table outbox:history/,
  );
  await store.close();
});
