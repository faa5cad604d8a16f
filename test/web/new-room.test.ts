import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { components } from '../../api/components.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';
import { parseTopology, type UnsavedFile } from '../../pipeline/config/index.js';
import type { Measure, Window } from '../../pipeline/model/index.js';
import { openService, UNLIMITED, type TestService } from '../api/support.js';
import { canBrowse } from '../support/chromium.js';
import { eachLivePage, logIn } from '../support/live-page.js';
import { swinging } from '../support/swinging.js';

const { environment, window } = simulatedWindow(1, { persons: 0, id: 'ward' });
const { id, size, links } = environment;
const TOPOLOGY = `id: test
environment: room.yaml
sources:
  flat: { type: udp }
operators:
  windows: { type: window, from: flat, length_ms: 2000, hop_ms: 200, points: 100 }
  motion: { type: detect-motion, from: windows }
  poses: { type: infer-pose, from: windows, calibration: ward.calibration.json }
sinks:
  history: { type: duckdb, from: [motion, poses], path: ward.duckdb }
`;

describe.runIf(canBrowse)('what the live page does for a new room', () => {
  let folder: string;
  let service: TestService;
  let page: Page;

  eachLivePage(
    async () => {
      folder = mkdtempSync(join(tmpdir(), 'csiflow-new-room-'));
      writeFileSync(join(folder, 'room.yaml'), stringify({ id, size, links }));
      const file = join(folder, 'topology.yaml');
      writeFileSync(file, TOPOLOGY);
      const parse = (text: string, shown: string, unsaved?: UnsavedFile) =>
        parseTopology({ text, shown, file, folder, unsaved }, components, { env: {} });
      const opened = await openService(UNLIMITED, { parse });
      const { topology, problems } = parse(TOPOLOGY, 'topology.yaml');
      if (!topology) throw new Error(JSON.stringify(problems));
      opened.main.topology = topology;
      return { service: opened, close: () => rm(folder, { recursive: true }) };
    },
    (opened) => ({ service, page } = opened),
    { viewport: { width: 1280, height: 900 } },
  );

  const opened = async (view: string, user = 'operator') => {
    await logIn(page, service, user, `?environment=ward&view=${view}`);
  };

  test('the floor shows what its links can tell, and follows quick edits without an error', async () => {
    await opened('environment');
    const status = () => page.textContent('#coverage [role=status]');
    await page.getByLabel('Show on the floor').selectOption('error');
    await expect.poll(status).toMatch(/^Expected error: 0\.\d\d m on average/);
    const cells = await page.locator('.coverage rect').count();
    expect(cells).toBeGreaterThan(50);
    const refused: number[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/coverage') && !response.ok()) refused.push(response.status());
    });
    for (let step = 1; step <= 6; step++) {
      const asked = page.waitForRequest((request) => request.url().endsWith('/coverage'));
      await page.getByLabel('Length x').fill(String(size.x + step));
      await page.keyboard.press('Tab');
      await asked;
    }
    await expect.poll(status).toMatch(/^Expected error/);
    expect(refused).toEqual([]);
    await page.getByLabel('Show on the floor').selectOption('links');
    await expect.poll(status).toMatch(/^Fewer than two links notice a person on \d+ % of the floor\.$/);
    // The legend of the map of places has other rules.
    expect(await page.evaluate("getComputedStyle(document.querySelector('.bands')).display")).toBe('flex');
  }, 120_000);

  /** A window of the empty room, so many seconds after the first. */
  const at = (seconds: number): Window => ({ ...window, start: window.start + seconds * 1e6 });
  const minute = Array.from({ length: 31 }, (_, index) => at(2 * index));

  test('the empty room is measured step by step, and the result is used', async () => {
    await opened('environment');
    const words = () => page.textContent('#calibration');
    await expect.poll(words).toContain('Empty means: no person and no pet');
    await page.click('text=The room is empty: measure for 60 s');
    await expect.poll(words).toContain('0 of 60 s');
    service.main.publish(...minute.slice(0, 16));
    await expect.poll(words).toContain('30 of 60 s');
    service.main.publish(...minute.slice(16));
    await expect.poll(words).toContain('Nobody moved.');
    expect(await words()).toContain(`${links[0]!.id}: measured for the first time`);
    await page.click('text=Use it');
    await expect.poll(words).toContain('Saved as ward.calibration.json. The topology has started again');
    const saved = JSON.parse(readFileSync(join(folder, 'ward.calibration.json'), 'utf8')) as object;
    expect(saved).toMatchObject({ profiles: Object.fromEntries(links.map((link) => [link.id, {}])) });
  });

  test('one who walks is measured after the empty room', async () => {
    await opened('environment');
    const words = () => page.textContent('#calibration');
    await page.click('text=One person walks: measure for 60 s');
    await expect.poll(words).toContain('ward has no empty room yet: measure it first');
    await page.click('text=The room is empty: measure for 60 s');
    await expect.poll(words).toContain('0 of 60 s');
    service.main.publish(...minute);
    await page.click('text=Use it');
    await expect.poll(words).toContain('The topology has started again');
    service.main.state = 'running';
    await page.click('text=One person walks: measure for 60 s');
    await expect.poll(words).toContain('Walk about the room: 0 s 0 of 60 s');
    service.main.publish(...minute.map((one) => ({ ...one, links: swinging(one.links) })));
    await expect.poll(words).toMatch(/Here, people change the signals \d+\.\d dB (more|less) than/);
    await page.click('text=Use it');
    await expect.poll(words).toContain('Saved as ward.calibration.json');
    const saved = JSON.parse(readFileSync(join(folder, 'ward.calibration.json'), 'utf8')) as object;
    expect(saved).toMatchObject({ echoes: { ward: expect.any(Number) as number } });
  });

  test('a room that cannot be measured says why, and is asked about seldom', async () => {
    const text = TOPOLOGY.replace(', calibration: ward.calibration.json', '');
    service.main.topology = parseTopology(
      { text, shown: 'topology.yaml', file: join(folder, 'topology.yaml'), folder },
      components,
      { env: {} },
    ).topology!;
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/calibration')) asked++;
    });
    await page.clock.install();
    await opened('environment');
    await expect.poll(() => page.textContent('#calibration .problem')).toContain('poses names no file');
    const before = asked;
    await page.clock.runFor(3_000);
    // Its request would come first.
    await page.evaluate(`fetch('/scene.json').then(({ status }) => status)`);
    expect(asked).toBe(before);
    await page.clock.runFor(3_000);
    await expect.poll(() => asked).toBe(before + 1);
  });

  test('a person in the room is named before the result is used', async () => {
    await opened('environment');
    await page.click('text=The room is empty: measure for 60 s');
    await expect.poll(() => page.textContent('#calibration')).toContain('0 of 60 s');
    const moved: Measure = {
      ...{ port: 'measure', name: 'presence_probability', environment: 'ward', subject: null },
      ...{ time: window.start + 5e6, value: 0.9, source: 'csiflow', provenance: { origin: 'live' } },
    };
    service.main.publish(minute[0]!);
    service.main.publish(moved);
    service.main.publish(...minute.slice(1));
    await expect
      .poll(() => page.textContent('#calibration'))
      .toContain('Somebody or something moved in 1 of the seconds: the room was not empty. Measure again.');
    await page.click('#calibration >> text=Cancel');
    await expect.poll(() => page.locator('#calibration >> text=Use it').count()).toBe(0);
  });

  test('an unknown sender becomes a link by a button', async () => {
    const line = 'sender: node-9';
    const listed = [{ sender: '192.0.2.9:5005', frames: 80, last: '2026-01-01T00:00:00.000Z', line }];
    service.main.details = { unknown_senders: { listed } };
    await opened('links');
    await page.click('text=Add a link of it');
    await expect
      .poll(() => page.textContent('#editor-message'))
      .toContain('A link of node-9 was added in the middle');
    await page.click('text=Check and save');
    await page.click('text=Save and apply');
    await expect.poll(() => page.textContent('#editor-message')).toContain('Saved as room.yaml');
    expect(readFileSync(join(folder, 'room.yaml'), 'utf8')).toMatch(/sender: node-9/);
  });

  test('an open page shows a room that another user has changed', async () => {
    await opened('room', 'viewer');
    await expect.poll(() => page.title()).toBe('ward - csiflow live');
    const { topology } = service.main;
    const environments = [{ ...topology.environments[0]!, name: 'Ward 3' }];
    service.main.topology = { ...topology, environments };
    await expect.poll(() => page.title()).toBe('Ward 3 - csiflow live');
  });
});
