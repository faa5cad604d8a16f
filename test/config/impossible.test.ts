import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { hostFault, urlFault } from '../../pipeline/base/host.js';
import { NetworkReach, parseTopology, type LoadOptions } from '../../pipeline/config/index.js';
import type { Environment } from '../../pipeline/model/index.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-impossible-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const environments = [{ id: 'ward', name: 'ward', zones: [], links: [] }] as unknown as Environment[];

/** Codes and locations of the problems of a source, operators and a sink. */
function found(
  parts: Readonly<Record<'source' | 'operators' | 'sink', string>>,
  options?: Partial<LoadOptions>,
) {
  const text = `id: ward\nsources:\n  in: { ${parts.source} }\noperators: { ${parts.operators} }\nsinks:\n  out: { ${parts.sink} }\n`;
  const source = { text, shown: 't.yaml', file: null, folder, environments };
  const { problems } = parseTopology(source, components, { env: {}, ...options });
  return problems
    .filter(({ file }) => file === 't.yaml')
    .map(({ line, code, severity }) => `${line} ${severity} ${code}`);
}

const udp = 'type: udp';
const windows = 'windows: { type: window, from: in }';
const falls = 'falls: { type: detect-falls, from: windows }';
const console = 'type: console, from: falls';
const good = { source: udp, operators: `${windows}, ${falls}`, sink: console };

test('accepts what is possible', () => {
  expect(found(good)).toEqual([]);
});

describe('an impossible host is an error', () => {
  const line = { source: 3, sink: 6 };
  test.each([
    ['source', 'type: udp, host: 300.0.0.1'],
    ['source', 'type: mqtt, url: "mqtt://10.0.0.256:1883", topics: [csi]'],
    ['source', 'type: kafka, brokers: ["kafka_1..example:9092"], topics: [csi]'],
    ['sink', 'type: influxdb, from: falls, url: "http://influx..example:8086"'],
    ['sink', 'type: mqtt, from: falls, url: "mqtts://-broker.example"'],
    ['sink', 'type: webhook, from: falls, url: "https://10.0.0.999/x", secret: 0123456789abcdef'],
    ['sink', 'type: webhook, from: falls, url: "https://192.168.1.10/x", secret: 0123456789abcdef'],
  ] as const)('%s { %s }', (part, text) => {
    expect(found({ ...good, [part]: text })).toContain(`${line[part]} error config.value.host`);
  });

  test.each([
    'localhost',
    'ward-3',
    'kafka_1',
    '::1',
    '[::1]',
    'fe80::1%eth0',
    '0.0.0.0',
    'büro.example',
    'a.b.',
  ])('%s', (host) => {
    expect(hostFault(host)).toBeUndefined();
  });

  test('the port in the address of a service counts too', () => {
    expect(urlFault('mqtt://broker:1883/path')).toBeUndefined();
    expect(urlFault('http://broker:99999')).toMatch(/port/);
  });
});

test.each([
  [
    'detect-falls without windows',
    `${windows}, poses: { type: infer-pose, from: windows }`,
    'detect-falls',
    'poses',
  ],
  [
    'detect-inactivity without poses',
    `${windows}, motion: { type: detect-motion, from: windows }`,
    'detect-inactivity',
    'motion',
  ],
])('%s is an error', (_, before, type, from) => {
  const operators = `${before}, falls: { type: ${type}, from: ${from} }`;
  expect(found({ ...good, operators })).toContain('4 error config.port.missing');
});

describe('a missing calibration', () => {
  const missing = {
    ...good,
    operators: `${windows}, falls: { type: infer-pose, from: windows, calibration: ../no.json }`,
  };

  test('gives a warning, as it may be created before the start', () => {
    expect(found(missing)).toEqual(['4 warning config.file.missing']);
  });

  test('outside the permitted paths does not reveal whether it exists', () => {
    const reach = new NetworkReach({ folder, files: new Set(), variables: new Set() });
    expect(found(missing, { reach })).toEqual(['4 error config.file.outside']);
  });
});

describe('the model of infer-pose', () => {
  const weighed = (weights: string) =>
    found({
      ...good,
      operators: `${windows}, falls: { type: infer-pose, from: windows, weights: ${weights} }`,
    });

  test('is an error if a name is that of no shipped model', () => {
    expect(weighed('general')).toEqual([]);
    expect(weighed('genral')).toEqual(['4 error config.value.invalid']);
  });

  test('gives a warning if its folder is missing, as it may be created before the start', () => {
    expect(weighed('./no-model')).toEqual(['4 warning config.file.missing']);
  });
});

describe('the files of a pattern', () => {
  const reading = (fields: string) => found({ ...good, source: `type: file, ${fields}` });

  test('give a warning if none matches, unless they are waited for', () => {
    expect(reading('path: "no-*.csi"')).toEqual(['3 warning config.file.missing']);
    expect(reading('path: "no-*.csi", follow: true')).toEqual([]);
    writeFileSync(join(folder, 'yes-1.csi'), '');
    expect(reading('path: "yes-*.csi"')).toEqual([]);
  });

  test('outside the permitted paths do not reveal whether they exist; links are excluded', () => {
    symlinkSync('/etc/hostname', join(folder, 'far-1.csi'));
    const reach = new NetworkReach({ folder, files: new Set(), variables: new Set() });
    const sent = (path: string) => found({ ...good, source: `type: file, path: "${path}"` }, { reach });
    expect(sent('../*/yes-*.csi')).toEqual(['3 error config.file.outside']);
    expect(sent('far-*.csi')).toEqual(['3 warning config.file.missing']);
  });
});
