import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { Csiflow, csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-test-command-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Vitals of node 1: motion 1, presence score 0.9, a fall, 4 persons. */
const VITALS = '020011c50103dc05e0750900d00400000000803f6666663f0000000000000000';

let files = 0;

/** A topology without a network, with `tests`. */
function topology(tests: string): string {
  const path = join(folder, `t${files++}.yaml`);
  writeFileSync(
    path,
    `id: t
environment: ${packageFile('topologies/environments/esp32-pair.yaml')}
sources:
  routers: { type: udp }
operators:
  windows: { type: window, from: routers, length_ms: 1000, hop_ms: 500, points: 50 }
  motion: { type: detect-motion, from: windows }
sinks:
  history: { type: duckdb, from: [routers, motion], path: nowhere/t.duckdb }
tests:
${tests}`,
  );
  return path;
}

const run = async (tests: string, ...options: readonly string[]) => {
  const path = topology(tests);
  return { path, ...(await csiflow('test', path, ...options)) };
};

const VITALS_IN = `input: { routers: [{ at_ms: 100, hex: ${VITALS} }] }`;
const WALK_IN =
  'input: { routers: { type: simulator, seed: 3, rate_hz: 25, duration_s: 4, people: [{ script: [{ activity: walk, seconds: 9 }] }] } }';

describe('a test that fails', () => {
  test('ends with 1 and shows the expectation, its place, the nearest record and the difference', async () => {
    const { path, code, output } = await run(`  - name: claims
    ${VITALS_IN}
    expect:
      - { from: routers, contains: { name: occupancy, source: node-1, value: 3 } }
`);
    expect(code).toBe(1);
    expect(output).toContain(
      `${path}:14:9 routers must output {"name":"occupancy","source":"node-1","value":3}, but had`,
    );
    expect(output).toContain('- value: expected 3, was 4');
    expect(output).toContain('1 tests: 0 passed, 1 failed');
  });

  test('each rule names what it expected', async () => {
    const { output } = await run(`  - name: rules
    ${VITALS_IN}
    expect:
      - { from: routers, none: { name: occupancy } }
      - { from: routers, matching: { port: measure }, every: { value: { between: [0, 1] } } }
      - { from: routers, in_order: [{ name: occupancy }, { name: never }] }
      - { from: history, matching: { name: occupancy }, count: 2 }
      - { from: routers, contains: { name: occupancy }, within_ms: 10, after: { at_ms: 50 } }
      - { from: routers, contains: { name: occupancy }, within_ms: 10, after: { at_ms: 500 } }
      - { from: motion, every: { value: 0 } }
      - { state: degraded }
      - { has_been: restarting }
      - { dead_letters_of: routers, count: { at_least: 1 } }
`);
    const lines = output.split('\n').filter((line) => line.includes('.yaml:'));
    expect(lines.map((line) => line.replace(/^.*\.yaml:(\d+):\d+ /, '$1 '))).toEqual([
      expect.stringContaining('rules'),
      expect.stringMatching(/^14 routers must output nothing like .* but had 1; the first:$/),
      expect.stringMatching(/^15 every record of routers .* are not; the first:$/),
      expect.stringMatching(/^16 the second of the order is missing after record \d+/),
      expect.stringMatching(/^17 history must have 2, but had 1 of \d+ records like/),
      expect.stringMatching(/^18 .* within 10 ms after 50 ms of the input, but did so after 50 ms:$/),
      expect.stringMatching(/^19 .* but did so 400 ms before it:$/),
      expect.stringMatching(/^20 every record of motion .* but there is none/),
      expect.stringMatching(/^21 the topology must be degraded at the end, but is running/),
      expect.stringMatching(/^22 the topology must have been restarting, but was only/),
      expect.stringMatching(/^23 the dead letters of routers must have at least 1, but had 0 records/),
    ]);
  });

  test('a topology that does not start is reported with its reason', async () => {
    const path = join(folder, 'broken.yaml');
    writeFileSync(join(folder, 'broken.json'), '{');
    writeFileSync(
      path,
      `id: t
environment: ${packageFile('topologies/environments/esp32-pair.yaml')}
sources: { routers: { type: udp } }
operators:
  windows: { type: window, from: routers, length_ms: 2000, hop_ms: 200, points: 100 }
  poses: { type: infer-pose, from: windows, calibration: ./broken.json }
sinks: { out: { type: console, from: poses } }
tests: [{ name: starts, expect: [{ from: poses, count: 0 }] }]
`,
    );
    const { code, output } = await csiflow('test', path);
    expect(code).toBe(1);
    expect(output).toContain('broken.yaml:8:17 the topology did not start: poses (infer-pose)');
  });
});

test('a damaged capture ends the test soon with the position of the damage', async () => {
  writeFileSync(join(folder, 'damaged.csi'), 'CSIFLOWC, but no capture');
  const { code, output } = await run(`  - name: damaged
    input: { routers: damaged.csi }
    expect: [{ from: routers, count: 0 }]
`);
  expect(code).toBe(1);
  expect(output).toMatch(
    /t\d+\.yaml:11:11 the topology did not start: routers \(udp\): byte 8: this is a capture of version/,
  );
});

describe('a mocked sink', () => {
  test('receives everything in order after an outage, without waiting for the clock', async () => {
    const began = performance.now();
    const { code, output } = await run(`  - name: away for ten minutes
    ${WALK_IN}
    run_on_ms: 1200000
    sinks: { history: { away_from_ms: 1000, away_for_ms: 600000 } }
    expect:
      - { has_been: degraded }
      - { state: running }
      - { outbox_of: history, count: 0 }
      - { from: history, matching: { name: motion, subject: null }, in_order: [{ at_ms: { at_most: 2000 } }, { at_ms: { at_least: 3000 } }] }
`);
    expect(code, output).toBe(0);
    expect(performance.now() - began).toBeLessThan(60_000);
  });

  test('detects an outage that lasts only a moment', async () => {
    const { code, output } = await run(`  - name: one write
    ${WALK_IN}
    sinks: { history: { fail_writes: 1 } }
    expect: [{ has_been: degraded }, { state: running }, { outbox_of: history, count: 0 }]
`);
    expect(code, output).toBe(0);
  });

  test('that never recovers leaves its records in the outbox, and does not end the test', async () => {
    const { code, output } = await run(`  - name: away for ever
    ${WALK_IN}
    sinks: { history: { away_from_ms: 0 } }
    expect:
      - { state: degraded }
      - { from: history, count: 0 }
      - { outbox_of: history, contains: { name: motion } }
`);
    expect(code, output).toBe(0);
  });

  test('leaves an encrypted outbox that can be inspected, if the topology is encrypted', async () => {
    const away = `  - name: away for ever
    ${WALK_IN}
    sinks: { history: { away_from_ms: 0 } }
    expect: [{ outbox_of: history, contains: { name: motion } }]
settings: { privacy: { enable_encryption: true } }
`;
    const { code, output } = await run(away);
    expect(code, output).toBe(0);
  });

  test('that rejects matching records makes dead letters of those alone', async () => {
    const { code, output } = await run(`  - name: refused
    ${VITALS_IN}
    sinks: { history: { refuse: { name: occupancy } } }
    expect:
      - { dead_letters_of: history, contains: { stage: write, code: test.refused, record: { name: occupancy, value: 4 } } }
      - { dead_letters_of: history, count: 1 }
      - { from: history, none: { name: occupancy } }
      - { from: history, contains: { type: fall_detection, source: node-1 } }
`);
    expect(code, output).toBe(0);
  });
});

test('the same test gives the same results, to the last digit', async () => {
  const path = topology(`  - name: twice
    ${WALK_IN}
    expect: [{ from: motion, contains: { value: -1 } }, { from: history, count: -0 }]
`);
  const results = async () =>
    (await csiflow('test', path, '--json')).output.replaceAll(/"seconds": [\d.]+/g, '');
  expect(await results()).toBe(await results());
});

test('a capture of a scene gives the same results as the scene', async () => {
  const path = topology(`  - name: scene
    ${WALK_IN}
    expect: [{ from: motion, matching: { name: motion, subject: null }, contains: { value: -1 } }]
  - name: capture
    input: { routers: walk.csi }
    expect: [{ from: motion, matching: { name: motion, subject: null }, contains: { value: -1 } }]
`);
  const scene = join(folder, 'walk.yaml');
  writeFileSync(
    scene,
    `id: walk
environment: ${packageFile('topologies/environments/esp32-pair.yaml')}
sources: { routers: { type: simulator, seed: 3, rate_hz: 25, duration_s: 4, people: [{ script: [{ activity: walk, seconds: 9 }] }] } }
`,
  );
  const simulated = await csiflow('simulate', scene, '--out', join(folder, 'walk.csi'));
  expect(simulated.code, simulated.output).toBe(0);
  const { results } = JSON.parse((await csiflow('test', path, '--json')).output) as {
    results: { unmet: { message: string; differences: { received: number }[] }[] }[];
  };
  const [first, second] = results.map(({ unmet }) => unmet[0]!);
  expect(second!.message).toBe(first!.message);
  expect(second!.differences).toEqual(first!.differences);
});

test('a capture is read from beside the file; a missing one is a located error with code 2', async () => {
  const { path, code, output } = await run(`  - name: nowhere
    input: { routers: captures/nowhere.csi }
    expect: [{ from: routers, count: 0 }]
`);
  expect(code).toBe(2);
  expect(output).toContain(
    `${path}:12:23 error config.file.missing captures/nowhere.csi: the file does not exist in`,
  );
});

test('validate checks tests too, those of a separate file with its topology', async () => {
  const path = topology('  - { name: a, expect: [{ from: motion, count: 0 }] }\n');
  const own = path.replace('.yaml', '.test.yaml');
  writeFileSync(own, 'tests: [{ name: b, expect: [{ from: motoin, count: 0 }] }]\n');
  const { code, output } = await csiflow('validate', own);
  expect(code).toBe(2);
  expect(output).toContain(`${own}:1:37 error config.test.node there is no node \`motoin\``);
  expect(output).toContain('did you mean `motion`?');
});

describe('options', () => {
  const two = `  - { name: a claim, ${VITALS_IN}, expect: [{ from: history, contains: { name: occupancy } }] }
  - { name: none, expect: [{ from: history, count: 1 }] }
`;

  test('--filter runs tests whose name contains the text; no match is an error', async () => {
    expect(await run(two, '--filter', 'claim')).toMatchObject({
      code: 0,
      output: expect.stringContaining('1 tests: 1 passed') as string,
    });
    expect(await run(two, '--filter', 'nobody')).toMatchObject({ code: 2 });
  });

  test('--format json gives results as data', async () => {
    const { code, path, output } = await run(two, '--format', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      tests: 2,
      passed: 1,
      failed: 1,
      results: [
        { name: 'a claim', passed: true, unmet: [] },
        {
          name: 'none',
          file: path,
          passed: false,
          unmet: [{ line: 12, message: expect.any(String) as string }],
        },
      ],
    });
  });

  test('--format junit gives a suite per file, with its failures', async () => {
    const { output } = await run(two, '--format', 'junit');
    expect(output).toContain('<testsuites tests="2" failures="1" errors="0"');
    expect(output).toMatch(
      /<testcase name="none" classname="t" .*>\n\s+<failure message="history must have 1/,
    );
  });

  test('--verbose shows the input and output of every node', async () => {
    const { output } = await run(two, '--filter', 'claim', '--verbose');
    expect(output).toMatch(/routers: 1 in, \d+ out, 0 failed/);
  });

  test('--help shows an example', async () => {
    expect((await csiflow('test', '--help')).output).toContain('Example:\n  csiflow test topologies');
  });
});

test('takes the tests beside a topology that is named, once', async () => {
  const path = topology('  []');
  writeFileSync(
    path.replace(/yaml$/, 'test.yaml'),
    'tests: [{ name: beside, input: {}, expect: [{ from: motion, count: 0 }] }]',
  );
  const { code, out } = await csiflow('test', path, path.replace(/yaml$/, 'test.yaml'));
  expect(code, out).toBe(0);
  expect(out.match(/beside/g)).toHaveLength(1);
});

test('Ctrl-C ends it, and leaves no temporary folder', async () => {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const steps = ['first', 'second'].map((name, index) => {
    const seconds = index === 0 ? 1 : 100_000;
    return `  - { name: ${name}, input: { routers: { type: simulator, duration_s: ${seconds} } }, expect: [{ from: routers, count: { at_least: 1 } }] }`;
  });
  const testing = new Csiflow(['test', topology(steps.join('\n')), '--timeout', '600'], {
    env: { TMPDIR: temporary },
  });
  await testing.printed(/first/);
  expect(await testing.interrupt(), testing.output).toBe(130);
  expect(readdirSync(temporary)).toEqual([]);
});
