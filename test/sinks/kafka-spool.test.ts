import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Spool } from '../../sinks/kafka/spool.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csiflow-spool-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const message = (key: string) => ({ topic: 't', key, value: '{}', timestamp: 1 });

test('messages of an epoch are read back in order, even after a restart', async () => {
  const spool = new Spool(folder);
  await spool.open();
  await spool.append(7, [message('a'), message('b')]);
  await spool.append(8, [message('c')]);
  await spool.append(7, [message('d')]);
  await spool.close();
  const next = new Spool(folder);
  await next.open();
  expect(next.epochs).toEqual([7, 8]);
  expect((await next.read(7)).map(({ key }) => key)).toEqual(['a', 'b', 'd']);
  await next.remove(7);
  expect(next.epochs).toEqual([8]);
});

test('a partial append to a full disk is undone: the next one has each message once', async () => {
  const spool = new Spool(folder);
  await spool.open();
  await spool.append(7, [message('a')]);
  const any = await open(join(folder, 'any'), 'a');
  const handles = Object.getPrototypeOf(any) as typeof any;
  await any.close();
  vi.spyOn(handles, 'appendFile').mockImplementationOnce(async function (this: typeof any, text) {
    await this.write((text as string).slice(0, -5));
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  await expect(spool.append(7, [message('b'), message('c')])).rejects.toThrow('no space');
  await spool.append(7, [message('b'), message('c')]);
  expect((await spool.read(7)).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  await spool.close();
});

test('the spool is encrypted like the state, and rewritten when that changes', async () => {
  const key = Buffer.alloc(32, 3);
  const inClear = async () => (await readFile(join(folder, '7.ndjson'), 'utf8')).includes('planted');
  const spool = new Spool(folder);
  await spool.open();
  await spool.append(7, [message('planted')]);
  await spool.close();
  expect(await inClear()).toBe(true);

  const sealed = new Spool(folder, { key });
  await sealed.open();
  expect(await inClear()).toBe(false);
  await sealed.append(7, [message('planted too')]);
  expect(await inClear()).toBe(false);
  expect((await sealed.read(7)).map((one) => one.key)).toEqual(['planted', 'planted too']);
  await sealed.close();

  await expect(new Spool(folder).open()).rejects.toMatchObject({ code: 'state.encryption' });
  const clear = new Spool(folder, { key: null, formerKey: key });
  await clear.open();
  expect((await clear.read(7)).map((one) => one.key)).toEqual(['planted', 'planted too']);
  expect(await inClear()).toBe(true);
  await clear.close();
});

test('removes the partial rewrite of a killed start', async () => {
  const key = Buffer.alloc(32, 3);
  await writeFile(join(folder, '7.ndjson.part'), JSON.stringify(message('planted')));
  const spool = new Spool(folder, { key });
  await spool.open();
  expect(await readdir(folder)).toEqual([]);
  expect(spool.epochs).toEqual([]);
});

test('names a damaged line and its content', async () => {
  const spool = new Spool(folder);
  await spool.open();
  await spool.append(7, [message('a'), message('b')]);
  await spool.close();
  const path = join(folder, '7.ndjson');
  const text = await readFile(path, 'utf8');
  for (const damaged of [text.replace('"b"', '"x"'), text.replace('{"topic":"t","key":"b"', '{!')]) {
    await writeFile(path, damaged);
    await expect(new Spool(folder).open()).rejects.toMatchObject({
      code: 'store.damaged',
      message: expect.stringContaining(`${path}, line 2 is damaged. It contains results`) as string,
    });
  }
  // As written by an earlier csiflow.
  await writeFile(path, text.replaceAll(/\t[0-9a-f]+$/gm, ''));
  const next = new Spool(folder);
  await next.open();
  expect((await next.read(7)).map(({ key }) => key)).toEqual(['a', 'b']);
});
