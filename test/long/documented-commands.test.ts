import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { FILES, SAMPLES } from '../formats/samples.js';
import { blocksOf, codeBlocks } from '../support/code-blocks.js';

// Each command of csiflow in the README and in docs/ runs here, or has a reason in LEFT why it does not. All others
// must have one.

/** By a pattern of `page: command`, what the command needs or which tests run it. The first that fits counts. */
const LEFT: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^docs\/tutorial\.md: (mkdir|csiflow)(?! inspect (udp|\/dev))/, 'long/tutorial.test.ts'],
  [/: sudo |: ssh |idf\.py|: cd esp-csi|: cd \.\.|: cd \/sys|: echo 1|: cat cfr/, 'a radio'],
  [/: csiflow replay /, 'as long as the recording: cli/recordings.test.ts replays another'],
  [/udp:\/\/|\/dev\/ttyUSB|: CSIFLOW_|: mkfifo/, 'a receiver that sends'],
  [
    /^(README|CONTRIBUTING)\.md: npm /,
    'CI installs and tests, and long/demo-in-browser.test.ts starts the demo',
  ],
  [/: npm |: npx |: node --test|: cd \/my|: sleep /, 'installs packages, or kills what it started'],
  [/: curl |: TOKEN=/, 'a running service: test/api, and test/config/code-blocks.test.ts'],
  [/: csiflow (tap|run|doctor|dead-letters) |csiflow query "(?!.*--from)/, 'a running csiflow: test/cli'],
  [/: csiflow (user|key|backup|restore|calibrate) /, 'a topology that has run: test/cli, test/api'],
  [/: csiflow (evaluate|train|bench) |: node dist\/bench\/|: \.ci\//, 'minutes to hours'],
  [/: docker|compose\/secrets|: useradd|: git clone|: install |: cp |: systemctl|: journalctl/, 'root'],
  [/: OTEL_|: mosquitto_pub|: nats |: node -e/, 'other programs and servers: test/services'],
  [/frame001\.mat/, 'a data set that is not here'],
  [/: csiflow test topologies$/, 'minutes: long/shipped-topologies.test.ts'],
];

interface Command {
  readonly page: string;
  readonly line: string;
}

/** A command over several lines is one. That of a checkout is `csiflow` too. */
const commands: readonly Command[] = blocksOf('bash').flatMap(({ page, text }) =>
  text
    .replaceAll('\\\n', '')
    .trimEnd()
    .split('\n')
    .map((line) => ({ page, line: line.replace(/^npm run csiflow -- /, 'csiflow ') })),
);
const reasonOf = ({ page, line }: Command) => LEFT.find(([pattern]) => pattern.test(`${page}: ${line}`))?.[1];
const unexplained = commands.filter((one) => reasonOf(one) === undefined);
const run = unexplained.filter(({ line }) => line.startsWith('csiflow '));
const pages = [...new Set(run.map(({ page }) => page))];

/** What a page takes for granted: the records of a kind in a file. */
const KINDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/formats/ath11k-cfr.md': { 'room.cfr': 'ath11k-cfr-file' },
  'docs/formats/atheros.md': { 'router.dat': 'atheros-log' },
  'docs/formats/espressif.md': { 'serial.log': 'esp-csi-log' },
  'docs/formats/feitcsi.md': { 'session.csi': 'feitcsi-file' },
  'docs/formats/intel5300.md': { 'csi.dat': 'intel5300-log' },
  'docs/formats/mediatek.md': { 'csi.json': 'mediatek-csi-log' },
  'docs/formats/nexmon.md': { 'room.pcap': 'nexmon-pcap' },
  'docs/formats/beamforming.md': { 'reports.pcap': 'beamforming-pcap' },
  'docs/formats/onewifi.md': { 'csi_samples.json': 'onewifi-json', 'CSI.bin': 'onewifi-file' },
  'docs/formats/picoscenes.md': { 'session.csi': 'picoscenes-file' },
  'docs/formats/realtek.md': { 'serial.log': 'realtek-csi-log', 'reports.bin': 'realtek-csi-file' },
};

/** An array of NumPy: complex values by time and subcarrier. */
function npy(times: number, subcarriers: number): Buffer {
  const described = `{'descr': '<c8', 'fortran_order': False, 'shape': (${times}, ${subcarriers}), }`;
  const header = `${described.padEnd(117)}\n`;
  const values = Float32Array.from({ length: 2 * times * subcarriers }, (_, i) => 1 + Math.sin(i * i));
  return Buffer.concat([
    Buffer.from('\x93NUMPY\x01\x00', 'latin1'),
    Buffer.from(Uint16Array.of(header.length).buffer),
    Buffer.from(header),
    Buffer.from(values.buffer),
  ]);
}

const WARD = `id: ward-3
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources: { air: { type: file, path: evening.pcap, speed: 0 } }
operators:
  windows: { type: window, from: air, length_ms: 2000, hop_ms: 200, points: 100 }
  people: { type: infer-pose, from: windows }
sinks: { history: { type: duckdb, from: people, path: data/ward-3.duckdb } }
settings: { state_folder: state }
tests:
  - name: frames of an evening without a fall are read
    input: { air: evening.pcap }
    expect:
      - { from: air, matching: { port: csi }, count: { at_least: 100 } }
`;

describe('the commands of the pages', () => {
  const root = mkdtempSync(join(tmpdir(), 'csiflow-commands-'));
  const bin = join(root, 'bin');
  const shell = (folder: string, line: string): string =>
    execFileSync('bash', ['-e', '-c', line], {
      cwd: folder,
      env: { ...process.env, HOME: root, PATH: `${bin}:${process.env['PATH']}` },
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });

  beforeAll(() => {
    const program = packageFile('dist/api/cli/csiflow.js');
    mkdirSync(bin);
    writeFileSync(join(bin, 'csiflow'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(join(bin, 'csiflow'), 0o755);
    const places = [
      '.local/share/bash-completion/completions',
      '.zsh/completions',
      '.config/fish/completions',
    ];
    for (const place of places) mkdirSync(join(root, place), { recursive: true });
    // A scene in the evening, and what csiflow stored of it.
    const scene = `csiflow simulate ${packageFile('topologies/demo.yaml')} --seconds 12`;
    shell(root, `${scene} --start 2026-03-01T19:00:00Z --out evening.pcap`);
    writeFileSync(join(root, 'ward-3.yaml'), WARD);
    shell(root, 'csiflow run ward-3.yaml --until-end --no-api');
  }, 120_000);
  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  /** A folder with the files that the page speaks of. */
  function folderOf(page: string): string {
    const folder = join(root, page.replaceAll('/', '-'));
    mkdirSync(join(folder, 'data'), { recursive: true });
    for (const [file, kind] of Object.entries(KINDS[page] ?? {})) {
      const { records } = [...SAMPLES, ...FILES].find((one) => one.kind === kind)!;
      writeFileSync(join(folder, file), Buffer.concat(records.map((each) => Buffer.from(each))));
    }
    writeFileSync(join(folder, 'walk.npy'), npy(200, 52));
    copyFileSync(packageFile('test/formats/tables/trace.mat'), join(folder, 'csi.mat'));
    for (const capture of ['evening.pcap', 'day.csi', 'ward.csi'])
      copyFileSync(join(root, 'evening.pcap'), join(folder, capture));
    if (page === 'docs/testing.md') writeFileSync(join(folder, 'ward-3.yaml'), WARD);
    else symlinkSync(packageFile('topologies'), join(folder, 'topologies'));
    for (const { text, language } of codeBlocks.filter(
      (block) => block.page === 'docs/scripts.md' && page === block.page,
    ))
      if (language === 'ts' || language === 'yaml')
        writeFileSync(join(folder, language === 'ts' ? 'on-call.ts' : 'alerts.yaml'), text, { flag: 'wx' });
    copyFileSync(join(root, 'data/ward-3.duckdb'), join(folder, 'data/ward-3.duckdb'));
    return folder;
  }

  test.each(pages)(
    '%s',
    (page) => {
      const folder = folderOf(page);
      for (const { line } of run.filter((one) => one.page === page)) {
        const own = line.replaceAll(/\/(tmp|srv)\//g, '');
        expect(() => shell(folder, own), line).not.toThrow();
      }
    },
    300_000,
  );
});

test('commands of other programs have a reason', () => {
  expect(unexplained.filter((one) => !run.includes(one))).toEqual([]);
});

test('each reason is that of a command', () => {
  for (const [pattern, reason] of LEFT)
    expect(
      commands.filter((one) => reasonOf(one) === reason).length,
      `${String(pattern)} fits no command`,
    ).toBeGreaterThan(0);
  expect(run.length).toBeGreaterThan(30);
});
