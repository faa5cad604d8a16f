import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openService, UNLIMITED, type TestService } from '../api/support.js';
import { canBrowse, openBrowser } from '../support/chromium.js';
import { logIn } from '../support/live-page.js';
import { person, poseFrame } from '../support/fake-topology.js';

describe.runIf(canBrowse)('history on the live page', () => {
  let browser: Browser;
  let service: TestService;
  let page: Page;

  beforeAll(async () => {
    [browser, service] = await Promise.all([openBrowser(), openService(UNLIMITED)]);
    page = await browser.newPage();
  });
  afterAll(async () => {
    await page.close();
    await browser.close();
    await service.close();
  });

  test('an hour of frames: where people were, in minutes, drawn on the room', async () => {
    const start = Date.now() * 1000 - 3_500e6;
    // Ten frames a second: 50 minutes in one place, 5 in another.
    for (let index = 0; index < 33_000; index++) {
      const [x, y] = index < 30_000 ? [1.1, 1.1] : [4.1, 3.1];
      service.main.frames.push({ ...poseFrame(index, [person(1, x, y)]), time: start + index * 100_000 });
    }
    await logIn(page, service, 'viewer', '?view=history');
    const text = () => page.textContent('#heat');
    await expect.poll(text).toContain('55 person-minutes, longest at 1.1 / 1.1 m (50 minutes)');
    expect(await page.textContent('.legend')).toBe('013' + '50 minutes');
    // The cell of the longest stay is opaque, the other one less, the rest of the floor empty.
    const opacities = await page.evaluate(`(() => {
      const canvas = document.querySelector('#heat canvas');
      const scale = Math.min((canvas.width - 48) / 5, (canvas.height - 48) / 4);
      return [[1.1, 1.1], [4.1, 3.1], [2.6, 2.6]].map(([x, y]) => {
        const at = [canvas.width / 2 + (x - 2.5) * scale, canvas.height / 2 - (y - 2) * scale].map(Math.round);
        return canvas.getContext('2d').getImageData(...at, 1, 1).data[3];
      });
    })()`);
    const [longest, other, none] = opacities as [number, number, number];
    expect(longest).toBe(255);
    expect(other).toBeGreaterThan(60);
    expect(other).toBeLessThan(150);
    expect(none).toBeLessThan(40);
  });
});
