import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addSource, openService, type TestService } from './support.js';

let service: TestService;
beforeEach(async () => {
  service = await openService();
  addSource(service.main);
});
afterEach(() => service.close());

/** The raw bytes: `fetch` would decompress them. */
async function ask(path: string, encodings: string | null) {
  const asked = request(service.server.address + path, {
    headers: {
      Authorization: `Bearer ${service.token('admin')}`,
      ...(encodings !== null && { 'Accept-Encoding': encodings }),
    },
  }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const body = Buffer.concat((await response.toArray()) as Buffer[]);
  return { encoding: response.headers['content-encoding'], vary: response.headers['vary'], body };
}

const LARGE = '/form-b/api/v1/config/schema';

test('a large answer is compressed as the client accepts, with the same content', async () => {
  const plain = await ask(LARGE, null);
  const gzip = await ask(LARGE, 'gzip');
  const brotli = await ask(LARGE, 'br');
  expect([plain.encoding, gzip.encoding, brotli.encoding]).toEqual([undefined, 'gzip', 'br']);
  const dataOf = (body: Buffer) => (JSON.parse(body.toString()) as { data: object }).data;
  expect(dataOf(gunzipSync(gzip.body))).toEqual(dataOf(plain.body));
  expect(dataOf(brotliDecompressSync(brotli.body))).toEqual(dataOf(plain.body));
  expect(gzip.body.length).toBeLessThan(plain.body.length / 2);
  expect(plain.vary).toContain('Accept-Encoding');
});

test('a large error answer is compressed too', async () => {
  const unknown = Array.from({ length: 20 }, (_, index) => `${'x'.repeat(100)}${index}=1`).join('&');
  expect((await ask(`/form-a/api/v1/pose/history?${unknown}`, 'gzip')).encoding).toBe('gzip');
});

test('a short answer is not compressed', async () => {
  expect((await ask('/form-b/api/v1/health', 'gzip')).encoding).toBeUndefined();
});

test('an answer about credentials is never compressed: its length would reveal secrets', async () => {
  for (let index = 0; index < 10; index++)
    await service.post(
      '/form-b/api/v1/auth/api-keys',
      { name: `key-${index}`, role: 'viewer' },
      service.token('admin'),
    );
  const keys = await ask('/form-b/api/v1/auth/api-keys', 'gzip');
  expect(keys.body.length).toBeGreaterThan(1024);
  expect(keys.encoding).toBeUndefined();
});
