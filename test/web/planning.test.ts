import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openService, UNLIMITED, type TestService } from '../api/support.js';
import { canBrowse } from '../support/chromium.js';
import { eachLivePage, logIn } from '../support/live-page.js';

describe.runIf(canBrowse)('planning on the live page', () => {
  let service: TestService;
  let page: Page;

  eachLivePage(
    async () => ({ service: await openService(UNLIMITED) }),
    (opened) => ({ service, page } = opened),
  );

  const logInAs = (user: string) => logIn(page, service, user, '?view=topology');
  const plan = async (text: string): Promise<void> => {
    await page.fill('#planning textarea', text);
    await page.click('#planning button:text("Plan")');
  };
  const words = () => page.textContent('#planning');
  const fine = () => {
    const { main } = service;
    main.plan = () => ({
      hash: 'hash-1',
      changes: [
        { node: 'routers', change: 'unchanged', state: 'none', fields: [] },
        { node: 'people', change: 'changed', state: 'migrated', fields: ['max_persons'] },
      ],
    });
  };

  test('mistakes lead to their place in the text', async () => {
    await logInAs('operator');
    await plan('id: test\nsources:\n  in: { typ: udp }\n');
    await expect.poll(() => page.textContent('#mistakes')).toBe('Line 3, column 5 no such field.');
    expect(await page.textContent('#planning .code-text li.wrong')).toBe('3');
    await page.click('#mistakes button');
    expect(
      await page.evaluate('[document.activeElement.tagName, document.activeElement.selectionStart]'),
    ).toEqual(['TEXTAREA', 'id: test\nsources:\n  in'.length]);
  });

  test('a plan is shown, belongs to its text, and is applied by its hash', async () => {
    fine();
    await logInAs('admin');
    await plan('fine');
    await expect.poll(() => page.textContent('#plan tbody')).toBe('peoplechangedmax_personskeeps its state');
    expect(await words()).toContain('1 node stays');
    await page.fill('#planning textarea', 'finer');
    expect(await page.locator('#plan').count()).toBe(0);
    await plan('fine');
    await page.click('button:text("Apply this plan")');
    await expect.poll(words).toContain('Applied.');
  });

  test('a plan that became stale is not applied, and the page says so', async () => {
    fine();
    await logInAs('admin');
    await plan('fine');
    service.main.apply = () =>
      Promise.reject(Object.assign(new Error('the plan is stale'), { code: 'plan.stale' }));
    await page.click('button:text("Apply this plan")');
    await expect.poll(words).toContain('the plan is stale');
    expect(await words()).not.toContain('Applied.');
  });

  test('a graph that still has a removed node is drawn without it', async () => {
    const nodes = ['routers', 'gone'].map((id) => ({ id, type: 'udp', kind: 'source', label: id }));
    await page.route('**/topologies/test/graph', (route) =>
      route.fulfill({
        json: { success: true, data: { nodes, edges: [{ from: 'gone', to: 'routers', ports: ['csi'] }] } },
      }),
    );
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await logInAs('viewer');
    await expect.poll(() => page.locator('#graph .node').count()).toBe(1);
    expect(errors).toEqual([]);
  });

  test.each([
    { sinks: 6, fits: true },
    { sinks: 15, fits: false },
  ])('a graph with $sinks sinks is shown from its beginning (fits: $fits)', async ({ sinks, fits }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await withSinks(sinks);
    await logInAs('viewer');
    await expect.poll(() => page.locator('#graph .node').count()).toBe(1 + sinks);
    const shown = () =>
      page.evaluate(`(() => {
        const boxes = [...document.querySelectorAll('#graph .node rect')].map((rect) => rect.getBoundingClientRect());
        const { left, right } = document.querySelector('#graph').parentElement.getBoundingClientRect();
        return {
          source: boxes[0].right < right,
          start: boxes.every((box) => box.left > left),
          end: boxes.every((box) => box.right < right),
        };
      })()`);
    await expect.poll(shown).toEqual({ source: true, start: true, end: fits });
  });

  /** One source, `routers`, that gives to many sinks. */
  const withSinks = async (count: number): Promise<void> => {
    const ids = Array.from({ length: count }, (_, index) => `sink-${index}`);
    await page.route('**/topologies/test', async (route) => {
      const answer = (await (await route.fetch()).json()) as { data: { nodes: { id: string }[] } };
      const routers = answer.data.nodes.find(({ id }) => id === 'routers');
      const sinkNodes = ids.map((id) => ({ ...routers, id, kind: 'sink' }));
      await route.fulfill({ json: { ...answer, data: { ...answer.data, nodes: [routers, ...sinkNodes] } } });
    });
    await page.route('**/topologies/test/graph', (route) =>
      route.fulfill({
        json: {
          success: true,
          data: {
            nodes: ['routers', ...ids].map((id) => ({ id, type: 'udp', kind: 'sink', label: id })),
            edges: ids.map((to) => ({ from: 'routers', to, ports: ['csi'] })),
          },
        },
      }),
    );
  };

  test('operators can plan, but not apply; viewers neither', async () => {
    fine();
    await logInAs('operator');
    await plan('fine');
    await expect.poll(words).toContain('Only an admin can apply it.');
    expect(await page.locator('button:text("Apply this plan")').count()).toBe(0);
    await page.click('#logout');
    await logInAs('viewer');
    await expect.poll(() => page.isVisible('#topology-state')).toBe(true);
    expect(await page.locator('#planning').count()).toBe(0);
  });
});
