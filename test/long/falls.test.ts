import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WEIGHTS_FILE } from '../../operators/detect-falls/networks/weights.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { csiflow } from '../support/csiflow.js';
import { sharedFile } from '../support/shared.js';

const esp32 = sharedFile('captures/esp32-serial') && sharedFile('labelled/esp32-continuous');
const data = sharedFile('.')!;

test.runIf(esp32)(
  'csiflow train falls reproduces the shipped weights, to the byte',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'csiflow-weights-'));
    const out = join(folder, 'falls.json');
    const { code, output } = await csiflow('train', 'falls', '--data', data, '--out', out);
    expect(code, output).toBe(0);
    expect(await readFile(out, 'utf8')).toBe(await readFile(packageFile(WEIGHTS_FILE), 'utf8'));
    await rm(folder, { recursive: true });
  },
  120_000,
);
