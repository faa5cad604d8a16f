// Takes the pictures of the live page in docs/images/: `npm run pictures`. It runs the demo in a folder of its own until
// the person has fallen and stood up, and needs Chromium (the variable CHROMIUM names another than /usr/bin/chromium).
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const SCREENS = { 1280: { height: 800, scale: 1 }, 390: { height: 844, scale: 2 } };
const VIEWS = ['links', 'topology', 'history', 'environment', 'settings'];
/** What each view shows once it has its data. */
const READY = {
  links: '#links tbody tr',
  topology: '#graph .node',
  history: '#heat canvas',
  environment: '.drawing .zone',
  settings: '.field',
};
/** Pictures of the room. */
const ROOMS = {
  room: { button: 'From above', colorScheme: 'dark' },
  '3d': { button: '3-D', colorScheme: 'dark' },
  'room-light': { button: 'From above', colorScheme: 'light' },
};
const images = join(import.meta.dirname, 'docs/images');

const folder = mkdtempSync(join(tmpdir(), 'csiflow-pictures-'));
const demo = spawn(
  process.execPath,
  ['dist/api/cli/csiflow.js', 'run', 'topologies/demo.yaml', '--port', '0', '--log', 'warn'],
  {
    cwd: import.meta.dirname,
    env: { ...process.env, CSIFLOW_DATA: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
try {
  const { address, password } = await announced(demo.stdout);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const pages = await Promise.all(
    Object.keys(SCREENS).map((width) => openPage(browser, Number(width), address, password)),
  );
  await Promise.all(pages.map(({ page }) => page.waitForSelector('#alarm', { timeout: 300_000 })));
  for (const { page, width } of pages) {
    for (const view of VIEWS) {
      await page.click(`nav a[href="?view=${view}"]`);
      await page.waitForSelector(READY[view]);
      if (view === 'environment') await showError(page);
      await page.waitForTimeout(2_500);
      await page.screenshot({ path: join(images, `live-${view}-${width}.png`) });
      if (view !== 'history') continue;
      await page.locator('#heat').screenshot({ path: join(images, `live-heat-${width}.png`) });
    }
  }
  // By then, the person has stood up.
  for (const { page, width } of pages) {
    await page.click('nav a[href="?view=room"]');
    for (const [name, { button, colorScheme }] of Object.entries(ROOMS)) {
      await page.emulateMedia({ colorScheme });
      await page.click(`button:text-is("${button}")`);
      await page.waitForTimeout(500);
      await page.waitForFunction(showsSkeleton, null, { timeout: 300_000, polling: 100 });
      await page.screenshot({ path: join(images, `live-${name}-${width}.png`) });
    }
  }
  await browser.close();
} finally {
  demo.kill('SIGINT');
  await new Promise((resolve) => demo.once('exit', resolve));
  rmSync(folder, { recursive: true });
}

/** Address and first password, as the demo says them. */
function announced(output) {
  return new Promise((resolve, reject) => {
    let text = '';
    output.on('data', (chunk) => {
      text += chunk;
      const address = /live page +(\S+)\//.exec(text)?.[1];
      const password = /admin \/ (\S+)/.exec(text)?.[1];
      if (address && password) resolve({ address, password });
    });
    output.on('end', () => reject(new Error(`The demo ended before it said where it is: ${text}`)));
  });
}

/**
 * The editor with the error that the simulator expects on the floor.
 *
 * @throws Error with what the page says instead
 */
async function showError(page) {
  await page.getByLabel('Show on the floor').selectOption('error');
  const answer = page.locator('#coverage [role=status]:not(:has-text("being simulated"))');
  await answer.waitFor({ timeout: 120_000 });
  const text = await answer.textContent();
  if (!text.startsWith('Expected error:')) throw new Error(`The editor shows no expected error: ${text}`);
}

/** In the page: somebody stands there, certain enough for a skeleton. */
function showsSkeleton() {
  const people = document.querySelector('#people').innerText;
  return people.includes('upright') && !people.includes('too uncertain');
}

async function openPage(browser, width, address, password) {
  const { height, scale } = SCREENS[width];
  const page = await browser.newPage({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: 'dark',
  });
  await page.goto(address);
  await page.fill('input[name=username]', 'admin');
  await page.fill('input[name=password]', password);
  await page.click('button[type=submit]');
  await page.click('text=Close the guide');
  return { page, width };
}
