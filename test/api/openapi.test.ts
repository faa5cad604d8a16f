import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../api/rest/endpoints.js';
import { API_DOCUMENTS } from '../../api/rest/documents.js';
import { openService, type TestService } from './support.js';

test.each(Object.keys(API_DOCUMENTS))('%s is valid by its specification', async (name) => {
  const config = await createConfig({ extends: ['spec'] });
  const problems = await lintFromString({ source: JSON.stringify(API_DOCUMENTS[name]!()), config });
  const errors = problems.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
});

test('the types of the client are up to date', async () => {
  await promisify(execFile)('node', ['client.config.mjs', '--check']);
}, 60_000);

interface Versioned {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly headers: Readonly<Record<string, object>> }>>;
}

describe.each(['openapi-a', 'openapi-b'])('%s', (name) => {
  const document = API_DOCUMENTS[name]!();

  test('has every operation once, under a unique name', () => {
    const paths = document['paths'] as Record<string, Record<string, { operationId: string }>>;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(operations).toHaveLength(ENDPOINTS.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(ENDPOINTS.length);
  });

  test('documents where versions are requested and returned', () => {
    const paths = document['paths'] as Record<string, Record<string, Versioned>>;
    const versioned = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { parameters }]) =>
          parameters?.some((one) => one.name === 'If-Match' && one.in === 'header'),
        )
        .map(([method, { responses }]) => `${method} ${path} ${'412' in responses}`),
    );
    expect(versioned).toEqual(['put /config true', 'post /config/undo true']);
    const { responses } = paths['/config']!['get']!;
    expect([responses['200']!.headers['ETag'], '412' in responses]).toEqual([expect.anything(), false]);
  });

  test('marks fields with a default as optional', () => {
    const paths = document['paths'] as Record<
      string,
      Record<string, { parameters: { name: string; required: boolean }[] }>
    >;
    const { parameters } = paths['/analytics/events']!['get']!;
    expect(parameters.find((parameter) => parameter.name === 'page')?.required).toBe(false);
  });
});

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: object; readonly example?: object } };
  };
}

describe.each(['openapi-a', 'openapi-b'])('%s', (name) => {
  const paths = API_DOCUMENTS[name]!()['paths'] as Record<string, Record<string, Described>>;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
  );

  test('describes every parameter', () => {
    const silent = operations.flatMap((operation) =>
      (operation.parameters ?? [])
        .filter(({ description }) => description === undefined)
        .map((parameter) => `${operation.name} ${parameter.name}`),
    );
    expect(silent).toEqual([]);
  });

  test('shows examples that match its schemas', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv, ['date-time']);
    const shown = operations.flatMap(({ name: operation, requestBody }) => {
      const { schema, example } = requestBody?.content['application/json'] ?? {};
      return example && schema
        ? [{ operation, wrong: ajv.validate(schema, example) ? null : ajv.errors }]
        : [];
    });
    expect(shown.filter(({ wrong }) => wrong !== null)).toEqual([]);
    expect(shown.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(['post /auth/token', 'post /pose/query', 'post /pose/process', 'put /config']),
    );
  });
});

describe('the addresses of the documents', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  interface Described {
    readonly info: { readonly title: string; readonly description: string };
    readonly servers: readonly [{ readonly url: string }];
  }
  const document = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(service.server.address + path, { headers });
    expect(response.status).toBe(200);
    return (await response.json()) as Described;
  };

  test('/openapi.json is the configured form, and links both', async () => {
    const { info, servers } = await document('/openapi.json');
    const { address } = service.server;
    expect(info.title).toContain('Form B');
    expect(servers).toEqual([{ url: `${address}/form-b/api/v1` }]);
    const links = [...info.description.matchAll(/\((http[^)]+)\)/g)].map(([, url]) => url!);
    expect(links).toEqual([`${address}/openapi-a.json`, `${address}/openapi-b.json`]);
    const titles = await Promise.all(
      links.map(async (url) => (await document(url.slice(address.length))).info.title),
    );
    expect(titles.map((title) => title.slice(0, 15))).toEqual(['csiflow, Form A', 'csiflow, Form B']);
  });

  test("a server has the caller's address, even behind a proxy that terminates TLS", async () => {
    const { port } = new URL(service.server.address);
    const asked = request(`${service.server.address}/openapi-a.json`, {
      headers: { Host: `localhost:${port}`, 'X-Forwarded-Proto': 'https' },
    }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const { servers } = JSON.parse((await response.toArray()).join('')) as Described;
    expect(servers).toEqual([{ url: `https://localhost:${port}/form-a/api/v1` }]);
  });
});
