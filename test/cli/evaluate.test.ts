import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { csiflow } from '../support/csiflow.js';
import { temporaryFolder } from '../support/flow.js';

describe.each(['chain', 'suite'])('evaluate %s', (command) => {
  test('refuses a folder of --out that cannot be written to before it measures', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const { code, err } = await csiflow('evaluate', command, '--out', file);
    expect(err).toMatch(/^csiflow: --out \S+ must be a folder that can be written to: ENOTDIR/);
    expect(code).toBe(3);
  });

  test('refuses a folder with the report of another topology before it measures', async () => {
    const out = temporaryFolder();
    const report = JSON.stringify({ topology: 'ward-3.yaml', tables: [], tasks: [] });
    for (const name of ['accuracy.json', 'suite.json']) writeFileSync(join(out, name), report);
    const { code, err } = await csiflow('evaluate', command, '--out', out);
    expect(err).toMatch(/is of ward-3\.yaml, not of demo\.yaml: remove it/);
    expect(err).not.toMatch(/begun/);
    expect(code).toBe(1);
  });
});

describe('evaluate chain on a topology without what a table measures', () => {
  const room = packageFile('topologies/calibrated-room.yaml');

  test('refuses tables that --only names, and says what to add', async () => {
    const { code, err } = await csiflow(
      'evaluate',
      'chain',
      '--topology',
      room,
      '--only',
      'walking',
      'falls',
    );
    expect(err).toBe(
      [
        'csiflow: table walking: calibrated-room has no infer-pose: add one, and name it in `from` of a sink',
        'table falls: calibrated-room has no detect-falls: add one, and name it in `from` of a sink\n',
      ].join('\n'),
    );
    expect(code).toBe(2);
  });

  test('measures nothing if no table remains', async () => {
    const { code, err } = await csiflow('evaluate', 'chain', '--topology', room);
    expect(err).toContain('table empty: calibrated-room has no infer-pose');
    expect(err).toContain('table day: no sink of calibrated-room reads detect-activity');
    expect(err).not.toContain('begun');
    expect(code).toBe(2);
  });
});

test.each([
  ['--device', 'nexmon'],
  ['--rate', '20'],
  ['--snr', '20,25'],
  ['--echo', '10'],
])('refuses %s if no table applies it', async (option, value) => {
  const tables = ['receivers', 'foreign', 'recordings', 'real-falls'];
  const { code, err } = await csiflow('evaluate', 'chain', option, value, '--only', ...tables);
  expect(err).toContain(`leave out ${option}`);
  expect(err).toContain('does not apply to tables with their own receivers: foreign, receivers, recordings');
  expect(code).toBe(2);
});

test.each(['', '21', '-21', 'loud'])('refuses %j as --echo', async (value) => {
  const { code, err } = await csiflow('evaluate', 'chain', '--echo', value);
  expect(err).toContain('It must be a number from -20 to 20.');
  expect(code).toBe(2);
});

test.each(['25', '25,20', '20,25,30', '20,70'])('refuses %s as a range of --snr', async (range) => {
  const { code, err } = await csiflow('evaluate', 'chain', '--snr', range);
  expect(err).toMatch(/'--snr <decibels>' argument '[\d,]+' is invalid/);
  expect(code).toBe(2);
});
