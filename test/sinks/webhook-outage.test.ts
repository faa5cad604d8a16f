import { afterEach, beforeEach, expect, test } from 'vitest';
import { webhook } from '../../sinks/webhook/webhook.js';
import { alarm, counter, Radio, runnerOf, temporaryFolder, topologyOf } from '../support/flow.js';
import { stopwatch, until } from '../support/waiting.js';
import { startReceiver, type Receiver } from '../support/http-receiver.js';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await receiver.close();
});

/** On a loaded machine an answer may take seconds: only tests with a silent receiver use a short timeout. */
const line = (count: number, timeout_ms = 30_000) =>
  topologyOf(
    {
      in: { component: counter, config: { count } },
      alarms: { component: alarm, from: ['in'] },
      out: {
        component: webhook,
        from: ['alarms'],
        config: {
          url: receiver.url,
          secret: 'canary-secret-of-the-webhook',
          allow_private: true,
          timeout_ms,
          give_up_ms: 60_000,
        },
      },
    },
    temporaryFolder(),
    { checkpointIntervalMs: 100 },
  );

/** Alerts that arrived one by one while the receiver was offline: each is queued separately. */
async function oneByOne(count: number, timeout_ms?: number) {
  receiver.answer = (_call, response) => response.writeHead(503).end();
  const radio = new Radio();
  const { folder, ...topology } = line(0, timeout_ms);
  const [, ...others] = topology.nodes;
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: radio.component, queue: { capacity: 1000 } },
        alarms: { component: alarm, from: ['in'] },
        out: { component: webhook, from: ['alarms'], config: others[1]!.config },
      },
      folder,
      { checkpointIntervalMs: 100 },
    ),
  );
  await runner.start();
  const out = () => runner.status().nodes[2]!;
  for (let number = 1; number <= count; number++) {
    await radio.send([number]);
    await until('it to wait', () => out().received === number && out().queueDepth === 0);
  }
  await until('it is degraded', () => runner.status().state === 'degraded');
  receiver.calls.length = 0;
  return runner;
}

const ids = (of: Receiver) => new Set(of.calls.map(({ headers }) => headers['idempotency-key']));

test('alerts wait on disk while the receiver fails, and arrive once it recovers', async () => {
  receiver.answer = (_call, response) => {
    response.writeHead(503).end();
  };
  const runner = runnerOf(line(40));
  await runner.start();
  await until('it is degraded', () => runner.status().state === 'degraded');
  const taken: string[] = [];
  receiver.answer = (call, response) => {
    taken.push(String(call.headers['idempotency-key']));
    response.writeHead(204).end();
  };
  await until('all are there', () => new Set(taken).size === 40);
  await until('it is well again', () => runner.status().state === 'running');
  // Confirmed alerts are not sent again.
  expect(taken).toHaveLength(40);
  expect(await runner.deadLetters()).toEqual([]);
});

test('a restart sends no alert again', async () => {
  const topology = line(30);
  const first = runnerOf(topology);
  await first.start();
  await until('all are there', () => ids(receiver).size === 30);
  await first.stop();
  const second = runnerOf(topology);
  await second.start();
  await second.finished();
  expect(receiver.calls).toHaveLength(30);
});

test('a refused event is a dead letter without the secret, and the rest continues', async () => {
  receiver.answer = (call, response) => {
    response.writeHead(call.body.includes('fall_detection/7"') ? 422 : 204).end();
  };
  const runner = runnerOf(line(20));
  await runner.start();
  await until('all were tried', () => ids(receiver).size === 20);
  await runner.finished();
  const letters = await runner.deadLetters();
  expect(letters).toMatchObject([{ node: 'out', code: 'webhook.422' }]);
  expect(JSON.stringify(letters)).not.toContain('canary');
});

test.each([500, 503])(
  'an event that is always answered %i does not delay others',
  async (code) => {
    const runner = await oneByOne(12);
    const taken = new Set<string>();
    receiver.answer = (call, response) => {
      const refused = call.body.includes('fall_detection/3"');
      if (!refused) taken.add(String(call.headers['idempotency-key']));
      response.writeHead(refused ? code : 204).end();
    };
    await until('the others', () => taken.size === 11);
    await until('its name', () => (runner.status().problem ?? '').includes(`answers ${code}`));
    await runner.stop();
  },
  30_000,
);

test('an event that is never answered does not delay others', async () => {
  const runner = await oneByOne(12, 500);
  const taken = new Set<string>();
  receiver.answer = (call, response) => {
    if (call.body.includes('fall_detection/3"')) return;
    taken.add(String(call.headers['idempotency-key']));
    response.writeHead(204).end();
  };
  await until('the others', () => taken.size === 11);
  await runner.stop();
});

/** Calls it the first time only. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}

test('a slow receiver gets as many parallel calls as allowed', async () => {
  const runner = await oneByOne(40);
  let now = 0;
  let most = 0;
  const taken = new Set<string>();
  receiver.answer = (call, response) => {
    most = Math.max(most, ++now);
    const over = once(() => now--);
    // The caller has hung up: it retries.
    response.on('close', over);
    setTimeout(() => {
      over();
      taken.add(String(call.headers['idempotency-key']));
      response.writeHead(204).end();
    }, 200);
  };
  const took = stopwatch();
  await until('all are there', () => taken.size === 40);
  expect(most).toBe(4);
  // Ten rounds of 200 ms are 2 s; sequential calls would take 8 s.
  expect(took()).toBeLessThan(6000);
  await runner.stop();
});
