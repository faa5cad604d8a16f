import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { Csiflow } from '../support/csiflow.js';

// Minutes of frames through every topology and its networks.
test('the shipped topologies pass their tests', { timeout: 600_000 }, async () => {
  const run = new Csiflow(['test', packageFile('topologies')]);
  expect(await run.ended(), run.output).toBe(0);
  expect(run.output).toContain('a fall is reported within fifteen seconds, once');
  const shipped = readdirSync(packageFile('topologies')).filter((name) => /^[^.]+\.yaml$/.test(name));
  for (const name of shipped) expect(run.output, `no test of ${name}`).toContain(`topologies/${name}: `);
});
