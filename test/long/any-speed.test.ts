import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { numberOf, recording, runAtSpeed, storedRows, writtenFiles } from '../e2e/recording.js';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'csiflow-speeds-'));
});
afterEach(() => rm(data, { recursive: true }));

test.runIf(recording)(
  'results of two ESP32 nodes from a file are the same at any speed',
  async () => {
    const [fast, paced] = await Promise.all([runAtSpeed(data, 0), runAtSpeed(data, 100)]);
    expect(await storedRows(paced)).toBe(await storedRows(fast));
    const written = await writtenFiles(fast);
    expect(Object.keys(written).length).toBeGreaterThanOrEqual(14);
    expect(await writtenFiles(paced)).toEqual(written);
    expect(await numberOf(fast, 'select count(*) from poses')).toBeGreaterThan(580);
  },
  90_000,
);
