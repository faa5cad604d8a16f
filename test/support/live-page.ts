import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { TestService } from '../api/support.js';
import { openBrowser } from './chromium.js';

/** Opens a view of the live page, and logs in. @param query of the address: `?view=topology` */
export async function logIn(page: Page, { server }: TestService, user: string, query = ''): Promise<void> {
  await page.goto(`${server.address}/${query}`);
  await page.fill('input[name=username]', user);
  await page.fill('input[name=password]', 'pw');
  await page.click('#login button[type=submit]');
}

/** What a test of the live page works with. */
export interface LivePage {
  readonly service: TestService;
  readonly page: Page;
}

/**
 * Gives each test of a `describe` its own service and page, in one browser, and closes them after it.
 *
 * @param open the service, and what else is to close after it
 * @param given called before each test
 */
export function eachLivePage(
  open: () => Promise<{ readonly service: TestService; readonly close?: () => unknown }>,
  given: (opened: LivePage) => void,
  options: BrowserContextOptions = {},
): void {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    const { service, close } = await open();
    const page = await browser.newPage(options);
    given({ service, page });
    return async () => {
      await page.close();
      await service.close();
      await close?.();
    };
  });
}
