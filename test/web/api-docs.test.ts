import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openService, type TestService } from '../api/support.js';
import { canBrowse, openBrowser } from '../support/chromium.js';

describe.runIf(canBrowse)('the reader page in Chromium', () => {
  let browser: Browser;
  let service: TestService;
  beforeAll(async () => {
    browser = await openBrowser();
    service = await openService();
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  test('shows the operations, without contacting another host or breaking its own policy', async () => {
    const page = await browser.newPage();
    const [asked, errors]: [Set<string>, string[]] = [new Set(), []];
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) asked.add(new URL(request.url()).host);
    });
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`${service.server.address}/docs`);
    await page.waitForSelector('#operations-pose-getPoseLatest', { timeout: 15_000 });
    expect(await page.textContent('.title')).toContain('Form B');
    expect([...asked]).toEqual([new URL(service.server.address).host]);
    expect(errors).toEqual([]);
    await page.close();
  });
});
