import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { NetworkReach, parseTopology, type LoadOptions } from '../../pipeline/config/index.js';
import { SAMPLES } from '../formats/samples.js';
import { pcapOf } from '../formats/pcap-files.js';
import { testEnvironment } from '../support/context.js';

let folder: string;
beforeAll(() => {
  const host = mkdtempSync(join(tmpdir(), 'csiflow-measurements-'));
  folder = join(host, 'topologies');
  mkdirSync(folder);
  const reports = SAMPLES.find(({ format }) => format === 'beamforming')!.records;
  const capture = pcapOf(reports, { linkType: 127 });
  for (const file of ['topologies/reports.pcap', 'reports.pcap']) writeFileSync(join(host, file), capture);
  writeFileSync(join(folder, 'reports.pcap.gz'), gzipSync(capture));
});
afterAll(() => {
  rmSync(join(folder, '..'), { recursive: true });
});

/** The errors of a topology with this source and operators. */
const found = (source: string, operators: string, options?: Partial<LoadOptions>) =>
  problemsOf(source, operators, options).filter(({ severity }) => severity === 'error');

function problemsOf(source: string, operators: string, options?: Partial<LoadOptions>) {
  const text = `id: ward\nsources: { air: { ${source} } }\noperators: { ${operators} }\nsinks: { out: { type: console, from: last } }\n`;
  const environments = [testEnvironment];
  const { problems } = parseTopology(
    { text, shown: 't.yaml', file: null, folder, environments },
    components,
    {
      env: {},
      ...options,
    },
  );
  return problems;
}

test.each([
  ['cat room.pcap', '["cat","room.pcap"]'],
  ['cat x; sleep 30', '["sh","-c","cat x; sleep 30"]'],
  ['ssh pi "tcpdump -w -"', '["sh","-c","ssh pi \\"tcpdump -w -\\""]'],
])('the command %s, written as one text, is suggested as a list that runs', (command, suggestion) => {
  const wrong = found(`type: serial, command: '${command}'`, behindWindow('detect-motion'));
  expect(wrong).toMatchObject([{ code: 'config.value.type', suggestion }]);
});

const scaled = (method: string) =>
  `scaled: { type: normalize-gain, from: air, method: ${method} }, windows: { type: window, from: scaled }, last: { type: detect-motion, from: windows }`;
const behindWindow = (type: string) =>
  `windows: { type: window, from: air }, last: { type: ${type}, from: windows }`;

test.each([
  ['type: udp, format: beamforming', scaled('rss')],
  ['type: mqtt, url: "mqtt://127.0.0.1", topics: [a], format: beamforming', scaled('snr')],
  ['type: kafka, brokers: ["127.0.0.1:9092"], topics: [a], format: beamforming', scaled('gain')],
  ['type: file, path: reports.pcap', behindWindow('infer-pose')],
  ['type: file, path: reports.pcap.gz', behindWindow('detect-falls')],
  ['type: file, path: none.pcap, records: beamforming', scaled('rss')],
])('%s: rejects what needs amplitudes', (source, operators) => {
  expect(found(source, operators).map(({ code }) => code)).toEqual(['config.measurement.amplitude']);
});

test('the problem names the node, the source and the fix', () => {
  const [problem] = found('type: file, path: reports.pcap', scaled('rss'));
  expect(problem).toMatchObject({ line: 3 });
  expect(problem!.message).toBe(
    '`scaled` (normalize-gain) needs the amplitudes of channel estimates, to scale them by `method: rss`; `mean` works without them: ' +
      '`air` outputs beamforming reports, which have no absolute amplitude',
  );
});

test.each([
  ['type: file, path: reports.pcap', scaled('mean')],
  ['type: udp', scaled('rss')],
  ['type: file, path: not-there.pcap', scaled('rss')],
])('%s: accepts what works without them', (source, operators) => {
  expect(found(source, operators)).toEqual([]);
});

test.each([
  ['mean', 'infer-pose', ['config.measurement.level']],
  ['steps', 'infer-pose', []],
  ['mean', 'detect-motion', []],
])('normalize-gain with `method: %s` before %s: %j', (method, type, codes) => {
  const operators = `gain: { type: normalize-gain, from: air, method: ${method} }, windows: { type: window, from: gain }, last: { type: ${type}, from: windows }`;
  const problems = problemsOf('type: udp', operators).filter(({ code }) =>
    code.startsWith('config.measurement'),
  );
  expect(problems.map(({ code }) => code)).toEqual(codes);
  for (const { severity, message } of problems) {
    expect(severity).toBe('warning');
    expect(message).toBe(
      '`last` (infer-pose) needs the levels of its links, which `gain` removes: it will see nobody',
    );
  }
});

test('a forbidden file is not read', () => {
  const reach = new NetworkReach({ folder, files: new Set(), variables: new Set() });
  const codes = found('type: file, path: ../reports.pcap', scaled('rss'), { reach }).map(({ code }) => code);
  expect(codes).toHaveLength(1);
  expect(codes).not.toContain('config.measurement.amplitude');
});
