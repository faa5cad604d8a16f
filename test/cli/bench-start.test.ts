import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startOnce } from '../../bench/speed/system/start.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-checkout-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Another version of csiflow, which knows its own demo only. */
const OTHER_VERSION = `
const { createServer } = require('node:http');
const { join } = require('node:path');
const [, , command, demo, , port] = process.argv;
if (command !== 'run' || demo !== join(__dirname, '../../../topologies/demo.yaml')) process.exit(3);
const answers = { '/readyz': '', '/form-b/api/v1/auth/token': '{"data":{"access_token":"t"}}' };
createServer((request, response) => response.end(answers[request.url] ?? '{}')).listen(port, '127.0.0.1');
console.log('admin / secret');
`;

test('each version starts its own demo', async () => {
  mkdirSync(join(folder, 'dist/api/cli'), { recursive: true });
  writeFileSync(join(folder, 'dist/api/cli/csiflow.js'), OTHER_VERSION);
  const { ready, pose } = await startOnce(folder);
  expect(ready).toBeGreaterThan(0);
  expect(pose).toBeGreaterThanOrEqual(ready);
});
