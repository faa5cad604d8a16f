import { readFileSync } from 'node:fs';
import type { Context, Middleware } from 'koa';
import { packageFile } from '../../pipeline/base/paths.js';

const FILES = {
  '/docs/': [packageFile('dist/api/web/page/api-docs.html'), 'text/html; charset=utf-8'],
  '/docs/api-docs.js': [packageFile('dist/api/web/page/api-docs.js'), 'text/javascript; charset=utf-8'],
  '/docs/swagger-ui-bundle.js': [
    packageFile('dist/api/web/page/swagger-ui-bundle.js'),
    'text/javascript; charset=utf-8',
  ],
  '/docs/swagger-ui-standalone-preset.js': [
    packageFile('dist/api/web/page/swagger-ui-standalone-preset.js'),
    'text/javascript; charset=utf-8',
  ],
  '/docs/swagger-ui.css': [packageFile('dist/api/web/page/swagger-ui.css'), 'text/css; charset=utf-8'],
} as const;

/** Documents by file name, for a service at an address. */
export type Documents = Readonly<
  Record<string, (origin: { readonly secure: boolean; readonly host: string }) => object>
>;

/**
 * The API documentation under `/docs/`, and its documents, at the root and beside the page. They require no
 * credential, because they contain no data.
 * @param first the document at `/openapi.json`
 */
export function serveApiDocs(documents: Documents, first: string): Middleware {
  const bytesOf = documentBytes(documents);
  return async (context, next) => {
    if (context.method !== 'GET' && context.method !== 'HEAD') {
      await next();
      return;
    }
    if (context.path === '/docs') {
      context.redirect('/docs/');
      return;
    }
    const asked = /^(?:\/docs)?\/([\w-]+)\.json$/.exec(context.path)?.[1];
    const name = asked === 'openapi' ? first : asked;
    if (name !== undefined && Object.hasOwn(documents, name)) {
      context.type = 'application/json';
      context.body = bytesOf(name, isSecure(context), context.host);
      return;
    }
    const file = Object.hasOwn(FILES, context.path) ? FILES[context.path as keyof typeof FILES] : undefined;
    if (!file) {
      await next();
      return;
    }
    // The page sets styles in the markup of its icons.
    context.set(
      'Content-Security-Policy',
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    );
    context.type = file[1];
    context.body = contentOf(file[0]);
  };
}

/** Cached documents by host: a service has few names, but a caller can use any address. */
const MAX_CACHED = 16;

/**
 * Each document is created once, which takes milliseconds, and the host is inserted. All callers share the
 * same bytes: a client that reads nothing holds no separate copy.
 */
function documentBytes(documents: Documents): (name: string, secure: boolean, host: string) => Buffer {
  const anyHost = 'host.invalid';
  const texts = new Map<string, readonly string[]>();
  const cached = new Map<string, Buffer>();
  return (name, secure, host) => {
    const key = `${name} ${secure}`;
    const parts =
      texts.get(key) ?? JSON.stringify(documents[name]!({ secure, host: anyHost })).split(anyHost);
    texts.set(key, parts);
    const bytes = cached.get(`${key} ${host}`) ?? Buffer.from(parts.join(host));
    cached.set(`${key} ${host}`, bytes);
    if (cached.size > MAX_CACHED) cached.delete(cached.keys().next().value!);
    return bytes;
  };
}

const contents = new Map<string, Buffer>();

/** Read once, for the same reason. */
function contentOf(file: string): Buffer {
  const content = contents.get(file) ?? readFileSync(file);
  contents.set(file, content);
  return content;
}

/**
 * Also behind a proxy that ends TLS. A caller who forges the header misleads nobody else, because answers are
 * not cached.
 */
const isSecure = (context: Context): boolean =>
  context.secure || context.get('X-Forwarded-Proto').split(',', 1)[0]!.trim() === 'https';
