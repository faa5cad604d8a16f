import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addSource, openService, type TestService } from '../api/support.js';
import type { DeadLetter } from '../../pipeline/state/index.js';
import { allocateBlock, csiLayout } from '../../pipeline/model/index.js';
import { canBrowse, openBrowser } from '../support/chromium.js';
import { testEnvironment } from '../support/context.js';
import { FakeTopology, fallEvent, FIRST_TIME, person, poseFrame } from '../support/fake-topology.js';

describe.runIf(canBrowse)('the live page in Chromium', () => {
  let browser: Browser;
  let service: TestService;
  let page: Page;
  let asked: string[];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    service = await openService();
    page = await browser.newPage();
    asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).host));
    await page.goto(service.server.address);
  });
  afterEach(async () => {
    await page.close();
    await service.close();
  });

  const logIn = async (password: string): Promise<void> => {
    await page.fill('input[name=username]', 'viewer');
    await page.fill('input[name=password]', password);
    await page.click('button[type=submit]');
  };

  /** Publishes until the page shows the expected text: it may still be subscribing. */
  const shows = async (selector: string, text: string, publish: () => void): Promise<void> => {
    await expect
      .poll(
        async () => {
          publish();
          return page.textContent(selector);
        },
        { timeout: 10_000, interval: 100 },
      )
      .toContain(text);
  };

  test('reports a wrong password, and opens the room for a correct one', async () => {
    await logIn('wrong');
    await expect.poll(() => page.textContent('#login-error')).toBe('Wrong name or password');
    await logIn('pw');
    await expect.poll(() => page.isVisible('#room')).toBe(true);
  });

  test('shows the room only after a login when metrics and rooms are closed', async () => {
    const closed = await openService(undefined, { loginRequired: true });
    try {
      await page.goto(closed.server.address);
      await logIn('pw');
      await expect.poll(() => page.textContent('#size')).toBe('5 x 4 m');
      await page.reload();
      await expect.poll(() => page.isVisible('#room')).toBe(true);
      await expect.poll(() => page.textContent('#size')).toBe('5 x 4 m');
    } finally {
      await page.goto('about:blank');
      await closed.close();
    }
  });

  test('shows who is where, with certainty, and that it is simulated', async () => {
    await logIn('pw');
    let index = 0;
    await shows('#people', 'Person 1, upright, at 2.0 / 2.0 m, give or take 0.4 m', () => {
      service.main.publish(poseFrame(index++));
    });
    expect(await page.textContent('#badge')).toBe('SIMULATED');
    expect(await page.textContent('#notes')).toContain('pose-test 1.0.0, trained on simulated CSI');
  });

  test('reports a missing skeleton, and draws a disc', async () => {
    await logIn('pw');
    let index = 0;
    await shows('#people', 'too uncertain for a skeleton', () => {
      service.main.publish(
        poseFrame(index++, [person(2, 2.5, 2, { articulated: false, positionError: 1.1 })]),
      );
    });
    // 0.8 m beside its middle the floor is tinted; 1.6 m beside it is not. Drawn with the next picture.
    const tinted = () =>
      page.evaluate(`(() => {
        const canvas = document.getElementById('room');
        const pixel = (x, y) => canvas.getContext('2d').getImageData(x, y, 1, 1).data;
        const scale = Math.min((canvas.width - 48) / 5, (canvas.height - 48) / 4);
        const beside = pixel(canvas.width / 2 + 0.8 * scale, canvas.height / 2 + 3);
        const outside = pixel(canvas.width / 2 + 1.6 * scale, canvas.height / 2 + 3);
        return [beside[3] > 0, outside[3] > 0];
      })()`);
    await expect.poll(tinted).toEqual([true, false]);
  });

  test('draws people where the API reports them, from above and in 3-D', async () => {
    await logIn('pw');
    let index = 0;
    await shows('#people', 'at 1.2 / 3.1 m', () => {
      service.main.publish(
        poseFrame(index++, [person(2, 1.2, 3.1, { articulated: false, positionError: 0.3 })]),
      );
    });
    const answer = await service.get('/form-b/api/v1/pose/latest?include_3d=true', service.token('viewer'));
    const { data } = (await answer.json()) as { data: { persons: { position: { x: number; y: number } }[] } };
    // The dot in the middle of the disc is the only place with the person's full colour.
    const drawnAt = () =>
      page.evaluate(`(() => {
        const canvas = document.getElementById('room');
        const { width, height } = canvas;
        const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
        const hex = getComputedStyle(canvas).getPropertyValue('--person-2').trim();
        const colour = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
        const dots = [];
        for (let i = 0; i < width * height; i++)
          if (data[4 * i + 3] === 255 && colour.every((value, part) => data[4 * i + part] === value))
            dots.push([i % width, Math.floor(i / width)]);
        const middle = (part) => dots.reduce((sum, dot) => sum + dot[part], 0) / dots.length;
        const scale = Math.min((width - 48) / 5, (height - 48) / 4);
        return [(middle(0) - width / 2) / scale + 2.5, (height / 2 - middle(1)) / scale + 2].map((metres) => Number(metres.toFixed(1)));
      })()`);
    const [{ position }] = data.persons as [{ position: { x: number; y: number } }];
    await expect.poll(drawnAt).toEqual([position.x, position.y]);
    await page.click('button:text-is("3-D")');
    await expect.poll(drawnAt).not.toEqual([position.x, position.y]);
    const before = await page.locator('#room').screenshot();
    await page.focus('#room');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(async () => (await page.locator('#room').screenshot()).equals(before)).toBe(false);
    await page.click('button:text-is("From above")');
    await expect.poll(drawnAt).toEqual([position.x, position.y]);
  });

  test('an alert is acknowledged once for all, and names the user after a reload', async () => {
    service.main.events.push(fallEvent({ time: (Date.now() - 60_000) * 1000 }));
    await logIn('pw');
    await expect.poll(() => page.textContent('#alarm')).toContain('fall detection in test-room');
    expect(await page.locator('#alerts button:text("Acknowledge")').count()).toBe(0);
    const other = await browser.newPage();
    await other.goto(service.server.address);
    await other.fill('input[name=username]', 'operator');
    await other.fill('input[name=password]', 'pw');
    await other.click('button[type=submit]');
    await other.click('#alerts button:text("Acknowledge")');
    for (const one of [other, page])
      await expect.poll(() => one.textContent('#alerts')).toContain('Acknowledged by operator at ');
    await other.close();
    await page.reload();
    await expect.poll(() => page.textContent('#alerts')).toContain('Acknowledged by operator at ');
    expect(await page.locator('#alarm').count()).toBe(0);
  });

  test('shows each alert once', async () => {
    await logIn('pw');
    await shows('#alerts', 'fall detection (high), confidence 90 %', () => {
      service.main.publish(fallEvent());
    });
    expect(await page.locator('#alerts li').count()).toBe(1);
  });

  test('a fall is on the page within two seconds, once, and still there after a reload', async () => {
    await logIn('pw');
    let index = 0;
    // Subscribed, as soon as a frame arrives.
    await shows('#people', 'Person 1', () => {
      service.main.publish(poseFrame(index++));
    });
    service.main.publish(fallEvent({ time: Date.now() * 1000 }));
    await expect.poll(() => page.locator('#alarm').count(), { timeout: 2_000, interval: 50 }).toBe(1);
    await page.reload();
    await expect.poll(() => page.textContent('#alarm')).toContain('fall detection in test-room');
    expect(await page.locator('#alerts li').count()).toBe(1);
  });

  test('turns STALE when nothing arrives any more', async () => {
    await withOwnTime(page, service);
    await logIn('pw');
    let index = 0;
    await shows('#badge', 'SIMULATED', () => {
      service.main.publish(poseFrame(index++));
    });
    await page.clock.fastForward(3_100);
    await expect.poll(() => page.textContent('#badge')).toBe('STALE');
    expect(await page.textContent('#age')).toMatch(/^simulated, \d+ s old$/);
  });

  describe('in the past', () => {
    /** Publishes the stored minute: a person who walks, nobody from frame 20 on, and nothing after frame 49. */
    const record = (): void => {
      for (let index = 0; index < 50; index++)
        service.main.publish(poseFrame(index, index < 20 ? [person(1, 1 + index / 10, 2)] : []));
    };
    const goThere = async (): Promise<void> => {
      const local = await page.evaluate(
        `new Date(${FIRST_TIME / 1000} - new Date(${FIRST_TIME / 1000}).getTimezoneOffset() * 60000).toISOString().slice(0, 16)`,
      );
      await page.fill('#minute', String(local));
    };
    const people = (): Promise<string | null> => page.textContent('#people');

    test('shows the stored people of a minute, and says that it is the past', async () => {
      record();
      await logIn('pw');
      await goThere();
      await expect.poll(people).toContain('at 1.0 / 2.0 m');
      expect(await page.textContent('#badge')).toBe('PAST');
      await page.focus('#moment');
      for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight');
      await expect.poll(people).toContain('at 2.0 / 2.0 m');
      for (let step = 0; step < 6; step++) await page.keyboard.press('ArrowRight');
      await expect.poll(people).toBe('Nobody is seen.');
      await page.keyboard.press('End');
      await expect.poll(people).toBe('Nothing is stored of this moment.');
      await page.click('button:text("Now")');
      await expect.poll(() => page.textContent('#badge')).not.toBe('PAST');
    });

    test('other views are of now, and the room is shown at the past time again after them', async () => {
      record();
      await logIn('pw');
      await goThere();
      await expect.poll(people).toContain('at 1.0 / 2.0 m');
      await page.click('nav a:text("Links")');
      let index = 100;
      await shows('#people', 'at 3.0 / 3.0 m', () => {
        service.main.publish(poseFrame(index++, [person(1, 3, 3)]));
      });
      expect(await page.textContent('#badge')).toBe('SIMULATED');
      await page.click('nav a:text("Room")');
      await expect.poll(people).toContain('at 1.0 / 2.0 m');
      expect(await page.textContent('#badge')).toBe('PAST');
    });

    test('plays the minute at its own speed', async () => {
      record();
      await withOwnTime(page, service);
      await logIn('pw');
      await goThere();
      await expect.poll(people).toContain('at 1.0 / 2.0 m');
      // Only what the test says passes from here on, however slow the machine is.
      await page.clock.pauseAt(Date.now() + 10_000);
      await page.click('button:text("Play")');
      await page.clock.runFor(500);
      expect(await people()).not.toContain('at 2.0 / 2.0 m');
      await page.clock.runFor(600);
      await expect.poll(people).toContain('at 2.0 / 2.0 m');
      await page.click('button:text("Pause")');
      await page.clock.runFor(3_000);
      expect(await people()).toContain('at 2.0 / 2.0 m');
    });

    test('an alert leads to its room and time', async () => {
      const time = Date.now() * 1000 - 300e6;
      service.main.events.push(fallEvent({ time }));
      service.main.publish({
        ...poseFrame(0, [person(1, 3.5, 1.5, { posture: 'lying' })]),
        time: time - 1e6,
      });
      await logIn('pw');
      await page.click('nav a:text("Links")');
      await page.click('#alerts button:text("Go there")');
      await expect.poll(people).toContain('lying, at 3.5 / 1.5 m');
      expect(await page.textContent('#badge')).toBe('PAST');
    });

    test('the slider goes to a minute of the last day', async () => {
      const now = Math.floor(Date.now() / 60_000) * 60_000;
      service.main.publish({ ...poseFrame(0), time: (now - 120_000) * 1000 });
      // The next minute is far away, however slow the machine is.
      await withOwnTime(page, service, now);
      await logIn('pw');
      await page.focus('#day');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      await expect.poll(people).toContain('at 2.0 / 2.0 m');
    });
  });

  test('shows the alerts of the last day after a reload, and no older ones', async () => {
    const now = Date.now() * 1000;
    const kept = [
      ['old', now - 90_000e6],
      ['first', now - 7_200e6],
      ['second', now - 60e6],
    ] as const;
    for (const [id, time] of kept) service.main.events.push(fallEvent({ id, time }));
    await logIn('pw');
    await expect.poll(() => page.locator('#alerts li').count()).toBe(2);
    await page.reload();
    await expect.poll(() => page.locator('#alerts li').count()).toBe(2);
    expect(await page.textContent('#alerts li')).toContain(
      new Date((now - 60e6) / 1000).toLocaleTimeString('en-US'),
    );
  });

  test('reloads alerts that could not be loaded before the store was open', async () => {
    const { reader } = service.main;
    await withOwnTime(page, service);
    service.main.readers.clear();
    service.main.events.push(fallEvent({ time: (Date.now() - 60_000) * 1000 }));
    await logIn('pw');
    await expect.poll(() => page.textContent('#alerts-note')).toContain('No store is open');
    service.main.readers.set('history', reader);
    await page.clock.fastForward(2_100);
    await expect.poll(() => page.locator('#alerts li').count()).toBe(1);
    expect(await page.textContent('#alerts-note')).toBe('');
  });

  test('while the service is offline, everything is grey and shows its age', async () => {
    await withOwnTime(page, service);
    await logIn('pw');
    let index = 0;
    await shows('#people', 'Person 1', () => {
      service.main.publish(poseFrame(index++));
    });
    await expect.poll(() => page.textContent('#engine')).toContain('Health');
    await service.close();
    // Another one for afterEach to close; the page does not know it.
    service = await openService();
    const classes = (id: string) => page.getAttribute(id, 'class');
    await page.clock.fastForward(3_100);
    await expect.poll(() => classes('#people')).toContain('stale');
    // Immediately, not when the next status is overdue: a dead service's health must not be shown.
    await expect.poll(() => classes('#engine'), { timeout: 3_000 }).toContain('stale');
    expect(await page.textContent('#away')).toMatch(/^The service has not answered for \d+ s, since /);
    expect(await classes('#live')).toBe('away');
    expect(await page.textContent('#people')).toContain('Person 1');
    expect(await page.textContent('#people-age')).toMatch(/^as of \d+ (s|min|h|days) ago$/);
    expect(await page.textContent('#engine-age')).toMatch(/^as of \d+ s ago$/);
  }, 60_000);

  test('links show whether they count and why not, and the line a stranger lacks', async () => {
    service.main.details = {
      heard: { 'link-1': { rate: 48, last: '2026-01-01T00:00:00.000Z', rssi: -41.5 } },
      unknown_senders: {
        listed: [{ sender: 'node-7@10.0.0.4:4000', frames: 12, last: '', line: 'sender: node-7' }],
      },
    };
    await logIn('pw');
    await page.click('nav a:text("Links")');
    await expect.poll(() => page.textContent('#links')).toContain('counts48–-41.5 dBm');
    expect(await page.textContent('#links')).toMatch(/ignored.*Why: no frame of its sender, .* has arrived/);
    expect(await page.textContent('#strangers')).toContain('sender: node-7');
  });

  test('operators see what a link receives, by subcarrier', async () => {
    service.main.details = {
      heard: { 'link-1': { rate: 48, last: '2026-01-01T00:00:00.000Z', rssi: -41.5 } },
    };
    const layout = csiLayout({
      ...{ rx: 1, tx: 2, subcarriers: [-1, 1], bandwidthMhz: 20, centreMhz: 2437, training: 'lltf' },
    });
    const block = { ...allocateBlock(layout, 1), values: Float32Array.of(3, 4, 0, -2, 1, 0, 0, 1) };
    let time = FIRST_TIME;
    const timer = setInterval(() => {
      service.main.publish({ ...block, time: Float64Array.of((time += 20_000)) });
    }, 20);
    await page.fill('input[name=username]', 'operator');
    await page.fill('input[name=password]', 'pw');
    await page.click('button[type=submit]');
    await page.click('nav a:text("Links")');
    await page.click('button[aria-label="Signal of link-1"]');
    await page.click('button:text("Receive")');
    const text = () => page.textContent('#signal');
    await expect.poll(text).toContain('Subcarriers -1 (below) to 1 (above)');
    clearInterval(timer);
    expect(await text()).toContain(
      "Amplitude of the newest frame, subcarriers -1 to 1: 2.0 to 5.0 (sender's unit)",
    );
    await page.selectOption('#signal select >> nth=2', 'receiver 1, transmitter 2');
    await expect.poll(text).toContain("subcarriers -1 to 1: 1.0 to 1.0 (sender's unit)");
    expect(await text()).toContain('without jumps, subcarriers -1 to 1: 0.0 to 1.6 rad');
    expect(await text()).toMatch(
      /Phases\. Subcarriers -1 .*Doppler\. How fast the power varies: 1\.\d Hz \(below\) to 2\d Hz/,
    );
  });

  test('viewers are not offered the signal of a link', async () => {
    service.main.details = {
      heard: { 'link-1': { rate: 48, last: '2026-01-01T00:00:00.000Z', rssi: -41.5 } },
    };
    await logIn('pw');
    await page.click('nav a:text("Links")');
    await expect.poll(() => page.textContent('#links')).toContain('counts48');
    expect(await page.locator('button:text("Signal")').count()).toBe(0);
  });

  test('authorised users can stop the topology and view its dead letters', async () => {
    service.main.deadLetters = [
      {
        id: 17,
        node: 'history',
        stage: 'write',
        code: 'store.refused',
        reason: 'the store refused it',
        record: { port: 'event', id: 'one' },
        at: Date.now() * 1000,
        attempts: 3,
        replayAsked: false,
      } as DeadLetter,
    ];
    page.on('dialog', (dialog) => void dialog.accept());
    await page.fill('input[name=username]', 'operator');
    await page.fill('input[name=password]', 'pw');
    await page.click('button[type=submit]');
    await page.click('nav a:text("Topology")');
    await expect.poll(() => page.textContent('#letters')).toContain('the store refused it');
    expect(await page.textContent('#bottleneck')).toBe('No bottleneck: no node falls behind.');
    await page.click('#letters summary');
    await expect.poll(() => page.textContent('#letters pre')).toContain('"port": "event"');
    await page.click('#letters button:text("Give it once more")');
    await expect
      .poll(() => page.locator('[role=status]').allTextContents())
      .toContain('history gets the record once more. It leaves this list as soon as history has taken it.');
    await page.click('#letters button:text("Forget")');
    await expect.poll(() => page.locator('#letters li').count()).toBe(0);
    await page.click('button:text("Stop")');
    await expect.poll(() => page.textContent('#topology-state')).toBe('stopping');
    // What waits in a topology that does not run is held up by no node.
    expect(await page.locator('#bottleneck').count()).toBe(0);
  });

  test('a machine that is too slow is named, with the lag of its source', async () => {
    addSource(service.main, 'routers');
    service.main.lagMs = 4200;
    await logIn('pw');
    await page.click('nav a:text("Topology")');
    await expect.poll(() => page.textContent('#graph')).toContain('4 s behind');
    await expect
      .poll(
        () => {
          service.main.stale += 100;
          return page.textContent('#bottleneck');
        },
        { timeout: 10_000 },
      )
      .toMatch(
        /^This machine is too slow: routers is 4\.2 s behind, and \d+ records\/s are dropped at routers\.$/,
      );
  });

  test('a long dead letter does not widen the page, and a node with letters is marked until they are gone', async () => {
    service.main.failed = 1;
    addSource(service.main, 'routers');
    const record = { port: 'event', id: 'long '.repeat(400) };
    service.main.deadLetters = [
      {
        id: 17,
        node: 'routers',
        stage: 'write',
        code: 'store.refused',
        reason: 'no',
        record,
        at: 1e15,
      } as DeadLetter,
    ];
    await page.fill('input[name=username]', 'operator');
    await page.fill('input[name=password]', 'pw');
    await page.click('button[type=submit]');
    await page.click('nav a:text("Topology")');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.click('#letters summary');
    await expect.poll(() => page.textContent('#letters pre')).toContain('long long');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await expect.poll(() => page.textContent('#graph .trouble')).toContain('1 failed');
    await page.click('#letters button:text("Forget")');
    await expect.poll(() => page.textContent('#graph .trouble')).not.toContain('1 failed');
    expect(await page.textContent('.losses')).toContain('1 failed since the start; no dead letter is left');
  });

  test('contacts no other host', async () => {
    await logIn('pw');
    await expect.poll(() => page.isVisible('#room')).toBe(true);
    expect([...new Set(asked)]).toEqual([new URL(service.server.address).host]);
  });

  test('an alert can be viewed: its clip moves', async () => {
    await logIn('pw');
    const fall = fallEvent({ time: FIRST_TIME + 3_000_000 });
    for (let index = 0; index < 60; index++)
      service.main.publish(poseFrame(index, [person(1, 0.5 + index / 15, 2)]));
    let reported = 0;
    await shows('#alerts', 'fall detection', () => {
      if (reported++ === 0) service.main.events.push(fall);
      service.main.publish(fall);
    });
    await page.click('#alerts button');
    const source = () => page.getAttribute('#clip-image', 'src');
    await expect.poll(source).toContain('data:image/svg+xml');
    expect(decodeURIComponent((await source())!)).toContain('>SIMULATED</text>');
    expect(await page.evaluate('document.querySelector("#clip-image").naturalWidth')).toBeGreaterThan(0);
    // The screen differs from its earlier content.
    const before = await page.locator('#clip-image').screenshot();
    await expect
      .poll(async () => (await page.locator('#clip-image').screenshot()).equals(before))
      .toBe(false);
    expect(new Set(asked)).toEqual(new Set([new URL(service.server.address).host]));
  });

  test('while the clip of an alert loads, its dialog says so', async () => {
    await page.route(/\/clip/, () => undefined);
    await logIn('pw');
    const fall = fallEvent({ time: FIRST_TIME });
    service.main.events.push(fall);
    await shows('#alerts', 'fall detection', () => {
      service.main.publish(fall);
    });
    await page.click('#alerts button');
    await expect.poll(() => page.textContent('#clip-note')).toBe('Loading…');
  });

  test('without poses, it shows motion and presence, and what is missing', async () => {
    const nodes = service.main.topology.nodes.filter(({ id }) => id === 'live');
    const unread = nodes.map((node) => ({
      ...node,
      inputs: [{ from: 'motion', ports: ['event' as const] }],
    }));
    service.main.topology = { ...service.main.topology, nodes: unread };
    const rooms = (presence: boolean | null, second: number) => ({
      'test-room': {
        time: `2026-01-01T00:00:0${second}.000Z`,
        origin: 'replay',
        motion: 0.71,
        presence_probability: 0.93,
        presence,
      },
    });
    service.main.details = { rooms: rooms(null, 1) };
    await withOwnTime(page, service);
    await logIn('pw');
    const motion = () => page.textContent('#motion');
    await expect
      .poll(motion)
      .toBe('Not known yet whether somebody is there: 93 % likely. Motion: 0.71 (0 to 1).');
    expect(await page.textContent('#badge')).toBe('REPLAY');
    expect(await page.textContent('section[aria-label=People]')).toContain('infers no poses');
    expect(await page.textContent('section[aria-label=Alerts]')).toContain('No store keeps alerts');
    expect(await page.textContent('#alerts-note')).toBe('');
    expect(await page.textContent('#engine')).toBe('Healthgood');
    service.main.details = { rooms: rooms(true, 2) };
    await page.clock.runFor(2_500);
    await expect.poll(motion).toContain('Somebody is there');
    // Nothing newer comes, because the recording has ended.
    service.main.details = { ...service.main.details, ended: true };
    await page.clock.runFor(10_000);
    await expect.poll(() => page.textContent('#badge')).toBe('STALE');
    await expect.poll(() => page.textContent('#age')).toMatch(/^replay, ended \d+ s ago$/);
  });

  test.each([
    ['replay', { ended: true }, 'replay, ended'],
    ['live', {}, 'live, 60 min old'],
  ])('motion of %s from before the page was opened is not new', async (origin, details, age) => {
    service.main.topology = { ...service.main.topology, nodes: [] };
    const time = Date.now();
    const hourAgo = new Date(time - 3_600_000).toISOString();
    const told = { time: hourAgo, origin, motion: 0.1, presence_probability: 0.2, presence: false };
    service.main.details = { ...details, rooms: { 'test-room': told } };
    await withOwnTime(page, service, time);
    await logIn('pw');
    await expect.poll(() => page.textContent('#age')).toBe(age);
    expect(await page.textContent('#badge')).toBe('STALE');
    expect(await page.textContent('#motion')).toContain('Nobody is noticed');
  });

  test('poses that no websocket reads are not waited for', async () => {
    const nodes = service.main.topology.nodes.filter(({ id }) => id !== 'live');
    service.main.topology = { ...service.main.topology, nodes };
    service.main.details = { ended: true };
    await page.reload();
    await logIn('pw');
    await expect
      .poll(() => page.textContent('section[aria-label=People]'))
      .toContain('a websocket sink that reads them');
    await expect.poll(() => page.textContent('#age')).toBe('the input has ended');
  });

  test('without a room, it asks for the engine of none', async () => {
    service.main.topology = { ...service.main.topology, environments: [] };
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    await withOwnTime(page, service);
    await logIn('pw');
    await expect.poll(() => page.textContent('#badge')).toBe('NO DATA');
    await expect.poll(() => paths.some((path) => path.endsWith('/alerts'))).toBe(true);
    await page.clock.runFor(10_000);
    expect(paths.filter((path) => path.includes('/topologies/'))).toEqual([]);
    expect(await page.textContent('#badge')).toBe('NO DATA');
    expect(await page.locator('section[aria-label=Engine]').count()).toBe(0);
  });

  describe('with rooms of several topologies', () => {
    const hall = () => {
      const made = new FakeTopology({
        ...testEnvironment,
        id: 'hall',
        name: 'Hall',
        size: { x: 9, y: 3, z: 2.6 },
      });
      made.topology = { ...made.topology, id: 'ground-floor' };
      return made;
    };
    let other: FakeTopology;
    let site: TestService;

    beforeEach(async () => {
      other = hall();
      site = await openService(undefined, { beside: [other] });
      await page.goto(site.server.address);
    });
    afterEach(() => site.close());

    let index = 0;
    const publish = (): void => {
      index++;
      site.main.publish(poseFrame(index, [person(1, 2, 2)]));
      other.publish({ ...poseFrame(index, [person(7, 8, 1)]), environment: 'hall' });
    };

    test('one can be selected, is in the address, and can be left again', async () => {
      await logIn('pw');
      await shows('#people', 'Person 1', publish);
      await page.selectOption('#environment', 'hall');
      expect(new URL(page.url()).search).toBe('?environment=hall');
      expect(await page.textContent('#size')).toBe('9 x 3 m');
      await shows('#people', 'Person 7, upright, at 8.0 / 1.0 m', publish);
      await page.goBack();
      expect(await page.inputValue('#environment')).toBe('test-room');
      await shows('#people', 'Person 1', publish);
    });

    test('the engine is that of the selected room, and says why it is unwell', async () => {
      other.state = 'degraded';
      other.problem = 'the store is offline';
      await logIn('pw');
      await shows('#engine', 'good', publish);
      await page.selectOption('#environment', 'hall');
      await shows('#engine', 'degraded', publish);
      expect(await page.textContent('section[aria-label=Engine]')).toContain('the store is offline');
      expect(await page.textContent('section[aria-label=Engine] h2')).toContain('Engine of ground-floor');
      await expect
        .poll(
          async () => {
            publish();
            return Number(/second([\d.]+)/.exec((await page.textContent('#engine'))!)?.[1]);
          },
          { timeout: 10_000, interval: 100 },
        )
        .toBeGreaterThan(1);
      await page.selectOption('#environment', 'test-room');
      await shows('#engine', 'good', publish);
    });

    test('an address with one opens it; with a removed one, the first', async () => {
      await page.goto(`${site.server.address}/?environment=hall`);
      await logIn('pw');
      await shows('#people', 'Person 7', publish);
      await page.goto(`${site.server.address}/?environment=cellar`);
      await shows('#people', 'Person 1', publish);
    });

    test('a room whose store is offline hides no alerts of the others', async () => {
      const { reader } = other;
      other.readers.clear();
      const time = (Date.now() - 60_000) * 1000;
      site.main.events.push(fallEvent({ time }));
      other.events.push(fallEvent({ id: 'hall-fall_detection-1', environment: 'hall', time }));
      await logIn('pw');
      await expect.poll(() => page.locator('#alerts li').count()).toBe(1);
      const note = () => page.textContent('#alerts-note');
      await expect.poll(note).toMatch(/alerts of Hall could not be .*No store is open/);
      other.readers.set('history', reader);
      await expect.poll(() => page.locator('#alerts li').count()).toBe(2);
      await expect.poll(note).toBe('');
    });

    test('while the rate limit refuses earlier alerts, the page waits as long as it says', async () => {
      let requests = 0;
      await page.route('**/api/v1/alerts?*', async (route) => {
        requests++;
        const message = 'Try again in 10 minutes';
        const headers = { 'Retry-After': '600' };
        await route.fulfill({ status: 429, headers, json: { error: { message } } });
      });
      await withOwnTime(page, site);
      await logIn('pw');
      const note = () => page.textContent('#alerts-note');
      await expect.poll(note).toBe('Earlier alerts could not be loaded: Try again in 10 minutes');
      await page.clock.runFor(20_000);
      expect(requests).toBe(1);
      await page.unroute('**/api/v1/alerts?*');
      await page.clock.fastForward(600_000);
      await expect.poll(note).toBe('');
    });

    test('alerts of all are listed by room, and link there', async () => {
      await logIn('pw');
      await shows('#alerts', 'fall detection', () => {
        other.publish(fallEvent({ id: 'hall-fall_detection-1', environment: 'hall' }));
      });
      await page.click('#alerts button:text("Hall")');
      expect(await page.inputValue('#environment')).toBe('hall');
    });
  });
});

/** Opens the page with a clock that the test can advance. */
async function withOwnTime(page: Page, service: TestService, time = Date.now()): Promise<void> {
  await page.clock.install({ time });
  await page.goto(service.server.address);
}

const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  deviceScaleFactor: 3,
  hasTouch: true,
};

describe.runIf(canBrowse)('the live page on a phone', () => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  let service: TestService;
  let complaints: string[];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'csiflow-phone-'));
    service = await openService(undefined, { stateFolder: folder });
    page = await browser.newPage(PHONE);
    complaints = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (event) => console.error('CSP', event.violatedDirective));",
    );
    await withOwnTime(page, service);
    await page.fill('input[name=username]', 'viewer');
    await page.fill('input[name=password]', 'pw');
    await page.click('button[type=submit]');
  });
  afterEach(async () => {
    await page.close();
    await service.close();
    rmSync(folder, { recursive: true });
  });

  let index = 0;
  const badge = (): Promise<string | null> => {
    service.main.publish(poseFrame(++index));
    return page.textContent('#badge');
  };

  test('everything fits the width, the room is sharp, and the console is clean', async () => {
    await expect.poll(badge, { timeout: 15_000, interval: 100 }).toBe('SIMULATED');
    service.main.publish(fallEvent());
    await expect.poll(() => page.locator('#alerts li').count()).toBe(1);
    const [wide, across] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.getElementById("room").width / devicePixelRatio]',
    );
    expect(wide).toBe(360);
    expect(across).toBeGreaterThan(300);
    expect(across).toBeLessThanOrEqual(360);
    expect(complaints).toEqual([]);
  });

  test('it continues after a restart of the service', async () => {
    await expect.poll(badge, { timeout: 15_000, interval: 100 }).toBe('SIMULATED');
    const port = Number(new URL(service.server.address).port);
    await service.close();
    await page.clock.fastForward(3_100);
    await expect.poll(() => page.textContent('#badge')).toBe('STALE');
    service = await openService(undefined, { stateFolder: folder, port });
    // The page retries after a while.
    const again = async () => {
      await page.clock.fastForward(1_000);
      return badge();
    };
    await expect.poll(again, { timeout: 20_000, interval: 100 }).toBe('SIMULATED');
    expect(await page.isVisible('#room')).toBe(true);
  }, 60_000);
});
