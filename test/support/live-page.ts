import type { Page } from 'playwright-core';
import type { TestService } from '../api/support.js';

/** Opens a view of the live page, and logs in. @param query of the address: `?view=topology` */
export async function logIn(page: Page, { server }: TestService, user: string, query = ''): Promise<void> {
  await page.goto(`${server.address}/${query}`);
  await page.fill('input[name=username]', user);
  await page.fill('input[name=password]', 'pw');
  await page.click('#login button[type=submit]');
}
