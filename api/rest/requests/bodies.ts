import bodyParser from '@koa/bodyparser';
import type { Middleware } from 'koa';
import { ApiError } from '../../service/errors.js';

/**
 * Reads the text of a body, up to a number of bytes, and parses it; an empty body is undefined.
 * @throws ApiError 413 if it is too large, 400 if it cannot be read, and errors of `parse`
 */
export function readJson(limit: number, parse: (text: string) => unknown): readonly Middleware[] {
  const read = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: limit,
    onError: (error) => {
      if ('status' in error && error.status === 413)
        throw new ApiError('PAYLOAD_TOO_LARGE', `The body of this call must not exceed ${limit / 1024} KiB`);
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
