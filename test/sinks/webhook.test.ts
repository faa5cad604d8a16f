import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Context, Sink } from '../../pipeline/component/index.js';
import { AddressError, checkLiteral } from '../../sinks/webhook/address.js';
import { retryAfter } from '../../sinks/webhook/endpoint.js';
import { HourlyLimit } from '../../sinks/webhook/hourly-limit.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { redact } from '../../pipeline/base/secrets.js';
import { webhook } from '../../sinks/webhook/webhook.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { startReceiver, type Call, type Receiver } from '../support/http-receiver.js';
import { sensedEvent } from '../support/records.js';

const secret = 'canary-secret-of-the-webhook';

let receiver: Receiver;
let sinks: Sink[];
/** Milliseconds of the clock, set by the test. */
let elapsed: number;

beforeEach(async () => {
  receiver = await startReceiver();
  sinks = [];
  elapsed = 0;
});
afterEach(async () => {
  for (const sink of sinks) await sink.close();
  await receiver.close();
});

async function open(config: object = {}, overrides: Partial<Context> = {}): Promise<Sink> {
  const clock = { now: () => 1_700_000_000_000_000, elapsed: () => elapsed };
  const { context } = testContext({ clock, ...overrides });
  const filled = withDefaults(webhook, { url: receiver.url, secret, allow_private: true, ...config });
  const sink = webhook.create(filled as never, context);
  sinks.push(sink);
  await sink.open();
  return sink;
}

const status =
  (code: number, headers: Record<string, string> = {}, body = '') =>
  (_call: Call, response: Parameters<Receiver['answer']>[1]) => {
    response.writeHead(code, headers).end(body);
  };

/** Responds with these codes in turn, then 204. */
function answers(...codes: number[]): void {
  receiver.answer = (call, response) => {
    status(codes.shift() ?? 204)(call, response);
  };
}

const rejection = (work: Promise<unknown>): Promise<Error & { code?: string; retriable?: boolean }> =>
  work.then(
    () => {
      throw new Error('it did not reject');
    },
    (error: unknown) => error as Error,
  );

/** The function of docs/webhooks.md for authors of receivers. */
const page = readFileSync(packageFile('docs/webhooks.md'), 'utf8');
const module = `${/```js\n(.*?)```/s.exec(page)![1]!}\nexport { isGenuine };`;
const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(module)}`)) as {
  isGenuine: (headers: Call['headers'], body: string, secret: string) => boolean;
};

describe('webhook', () => {
  test('an alert is posted as JSON, signed, with its stable id', async () => {
    const sink = await open();
    expect(await sink.write([sensedEvent(7)], 1)).toEqual([]);
    const [call] = receiver.calls;
    expect(JSON.parse(call!.body)).toMatchObject({
      type: 'alert',
      alert_id: 'test-room/fall_detection/7',
      timestamp: '2023-11-14T22:13:20.700Z',
      alert_type: 'fall_detection',
      data: { person_id: 1, confidence: 0.8125 },
      actions_required: ['medical_response', 'notification'],
    });
    expect(call!.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'test-room/fall_detection/7',
      'csiflow-event-type': 'fall_detection',
      'csiflow-timestamp': '1700000000',
    });
    const { headers, body } = call!;
    const now = vi.spyOn(Date, 'now').mockReturnValue(1_700_000_100_000);
    try {
      expect(isGenuine(headers, body, secret)).toBe(true);
      expect(isGenuine(headers, `${body} `, secret)).toBe(false);
      now.mockReturnValue(1_700_000_400_000);
      expect(isGenuine(headers, body, secret)).toBe(false);
    } finally {
      now.mockRestore();
    }
  });

  test('sends only selected types and severities, and no claims of senders', async () => {
    const sink = await open({ events: ['fall_detection', 'crowd'], min_severity: 'high' });
    await sink.write(
      [
        sensedEvent(1),
        sensedEvent(2, { type: 'zone_left' }),
        sensedEvent(3, { severity: 'medium' }),
        sensedEvent(4, { source: 'node-1' }),
        sensedEvent(5, { type: 'crowd', severity: 'critical' }),
      ],
      1,
    );
    expect(receiver.calls.map(({ headers }) => headers['idempotency-key']).sort()).toEqual([
      'test-room/fall_detection/1',
      'test-room/fall_detection/5',
    ]);
    // Not in silence: an own operator may have named another source by mistake.
    expect(sink.describe!()).toMatchObject({ claims_skipped: 1 });
  });

  test.each([500, 502, 504, 408, 425])('%i: this event is sent again, and then delivered', async (code) => {
    const sink = await open({ max_in_flight: 1 });
    answers(code);
    const [failure, ...others] = await sink.write([sensedEvent(1), sensedEvent(2)], 1);
    expect(failure).toMatchObject({ record: sensedEvent(1), code: `webhook.${code}`, retriable: true });
    expect(failure!.reason).toContain(`http://127.0.0.1:${receiver.port} answers ${code}`);
    expect(others).toEqual([]);
    expect(await sink.write([sensedEvent(1)], 1)).toEqual([]);
    expect(receiver.calls).toHaveLength(3);
  });

  test.each([503, 429, 401, 403])('%i: all are sent again, and then delivered', async (code) => {
    const sink = await open();
    answers(code);
    const error = await rejection(sink.write([sensedEvent(1)], 1));
    expect(error).toMatchObject({ code: `webhook.${code}`, retriable: true });
    expect(error.message).toContain(`http://127.0.0.1:${receiver.port} answers ${code}`);
    expect(await sink.write([sensedEvent(1)], 1)).toEqual([]);
    expect(receiver.calls).toHaveLength(2);
  });

  test.each([400, 404, 410, 422])('%i: a dead letter with the reason', async (code) => {
    const sink = await open();
    receiver.answer = status(code, {}, 'no such\n alarm');
    expect(await sink.write([sensedEvent(1)], 1)).toEqual([
      {
        record: sensedEvent(1),
        code: `webhook.${code}`,
        reason: `http://127.0.0.1:${receiver.port} answers ${code}: it rejects this event ("no such alarm")`,
        retriable: false,
      },
    ]);
    expect(receiver.calls).toHaveLength(1);
  });

  test('waits as long as the receiver asks', async () => {
    const sink = await open();
    receiver.answer = status(429, { 'retry-after': '30' });
    await rejection(sink.write([sensedEvent(1)], 1));
    receiver.answer = status(204);
    elapsed = 29_000;
    const error = await rejection(sink.write([sensedEvent(1)], 1));
    expect(error).toMatchObject({ code: 'webhook.429', retriable: true });
    expect(receiver.calls).toHaveLength(1);
    elapsed = 30_001;
    expect(await sink.write([sensedEvent(1)], 1)).toEqual([]);
    expect(receiver.calls).toHaveLength(2);
  });

  test('delivered events are not sent again with undelivered ones', async () => {
    const sink = await open({ max_in_flight: 1 });
    answers(204, 422, 500, 503);
    const events = [1, 2, 3, 4].map((index) => sensedEvent(index));
    const failed = await sink.write(events, 1);
    expect(failed.map(({ code, record }) => [code, record])).toEqual([
      ['webhook.422', events[1]],
      ['webhook.500', events[2]],
      ['webhook.503', events[3]],
    ]);
    expect(await sink.write([events[2]!, events[3]!], 1)).toEqual([]);
    expect(receiver.calls.slice(4).map(({ headers }) => headers['idempotency-key'])).toEqual([
      'test-room/fall_detection/3',
      'test-room/fall_detection/4',
    ]);
  });

  test('sends the most severe waiting events first, and failed ones last', async () => {
    const sink = await open({ max_in_flight: 1, events: ['fall_detection', 'crowd'] });
    answers(500);
    const [failed, low] = [sensedEvent(1, { severity: 'critical' }), sensedEvent(2, { severity: 'low' })];
    await sink.write([failed], 1);
    await sink.write([failed, low, sensedEvent(3), sensedEvent(4, { severity: 'critical' })], 1);
    expect(receiver.calls.slice(1).map(({ headers }) => headers['idempotency-key'])).toEqual([
      // The first one has none ahead of it.
      'test-room/fall_detection/1',
      'test-room/fall_detection/4',
      'test-room/fall_detection/3',
      'test-room/fall_detection/2',
    ]);
  });

  test('drops an event that waits too long', async () => {
    const sink = await open({ give_up_ms: 60_000 });
    receiver.answer = status(503);
    await rejection(sink.write([sensedEvent(1)], 1));
    elapsed = 60_000;
    const [failure] = await sink.write([sensedEvent(1)], 1);
    expect(failure).toMatchObject({ code: 'webhook.gave_up', retriable: false });
    expect(failure!.reason).toMatch(
      /^given up after 2 attempts; the last: .* answers 503: it is in trouble$/,
    );
  });

  test('a receiver that hangs times out', async () => {
    const sink = await open({ timeout_ms: 100 });
    receiver.answer = () => undefined;
    expect(await rejection(sink.write([sensedEvent(1)], 1))).toMatchObject({
      code: 'ETIMEDOUT',
      retriable: true,
    });
  });

  test('the status of an endless answer counts', async () => {
    const sink = await open({ timeout_ms: 1000 });
    receiver.answer = (_call, response) => {
      response.writeHead(200);
      response.write('to be continued');
    };
    expect(await sink.write([sensedEvent(1)], 1)).toEqual([]);
  });

  test('an answer that repeats the secret does not show it, even if it is not `${secret:…}`', async () => {
    const sink = await open({ secret: 'inline-canary-0123456789' });
    receiver.answer = (_call, response) => {
      response.writeHead(422).end('wrong key: inline-canary-0123456789');
    };
    const [failure] = await sink.write([sensedEvent(1)], 1);
    expect(redact(failure!.reason)).toContain('wrong key: ***');
  });

  test('an endless answer is not read', async () => {
    const sink = await open();
    let sent = 0;
    receiver.answer = (_call, response) => {
      response.writeHead(400);
      const more = () => {
        if (response.destroyed) return;
        sent += 1024;
        response.write('x'.repeat(1024), () => setImmediate(more));
      };
      more();
    };
    const [failure] = await sink.write([sensedEvent(1)], 1);
    expect(failure!.reason.length).toBeLessThan(400);
    expect(sent).toBeLessThan(10_000_000);
  });

  test('retries a receiver that disconnects, and one that is unreachable', async () => {
    const sink = await open();
    receiver.answer = (_call, response) => {
      response.destroy();
    };
    expect(await rejection(sink.write([sensedEvent(1)], 1))).toMatchObject({
      code: 'ECONNRESET',
      retriable: true,
    });
    await receiver.close();
    const error = await rejection(sink.write([sensedEvent(1)], 1));
    expect(error).toMatchObject({ code: 'ECONNREFUSED', retriable: true });
    expect(error.message).toMatch(/cannot be reached: nothing listens there$/);
    receiver = await startReceiver();
  });

  test('redirects are not followed, not even to this machine', async () => {
    const sink = await open();
    const other = await startReceiver();
    receiver.answer = status(307, { location: other.url });
    const [failure] = await sink.write([sensedEvent(1)], 1);
    expect(failure).toMatchObject({ code: 'webhook.redirect', retriable: false });
    expect(other.calls).toEqual([]);
    await other.close();
  });

  test('events beyond the hourly limit are dead letters', async () => {
    const sink = await open({ max_events_per_hour: 3 });
    const failed = await sink.write(
      [1, 2, 3, 4, 5].map((index) => sensedEvent(index)),
      1,
    );
    expect(failed.map(({ code }) => code)).toEqual(['webhook.rate_limit', 'webhook.rate_limit']);
    expect(receiver.calls).toHaveLength(3);
    elapsed = 3_660_000;
    expect(await sink.write([sensedEvent(6)], 1)).toEqual([]);
  });

  test('rejects numbers that JSON cannot represent', async () => {
    const sink = await open();
    const [failure] = await sink.write([sensedEvent(1, { confidence: NaN })], 1);
    expect(failure).toMatchObject({ code: 'webhook.value.invalid', retriable: false });
    expect(receiver.calls).toEqual([]);
  });

  test('shows neither the secret nor the path of the address', async () => {
    const sink = await open({ url: `${receiver.url}/canary-key` });
    receiver.answer = status(503);
    const error = await rejection(sink.write([sensedEvent(1)], 1));
    expect(`${error.stack!}${JSON.stringify(sink.describe!())}`).not.toMatch(/canary/);
    expect(JSON.stringify(receiver.calls)).not.toContain(secret);
  });
});

describe('addresses', () => {
  test('rejects this machine unless it is allowed', async () => {
    await expect(open({ allow_private: false })).rejects.toThrow(
      /127\.0\.0\.1 is in a private or reserved network \(loopback\).*`allow_private: true`/,
    );
  });

  test('rejects a name that resolves to this machine', async () => {
    const url = `http://localhost:${receiver.port}/alerts`;
    const sink = await open({ url, allow_private: false });
    const [failure] = await sink.write([sensedEvent(1)], 1);
    expect(failure).toMatchObject({ code: 'webhook.address', retriable: false });
    expect(failure!.reason).toMatch(
      /^localhost is (127\.0\.0\.1|::1), which is in a private or reserved network/,
    );
    expect(receiver.calls).toEqual([]);
  });

  test.each([
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[fe80::1]',
    '[fd00::1]',
    '[::ffff:10.0.0.1]',
    '[64:ff9b::a00:1]',
    '[2002:a00:1::]',
    '[::7f00:1]',
    '[::a00:1]',
    '[::ffff:0:7f00:1]',
    '[4000::1]',
  ])('rejects %s', (host) => {
    expect(() => {
      checkLiteral(host);
    }).toThrow(AddressError);
  });

  test.each(['8.8.8.8', '[2001:4860:4860::8888]', 'alarms.example'])('allows %s', (host) => {
    checkLiteral(host);
  });

  test.each([
    'http://2130706433/',
    'http://0x7f.1/',
    'http://127.1/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://0177.0.0.1/',
    'http://①②⑦.1/',
  ])('%s is this machine in disguise', (url) => {
    expect(() => {
      checkLiteral(new URL(url).hostname);
    }).toThrow(AddressError);
  });
});

test.each([
  ['120', 120_000],
  ['Tue, 14 Nov 2023 22:14:20 GMT', 60_000],
  ['Tue, 14 Nov 2023 22:00:00 GMT', 0],
  ['999999999', 3_600_000],
  ['soon', 0],
  [undefined, 0],
])('Retry-After %s', (value, wait) => {
  expect(retryAfter(value, 1_700_000_000_000)).toBe(wait);
});

test('an hour is any 60 minutes, not an hour of the clock', () => {
  const limit = new HourlyLimit(2);
  const at = (minute: number) => limit.take(minute * 60_000);
  expect([at(0.9), at(50), at(60.8), at(61), at(110.9), at(111)]).toEqual([
    true,
    true,
    false,
    true,
    false,
    true,
  ]);
});
