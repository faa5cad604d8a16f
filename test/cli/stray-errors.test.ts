import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Csiflow } from '../support/csiflow.js';
import { temporaryFolder } from '../support/flow.js';
import { motionTopology, RUN_TO_END } from '../support/motion-run.js';

const sink = (stray: string) => `export default {
  kind: 'sink', name: 'stray', summary: 'Fails later.', examples: [],
  config: { type: 'object', properties: {}, additionalProperties: false },
  inputs: ['measure'], recovery: 'at-least-once',
  create: () => ({
    async open() {}, async write() { ${stray}; return []; }, async flush() {}, async close() {},
  }),
};`;

test.each([
  ['a timer', "setTimeout(() => { throw new Error('too late') })"],
  ['a promise that nothing awaits', "void Promise.reject(new Error('too late'))"],
])('an error of a plugin in %s ends the run with 1 and one line that says so', async (_, stray) => {
  const folder = temporaryFolder();
  const plugin = join(folder, 'stray.mjs');
  writeFileSync(plugin, sink(stray));
  const file = motionTopology(folder, { sinks: '  out: { type: stray, from: motion }' });
  const run = new Csiflow([...RUN_TO_END, file, '--plugin', plugin]);
  expect(await run.ended()).toBe(1);
  expect(JSON.parse(run.output)).toMatchObject({
    level: 'error',
    msg: expect.stringMatching(/^an error outside of all calls of csiflow ends the process/) as string,
    error: expect.stringMatching(/^Error: too late\n +at .*stray\.mjs/) as string,
  });
});
