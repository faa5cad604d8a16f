import type { Context, Middleware, Next } from 'koa';

/**
 * One middleware that runs several, each inside the one before. Koa and its router check and wrap theirs at each call;
 * these are composed once. Unlike with Koa, calling `next` twice runs the rest twice.
 */
export const chain = (middlewares: readonly Middleware[]): Middleware =>
  middlewares.reduceRight<Middleware>(
    (rest, middleware) => (context, next) =>
      middleware(context, () => begin(rest, context, next)) as Promise<unknown>,
    (_, next) => next(),
  );

/** What a middleware throws before it returns a promise rejects, as with Koa. */
function begin(middleware: Middleware, context: Context, next: Next): Promise<unknown> {
  try {
    return middleware(context, next) as Promise<unknown>;
  } catch (error) {
    const why = error as Error;
    return Promise.reject(why);
  }
}
