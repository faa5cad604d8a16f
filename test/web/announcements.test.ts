import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openService, type TestService } from '../api/support.js';
import { canBrowse, openBrowser } from '../support/chromium.js';
import { testEnvironment } from '../support/context.js';
import { FakeTopology, fallEvent } from '../support/fake-topology.js';
import { logIn } from '../support/live-page.js';

const FALL = 'fall detection: test-room';
/** Shown as soon as notifications are allowed. */
const FIRST = 'Alerts will appear here';

/** Records titles of notifications and pitches of tones; the browser still shows and plays them. */
const RECORD = `
  globalThis.titles = [];
  globalThis.tones = [];
  globalThis.Notification = class extends Notification {
    constructor(title, options) { super(title, options); titles.push(title); }
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (when) {
    tones.push([this.frequency.value, this.context.state]);
    start.call(this, when);
  };`;
const HIDDEN = `Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });`;
/** As on a phone. */
const REFUSED = `globalThis.Notification = class extends Notification {
    constructor() { throw new TypeError('Illegal constructor. Use showNotification() instead.'); }
  };`;

/** As on a phone that does not trust the service's certificate, in the words of Chromium. */
const DISTRUSTED = `ServiceWorkerContainer.prototype.register = () => Promise.reject(new DOMException(
    'Failed to register a ServiceWorker: An SSL certificate error occurred when fetching the script.', 'SecurityError'));`;

describe.runIf(canBrowse)('alerts are announced by the live page', () => {
  let browser: Browser;
  let service: TestService;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    service = await openService();
    context = await browser.newContext();
    page = await context.newPage();
    await page.addInitScript(RECORD);
  });
  afterEach(async () => {
    await context.close();
    await service.close();
  });

  const allow = () => context.grantPermissions(['notifications'], { origin: service.server.address });
  let falls = 0;
  /** Publishes falls until the page lists one: it may still be subscribing. */
  const fall = async () => {
    await expect
      .poll(
        async () => {
          service.main.publish(fallEvent({ id: `test-room/fall_detection/${++falls}` }));
          return page.textContent('#alerts');
        },
        { timeout: 10_000, interval: 100 },
      )
      .toContain('fall detection');
  };
  const titles = () => page.evaluate('titles');
  const tones = () => page.evaluate('tones');

  test('by two tones, if the sound is on', async () => {
    await logIn(page, service, 'viewer');
    await page.click('button:text("Sound on")');
    await fall();
    expect(await tones()).toEqual([]);
    await page.click('button:text("Sound off")');
    await expect.poll(tones).toEqual([[660, 'running'], [880, 'running']]); // prettier-ignore
    service.main.publish(fallEvent({ id: 'test-room/fall_detection/another' }));
    await expect.poll(tones).toHaveLength(4);
  });

  test('by a notification while the page is out of sight, once it was allowed', async () => {
    await page.addInitScript(HIDDEN);
    await logIn(page, service, 'viewer');
    const button = page.locator('button:text("Notify me")');
    await fall();
    expect(await titles()).toEqual([]);
    await allow();
    await button.click();
    await expect.poll(() => button.count()).toBe(0);
    await expect.poll(titles).toEqual([FIRST]);
    service.main.publish(fallEvent({ id: 'test-room/fall_detection/another' }));
    await expect.poll(titles).toEqual([FIRST, FALL]);
  });

  test('by no notification while the page is visible', async () => {
    await allow();
    await logIn(page, service, 'viewer');
    await fall();
    expect(await titles()).toEqual([]);
  });

  test('by its service worker, where the browser refuses other notifications', async () => {
    await allow();
    await page.addInitScript(HIDDEN + REFUSED);
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await logIn(page, service, 'viewer');
    await fall();
    const shown = () =>
      page.evaluate(`navigator.serviceWorker.getRegistration()
        .then((registration) => registration?.getNotifications() ?? [])
        .then((all) => [...new Set(all.map(({ title }) => title))])`);
    await expect.poll(shown).toEqual([FALL]);
    expect(errors).toEqual([]);
    expect(await page.textContent('#notifications-note')).toBe('');
  });

  test('by a visible problem, where the browser refuses the service worker, too', async () => {
    await page.addInitScript(REFUSED + DISTRUSTED);
    await logIn(page, service, 'viewer');
    const button = page.locator('button:text("Notify me")');
    await button.waitFor();
    await allow();
    await button.click();
    const note = () => page.textContent('#notifications-note');
    await expect.poll(note).toMatch(/^No notifications can be shown.*certificate.*SSL/);
    // The next visit says so before an alert.
    await page.reload();
    await expect.poll(note).toMatch(/^No notifications can be shown/);
  });

  test('by notifications that lead to their room', async () => {
    const hall = new FakeTopology({ ...testEnvironment, id: 'hall', name: 'Hall' });
    hall.topology = { ...hall.topology, id: 'ground-floor' };
    const site = await openService(undefined, { beside: [hall] });
    try {
      await context.grantPermissions(['notifications'], { origin: site.server.address });
      await page.addInitScript(REFUSED);
      await page.addInitScript("localStorage.setItem('csiflow-notifications-by-worker', 'yes');");
      const [worker] = await Promise.all([
        context.waitForEvent('serviceworker'),
        logIn(page, site, 'viewer', '?view=links'),
      ]);
      await page.locator('#environment').waitFor();
      // As it does after a tap, which tests cannot make.
      await worker.evaluate(`self.clients.matchAll({ includeUncontrolled: true })
        .then(([page]) => page.postMessage({ environment: 'hall' }))`);
      await expect.poll(() => new URL(page.url()).search).toBe('?environment=hall');
    } finally {
      await page.goto('about:blank');
      await site.close();
    }
  });
});
