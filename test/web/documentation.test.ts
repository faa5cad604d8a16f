import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { canBrowse, openBrowser } from '../support/chromium.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// As a reader opens it: from a disk, without any server.
describe.runIf(canBrowse)('the documentation in Chromium', () => {
  let browser: Browser;
  let folder: string;
  let site: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'csiflow-'));
    execFileSync(process.execPath, [packageFile('dist/docs/site/build.js'), folder]);
    site = pathToFileURL(folder).href;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  const open = async (page: Page, name: string): Promise<readonly string[]> => {
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) problems.push(`asks ${request.url()}`);
    });
    await page.goto(`${site}/${name}`);
    return problems;
  };

  test('the search is used by the keyboard, and leads to the section', async () => {
    const page = await browser.newPage();
    const problems = await open(page, 'components/sinks/duckdb.html');
    await page.keyboard.press('/');
    await page.keyboard.type('back up');
    await expect.poll(() => page.textContent('#results [aria-selected=true] strong')).toBe('Back up');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(/operating\.html#back-up/);
    await page.fill('#search', 'zzzyx');
    await expect.poll(() => page.textContent('#found')).toBe('Nothing found');
    await page.press('#search', 'Escape');
    expect(await page.isVisible('#results')).toBe(false);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a choice of light or dark holds on the next page', async () => {
    const page = await browser.newPage({ colorScheme: 'light' });
    await open(page, 'index.html');
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.click('#theme');
    const dark = await ground();
    expect(dark).not.toBe(light);
    await Promise.all([page.waitForEvent('load'), page.click('main a')]);
    expect(await ground()).toBe(dark);
    await page.close();
  });

  // One page each: axe takes seconds for a long one.
  test.each(
    ['index.html', 'influxdb.html', 'project/README.html', 'components/operators/window.html'].flatMap(
      (name) => (['light', 'dark'] as const).map((colorScheme) => [name, colorScheme] as const),
    ),
  )('%s has no serious finding of axe in %s colours', async (name, colorScheme) => {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 800 } });
    expect(await open(page, name)).toEqual([]);
    await page.evaluate(axe);
    const { violations } = await page.evaluate<{
      violations: { id: string; impact: string; nodes: { html: string }[] }[];
    }>('axe.run()');
    expect(
      violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`),
    ).toEqual([]);
    await page.close();
  });

  test.each(['index.html', 'influxdb.html', 'errors.html', 'project/topologies/demo.yaml.html'])(
    '%s fits on a phone',
    async (name) => {
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
      await open(page, name);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
      expect(await page.isVisible('#menu a')).toBe(false);
      await page.click('#menu summary');
      expect(await page.isVisible('#menu a')).toBe(true);
      await page.close();
    },
  );
});
