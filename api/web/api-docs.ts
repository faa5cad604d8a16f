import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Middleware } from 'koa';
import { packageFile } from '../../pipeline/telemetry/paths.js';

const READER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const FILES = {
  '/docs/': [packageFile('api/web/page/api-docs.html'), 'text/html; charset=utf-8'],
  '/docs/api-docs.js': [packageFile('api/web/page/api-docs.js'), 'text/javascript; charset=utf-8'],
  '/docs/swagger-ui-bundle.js': [join(READER, 'swagger-ui-bundle.js'), 'text/javascript; charset=utf-8'],
  '/docs/swagger-ui-standalone-preset.js': [
    join(READER, 'swagger-ui-standalone-preset.js'),
    'text/javascript; charset=utf-8',
  ],
  '/docs/swagger-ui.css': [join(READER, 'swagger-ui.css'), 'text/css; charset=utf-8'],
} as const;

/** The reader page of the API under `/docs/`, and the documents that it shows: open, as they hold no data. */
export function serveApiDocs(documents: Readonly<Record<string, () => object>>): Middleware {
  const texts = new Map<string, string>();
  const textOf = (name: string, make: () => object): string => {
    const text = texts.get(name) ?? JSON.stringify(make());
    texts.set(name, text);
    return text;
  };
  return async (context, next) => {
    if (context.method !== 'GET' && context.method !== 'HEAD') {
      await next();
      return;
    }
    if (context.path === '/docs') {
      context.redirect('/docs/');
      return;
    }
    const name = /^\/docs\/([\w-]+)\.json$/.exec(context.path)?.[1];
    const make = name !== undefined && Object.hasOwn(documents, name) ? documents[name] : undefined;
    if (make) {
      context.type = 'application/json';
      context.body = textOf(name!, make);
      return;
    }
    const file = Object.hasOwn(FILES, context.path) ? FILES[context.path as keyof typeof FILES] : undefined;
    if (!file) {
      await next();
      return;
    }
    // The reader sets styles in the markup of its icons.
    context.set(
      'Content-Security-Policy',
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    );
    context.type = file[1];
    context.body = readFileSync(file[0]);
  };
}
