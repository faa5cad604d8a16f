import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { bench, WHOLE, type Bench } from '../api/config-support.js';
import { openService, UNLIMITED, type TestService } from '../api/support.js';
import { canBrowse } from '../support/chromium.js';
import { eachLivePage, logIn } from '../support/live-page.js';

describe.runIf(canBrowse)('settings on the live page', () => {
  let service: TestService;
  let page: Page;
  let made: Bench;

  eachLivePage(
    async () => {
      made = bench(WHOLE);
      await made.runner.start();
      return { service: await openService(UNLIMITED, { main: made.runner }), close: () => made.close() };
    },
    (opened) => {
      ({ service, page } = opened);
      page.on('dialog', (dialog) => void dialog.accept());
    },
  );

  const logInAs = (user: string) => logIn(page, service, user, '?view=settings');
  const configuration = async () => {
    const answer = await service.get('/form-b/api/v1/config', service.token('admin'));
    return ((await answer.json()) as { data: { detection: { max_persons: number } } }).data;
  };
  const field = (path: string) => page.locator(`[data-path="${path}"]`);
  const persons = () => field('detection.max_persons');
  const save = (group: string) => page.click(`form[aria-label="${group}"] button:text("Save")`);

  test('a field says its limit, is refused beyond it, and takes effect when it is saved', async () => {
    await logInAs('admin');
    await expect
      .poll(() => persons().textContent())
      .toContain('Largest number of reported persons. 1 to 100.');
    await persons().locator('input').fill('1000');
    await save('Detection');
    await expect.poll(() => persons().locator('.problem').textContent()).toContain('100');
    expect(await persons().locator('input').getAttribute('aria-invalid')).toBe('true');
    expect((await configuration()).detection.max_persons).toBe(1);
    await persons().locator('input').fill('7');
    await save('Detection');
    await expect.poll(() => page.textContent('form[aria-label="Detection"] [role=status]')).toBe('Saved.');
    expect((await configuration()).detection.max_persons).toBe(7);
    expect(await persons().textContent()).toContain("The topology's file says 1.");
  });

  test("the service's own refusal is shown at its field", async () => {
    await logInAs('admin');
    await page.route('**/form-b/api/v1/config', (route) =>
      route.request().method() === 'PUT'
        ? route.continue({ postData: JSON.stringify({ detection: { max_persons: 0 } }) })
        : route.continue(),
    );
    await persons().locator('input').fill('7');
    await save('Detection');
    await expect.poll(() => persons().locator('.problem').textContent()).toBe('must be >= 1');
  });

  test('a change that requires a restart says so, and offers one', async () => {
    await logInAs('admin');
    const batch = field('neural_network.batch_size');
    await expect.poll(() => batch.textContent()).toContain('needs a restart');
    await batch.locator('input').fill('8');
    await save('Neural network');
    await page.click('button:text("Restart now")');
    await expect.poll(() => page.locator('button:text("Restart now")').count()).toBe(0);
    await expect
      .poll(() => made.runner.topology.nodes.find(({ id }) => id === 'poses')!.config)
      .toMatchObject({
        max_batch: 8,
      });
  });

  test('a change by another user is not overwritten: the form shows the newer values', async () => {
    await logInAs('admin');
    await persons().locator('input').fill('7');
    const other = await fetch(`${service.server.address}/form-b/api/v1/config`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${service.token('admin')}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ detection: { max_persons: 3 } }),
    });
    expect(other.status).toBe(200);
    await save('Detection');
    await expect
      .poll(() => page.textContent('form[aria-label="Detection"] > .problem'))
      .toContain('Somebody else has changed the configuration');
    expect((await configuration()).detection.max_persons).toBe(3);
    await save('Detection');
    await expect.poll(async () => (await configuration()).detection.max_persons).toBe(7);
  });

  test('viewers see the values, and can change none', async () => {
    await logInAs('viewer');
    await expect.poll(() => persons().locator('input').isDisabled()).toBe(true);
    expect(await page.locator('button:text("Save")').count()).toBe(0);
    expect(await page.locator('button:text("Users and keys")').count()).toBe(0);
  });

  test('an admin adds a user and a key, whose secrets work, and removes them', async () => {
    await logInAs('admin');
    await page.click('button:text("Users and keys")');
    await page.fill('form[aria-label="Add a user"] input[name=name]', 'ada');
    await page.click('form[aria-label="Add a user"] button');
    const secret = (form: string) => page.textContent(`form[aria-label="${form}"] .secret`);
    const login = await service.post('/form-b/api/v1/auth/token', {
      username: 'ada',
      password: await secret('Add a user'),
    });
    expect(login.status).toBe(200);
    await expect.poll(() => page.textContent('#users')).toContain('ada');
    await page.fill('form[aria-label="Create a key"] input[name=name]', 'grafana');
    await page.click('form[aria-label="Create a key"] button');
    const key = await secret('Create a key');
    expect((await service.get('/form-b/api/v1/config', key!)).status).toBe(200);
    await page.click('button[aria-label="Remove grafana"]');
    await expect.poll(() => page.locator('#keys li').count()).toBe(0);
    expect((await service.get('/form-b/api/v1/config', key!)).status).toBe(401);
    await page.click('button[aria-label="Remove ada"]');
    await expect.poll(() => page.textContent('#users')).not.toContain('ada');
  });

  test('an own new password requires another login, with it', async () => {
    await logInAs('admin');
    await page.click('button:text("Users and keys")');
    await page.click('summary:text("New password for admin")');
    await page.fill('#password-admin', 'a longer one');
    await page.click('button:text("Set")');
    await expect.poll(() => page.textContent('#login-error')).toContain('Your password is changed');
    await page.fill('input[name=username]', 'admin');
    await page.fill('input[name=password]', 'a longer one');
    await page.click('#login button[type=submit]');
    await expect.poll(() => page.isVisible('#live')).toBe(true);
  });

  test.each([
    [1280, 800],
    [390, 844],
  ])('the open guide leaves the room in sight, on %i x %i', async (width, height) => {
    await page.setViewportSize({ width, height });
    await logIn(page, service, 'admin');
    await page.waitForSelector('#guide');
    const top = async (selector: string): Promise<number> => (await page.locator(selector).boundingBox())!.y;
    expect(await top('main canvas')).toBeLessThan(height / 3);
    expect(await top('main canvas')).toBeLessThan(await top('#guide'));
    await page.click('button:text("Close the guide")');
    await page.click('button:text("Guide")');
    await expect.poll(() => top('#guide')).toBeLessThan(height);
  });

  test('the open guide is below every view, and its buttons lead to the top of one', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await logInAs('admin');
    const top = (selector: string): Promise<number> =>
      page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().top`);
    for (const view of ['links', 'topology', 'history', 'environment', 'settings']) {
      await page.click(`nav a[href="?view=${view}"]`);
      await page.waitForSelector('.view > :first-child:not(#guide)');
      expect(await page.locator('.view > :last-child').getAttribute('id'), view).toBe('guide');
    }
    await page.click('#guide button:text("Open the topology")');
    await expect.poll(() => top('.view > :first-child')).toBeGreaterThan(0);
  });

  test('a node of the graph is as wide as ten thousand records a second, and their delay, need', async () => {
    await logIn(page, service, 'admin', '?view=topology');
    await page.waitForSelector('#graph .node');
    const [text, box] = await page.evaluate<[number, number]>(`(() => {
      const node = document.querySelector('#graph .node');
      const figures = node.querySelector('text:last-of-type');
      figures.textContent = '10,000.0/s · 999 ms behind';
      return [figures, node.querySelector('rect')].map((part) => part.getBoundingClientRect().right);
    })()`);
    expect(text).toBeLessThan(box);
  });

  test('the guide is open at first, stays closed after a reload, and can be opened again', async () => {
    await logInAs('admin');
    await page.click('#guide button:text("Open the topology")');
    expect(new URL(page.url()).search).toBe('?view=topology');
    await page.click('#guide button:text("Open the users")');
    await expect.poll(() => page.isVisible('#users')).toBe(true);
    await page.click('button:text("Close the guide")');
    await page.reload();
    await expect.poll(() => page.isVisible('#live')).toBe(true);
    expect(await page.locator('#guide').count()).toBe(0);
    await page.click('button:text("Guide")');
    await expect.poll(() => page.isVisible('#guide')).toBe(true);
  });
});
