import type { Context, Middleware } from 'koa';
import { expect, test } from 'vitest';
import { chain } from '../../api/rest/serving/chain.js';

const context = {} as Context;
const end = () => Promise.resolve('the end');

/** Notes when it begins and ends. */
const noting =
  (name: string, notes: string[]): Middleware =>
  async (_, next) => {
    notes.push(`${name} begins`);
    await next();
    notes.push(`${name} ends`);
  };

test('each middleware runs inside the one before, and the last one before what follows', async () => {
  const notes: string[] = [];
  await chain([noting('outer', notes), noting('inner', notes)])(context, () => {
    notes.push('the call');
    return Promise.resolve();
  });
  expect(notes).toEqual(['outer begins', 'inner begins', 'the call', 'inner ends', 'outer ends']);
});

test('without middlewares, what follows runs', async () => {
  expect(await chain([])(context, end)).toBe('the end');
});

test('an error thrown before a promise rejects the promise of `next`', async () => {
  const caught: unknown[] = [];
  const catching: Middleware = (_, next) => next().catch((error: unknown) => caught.push(error));
  const failing: Middleware = () => {
    throw new Error('refused');
  };
  await chain([catching, failing])(context, end);
  expect(caught).toMatchObject([{ message: 'refused' }]);
});
