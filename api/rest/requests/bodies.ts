import bodyParser from '@koa/bodyparser';
import type { Middleware } from 'koa';
import { ApiError } from '../../service/errors.js';

/**
 * Reads the text of a body, of so many bytes at most, and what it holds; one that is empty is undefined.
 * @throws ApiError 413 where it is too large, 400 where it cannot be read, and what `parse` throws
 */
export function readJson(limit: number, parse: (text: string) => unknown): readonly Middleware[] {
  const read = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: limit,
    onError: (error) => {
      if ('status' in error && error.status === 413)
        throw new ApiError('PAYLOAD_TOO_LARGE', `A body may have ${limit / 1024} KiB at most here`);
      throw new ApiError('BAD_REQUEST', `The body cannot be read: ${error.message}`);
    },
  });
  return [
    read,
    async (context, next) => {
      const text: unknown = context.request.body;
      context.request.body = typeof text === 'string' && text !== '' ? await parse(text) : undefined;
      await next();
    },
  ];
}
