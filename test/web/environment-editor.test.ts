import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { parseTopology, type UnsavedFile } from '../../pipeline/config/index.js';
import { openService, UNLIMITED, type TestService } from '../api/support.js';
import { canBrowse } from '../support/chromium.js';
import { eachLivePage, logIn } from '../support/live-page.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const ROOM = `# Measured by Ada.
id: ward
size: { x: 5, y: 4, z: 2.5 } # inner size
links:
  - { id: south, transmitter: [0.1, 0.1, 1], receiver: [4.9, 0.1, 1.5], sender: node-1 }
  - { id: north, transmitter: [0.1, 3.9, 1], receiver: [4.9, 3.9, 1.5], sender: node-2 }
zones:
  # The bed is screwed to the floor.
  - { id: bed, kind: bed, polygon: [[0.5, 1], [2.5, 1], [2.5, 2.4], [0.5, 2.4]] }
`;
const TOPOLOGY = `id: ward-3
environment: room.yaml
sources:
  flat: { type: simulator, rate_hz: 20, seed: 7 }
operators:
  windows: { type: window, from: flat, length_ms: 2000, hop_ms: 200, points: 100 }
  motion: { type: detect-motion, from: windows }
sinks:
  history: { type: duckdb, from: motion, path: ward-3.duckdb }
`;

describe.runIf(canBrowse)('the editor of environments in Chromium', () => {
  let folder: string;
  let file: string;
  let service: TestService;
  let page: Page;

  eachLivePage(
    async () => {
      folder = mkdtempSync(join(tmpdir(), 'csiflow-editor-'));
      file = join(folder, 'room.yaml');
      writeFileSync(file, ROOM);
      const parse = (text: string, id: string, unsaved?: UnsavedFile) =>
        parseTopology({ text, shown: `${id}.yaml`, file: null, folder, unsaved }, components, { env: {} });
      const opened = await openService(UNLIMITED, { parse });
      const added = await fetch(`${opened.server.address}/form-b/api/v1/topologies/ward-3`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${opened.token('admin')}` },
        body: JSON.stringify({ topology: TOPOLOGY }),
      });
      expect(added.status).toBe(200);
      return { service: opened, close: () => rm(folder, { recursive: true }) };
    },
    (opened) => ({ service, page } = opened),
    { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' },
  );

  const open = async (role = 'operator'): Promise<void> => {
    await logIn(page, service, role, '?environment=ward&view=environment');
    if (role !== 'viewer') await page.waitForSelector('.drawing .zone');
  };
  const save = async (): Promise<void> => {
    await page.click('text=Check and save');
    await page.click('text=Save and apply');
    await expect.poll(() => page.textContent('#editor-message')).toContain('Saved as room.yaml');
  };

  test('a zone that was dragged is in the file, in the room, and the comments are', async () => {
    await open();
    const bed = (await page.locator('.zone.bed').boundingBox())!;
    const metre = (await page.locator('.drawing .ground').boundingBox())!.width / 5;
    await page.mouse.move(bed.x + 30, bed.y + 30);
    await page.mouse.down();
    await page.mouse.move(bed.x + 30 + metre, bed.y + 30, { steps: 4 });
    await page.mouse.up();
    await save();
    expect(readFileSync(file, 'utf8')).toBe(
      ROOM.replace(
        '[[0.5, 1], [2.5, 1], [2.5, 2.4], [0.5, 2.4]]',
        '[[1.5, 1], [3.5, 1], [3.5, 2.4], [1.5, 2.4]]',
      ),
    );
    const scene: unknown = await (await service.get('/scene.json')).json();
    expect(scene).toMatchObject({
      environments: [
        {},
        {
          id: 'ward',
          zones: [
            {
              polygon: [
                [1.5, 1],
                [3.5, 1],
                [3.5, 2.4],
                [1.5, 2.4],
              ],
            },
          ],
        },
      ],
    });
  });

  test('a drawing without a width, as while its view closes, has no negative sizes', async () => {
    await open();
    await page.evaluate(`document.querySelector('.drawing').style.width = '0'`);
    const width = async () => Number(await page.getAttribute('.drawing .ground', 'width'));
    await expect.poll(width).toBeLessThan(10);
    expect(await width()).toBeGreaterThan(0);
  });

  test('keys move and remove what is focused, and undo brings it back', async () => {
    await open();
    await page.focus('.zone.bed');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('ArrowUp');
    const first = () => page.getAttribute('.handle', 'aria-label');
    await expect.poll(first).toBe('Corner 1 of bed at 1.00 / 1.05 m');
    await page.focus('.zone.bed');
    await page.keyboard.press('Delete');
    await expect.poll(() => page.locator('.zone').count()).toBe(0);
    await page.click('text=Undo');
    await expect.poll(() => page.locator('.zone').count()).toBe(1);
  });

  test('a pet area is drawn, gets a height, and is saved', async () => {
    await open();
    await page.click('text=Add zone');
    const floor = (await page.locator('.drawing .ground').boundingBox())!;
    const metre = floor.width / 5;
    await page.mouse.move(floor.x + 3 * metre, floor.y + metre);
    await page.mouse.down();
    await page.mouse.move(floor.x + 4 * metre, floor.y + 2 * metre, { steps: 4 });
    await page.mouse.up();
    await page.selectOption('.numbers select', 'pet');
    await save();
    expect(readFileSync(file, 'utf8')).toBe(
      `${ROOM}  - { id: zone-2, polygon: [[3, 2], [4, 2], [4, 3], [3, 3]], kind: pet, max_height: 0.8 }\n`,
    );
  });

  test('walls and links are added by key, and changed by numbers', async () => {
    await open();
    await page.focus('text=Add wall');
    await page.keyboard.press('Enter');
    await page.focus('text=Add link');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Sender' }).fill('node-7');
    await page.getByRole('group', { name: 'transmitter' }).getByLabel('height').fill('1.8');
    await page.keyboard.press('Tab');
    await save();
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(
      '  - { id: link-3, transmitter: [1.3, 2, 1.8], receiver: [3.7, 2, 1.2], sender: node-7 }\nzones:',
    );
    expect(text).toContain('walls: [{ from: [1.7, 2], to: [3.3, 2] }]');
  });

  test('a wrong value is located, and nothing is saved', async () => {
    await open();
    await page.click('text=south');
    await page.getByLabel('Id').fill('north');
    await page.keyboard.press('Tab');
    await page.click('text=Check and save');
    await expect
      .poll(() => page.textContent('#environment-editor .problem'))
      .toContain('a link `north` is already declared at room.yaml:5:11');
    expect(readFileSync(file, 'utf8')).toBe(ROOM);
  });

  test('a change by another hand is reported, and can be read', async () => {
    await open();
    await page.getByLabel('Length x').fill('7');
    await page.keyboard.press('Tab');
    writeFileSync(file, ROOM.replace('y: 4', 'y: 6'));
    await page.click('text=Check and save');
    await expect
      .poll(() => page.textContent('#environment-editor .problem'))
      .toContain('room.yaml was changed since you read it');
    await page.getByRole('button', { name: 'Read it again' }).click();
    await expect.poll(() => page.inputValue('.numbers .number:nth-of-type(3) input')).toBe('6');
  });

  test('texts look the same whatever is drawn', async () => {
    await open();
    const look = () =>
      page.evaluate(
        `[...document.querySelectorAll('.floor text, .drawing .label')].map((text) => {
          const { stroke, strokeWidth, strokeDasharray, fillOpacity } = getComputedStyle(text);
          return { stroke, strokeWidth, strokeDasharray, fillOpacity };
        })`,
      );
    const before = await look();
    for (const tool of ['zone', 'link', 'wall']) {
      await page.click(`button:text-is("Add ${tool}")`);
      expect(await page.locator('.drawing svg').getAttribute('data-tool')).toBe(tool);
      expect(await look(), tool).toEqual(before);
    }
  });

  test('the bar at the top fits one line, whatever the name of the room', async () => {
    await open();
    await page.evaluate(
      `document.querySelector('#environment option').textContent = 'Room with two ESP32 nodes'`,
    );
    expect((await page.locator('header').boundingBox())!.height).toBeLessThan(60);
  });

  test('viewers do not get to the editor', async () => {
    await open('viewer');
    await expect.poll(() => page.textContent('.view')).toContain('Only the roles operator and admin');
    expect(await page.locator('nav a:text("Editor")').count()).toBe(0);
  });

  test.each(['light', 'dark'] as const)(
    'has no serious finding of axe in %s colours',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await open();
      await page.click('text=bed, bed');
      await page.evaluate(axe);
      const { violations } = await page.evaluate<{
        violations: { id: string; impact: string; nodes: { html: string }[] }[];
      }>('axe.run()');
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)).toEqual([]);
    },
  );
});
