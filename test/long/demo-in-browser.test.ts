import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canBrowse, openBrowser } from '../support/chromium.js';
import { Csiflow } from '../support/csiflow.js';

test.runIf(canBrowse)(
  'in a browser the demo shows a person, and the fall within the first minute',
  async () => {
    const data = await mkdtemp(join(tmpdir(), 'csiflow-demo-'));
    const demo = new Csiflow(['run', 'topologies/demo.yaml', '--port', '0'], { env: { CSIFLOW_DATA: data } });
    const browser = await openBrowser();
    try {
      const [, password] = await demo.printed(/admin \/ (\S+)/);
      const page = await browser.newPage();
      await page.goto((await demo.printed(/live page +(http:\/\/[\d.:]+)/))[1]!);
      await page.fill('input[name=password]', password!);
      await page.click('button[type=submit]');
      await expect.poll(() => page.textContent('#badge')).toBe('SIMULATED');
      await expect.poll(() => page.textContent('#people')).toMatch(/Person \d+, /);
      await expect
        .poll(() => page.textContent('#alerts'), { timeout: 70_000, interval: 500 })
        .toContain('fall detection');
    } finally {
      await browser.close();
      await demo.interrupt();
      await rm(data, { recursive: true });
    }
  },
  120_000,
);
