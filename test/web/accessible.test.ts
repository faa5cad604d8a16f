import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSource, openService, UNLIMITED, type TestService } from '../api/support.js';
import { canBrowse, openBrowser } from '../support/chromium.js';
import { fallEvent, poseFrame } from '../support/fake-topology.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describe.runIf(canBrowse)('accessibility of the live page', () => {
  let browser: Browser;
  let service: TestService;
  beforeAll(async () => {
    [browser, service] = await Promise.all([openBrowser(), openService(UNLIMITED)]);
    addSource(service.main);
    service.main.events.push(fallEvent({ time: (Date.now() - 60_000) * 1000 }));
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  test.each(['light', 'dark'] as const)(
    'has no serious finding of axe in %s colours',
    async (colorScheme) => {
      const page = await browser.newPage({ colorScheme, reducedMotion: 'reduce' });
      /** Accessibility violations, by rule and place. */
      const findings = async (): Promise<readonly string[]> => {
        await page.evaluate(axe);
        const { violations } = await page.evaluate<{ violations: Finding[] }>('axe.run()');
        return violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(
            ({ id, nodes }) =>
              `${id}: ${nodes.map(({ html, failureSummary }) => html + failureSummary).join()}`,
          );
      };
      await page.goto(service.server.address);
      expect(await findings()).toEqual([]);
      await page.fill('input[name=username]', 'admin');
      await page.fill('input[name=password]', 'pw');
      await page.click('button[type=submit]');
      await expect.poll(() => page.isVisible('#alarm')).toBe(true);
      let index = 0;
      await expect
        .poll(() => {
          service.main.publish(poseFrame(index++));
          return page.textContent('#people');
        })
        .toContain('Person 1');
      for (const view of ['Room', 'Links', 'Topology', 'History', 'Settings']) {
        await page.click(`nav a:text("${view}")`);
        await expect.poll(() => page.getAttribute('.view', 'aria-label')).toBe(view);
        if (view === 'Links') await page.click('button[aria-label="Signal of link-1"]');
        if (view === 'Settings') {
          await page.waitForSelector('.field');
          expect(await findings()).toEqual([]);
          await page.click('button:text("Users and keys")');
          await page.waitForSelector('#users li');
        }
        expect(await findings()).toEqual([]);
      }
      await page.close();
    },
    60_000,
  );
});
