import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrateTopology } from '../../api/cli/calibration/calibrate.js';
import { readCalibration, type Profiles } from '../../operators/infer-pose/model/calibration.js';
import { readCalibrations } from '../../operators/calibrate/link-calibration.js';
import { components } from '../../api/components.js';
import { defineOperator, Registry } from '../../pipeline/component/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { afterThisTest } from '../support/clean-up.js';
import { Csiflow, csiflow } from '../support/csiflow.js';
import { temporaryFolder } from '../support/flow.js';
import { until } from '../support/waiting.js';

const print = () => undefined;
const shipped = packageFile('topologies/environments/demo-flat.calibration.json');
const ignore: (seconds: number) => void = print;

describe('csiflow calibrate', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'csiflow-calibrate-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  /** The demo with `source` as its simulator's settings. */
  async function demoWith(source: string): Promise<string> {
    const demo = await readFile(packageFile('topologies/demo.yaml'), 'utf8');
    const file = join(folder, 'empty.yaml');
    const text = demo
      .replace(
        /flat: { type: [^]*?(?=\noperators:)/,
        `flat: { type: simulator, rate_hz: 50, snr_db: [29, 34], ${source} }`,
      )
      .replaceAll('environments/', `${packageFile('topologies/environments')}/`);
    await writeFile(file, text);
    return file;
  }

  /** Profiles of the empty flat of the demo. */
  async function profilesOf(out: string, seed: number, seconds: number, progress = ignore) {
    const start = "start_time: '2026-01-01T00:00:00Z'";
    const file = await demoWith(`people: [], seed: ${seed}, speed: 0, duration_s: 20, ${start}`);
    return (await calibrateTopology(file, { seconds, out, print, progress })).profiles;
  }

  /** Largest difference of a band. */
  const apart = (one: Profiles, other: Profiles): number =>
    Math.max(
      ...Object.entries(one).flatMap(([link, profile]) =>
        profile.map((band, index) => Math.abs(band - other[link]![index]!)),
      ),
    );

  it('measures the empty flat of the demo, for however long, and another seed is another flat', async () => {
    const out = join(folder, 'profiles.json');
    const heard: number[] = [];
    const progress = (seconds: number) => void heard.push(seconds);
    const profiles = await profilesOf(out, 5, 15, progress);
    expect(heard.at(-1)).toBe(15);
    expect(heard).toEqual(heard.toSorted((a, b) => a - b));
    expect(readCalibration(out)).toEqual({ profiles, echoes: {} });
    expect(Object.keys(profiles)).toEqual(['door-kitchen', 'door-desk', 'kitchen-window', 'desk-window']);
    expect(apart(profiles, readCalibration(shipped).profiles), 'run csiflow calibrate again').toBeLessThan(
      0.1,
    );
    // The gain's steps differ.
    expect(apart(profiles, await profilesOf(join(folder, 'shorter.json'), 5, 7))).toBeLessThan(0.1);
    const elsewhere = await profilesOf(join(folder, 'elsewhere.json'), 6, 7);
    expect(apart(profiles, elsewhere)).toBeGreaterThan(0.1);
  });

  describe('with one who walks', () => {
    const WALK = 'people: [{ script: [{ activity: walk, seconds: 30 }] }]';
    async function walked(out: string, people = WALK) {
      const file = await demoWith(`${people}, seed: 5, speed: 0, duration_s: 20, echo_db: 10`);
      return calibrateTopology(file, { seconds: 15, out, print, walker: true });
    }

    it('adds the echo to what it knows of the empty room', async () => {
      const out = join(folder, 'walked.json');
      const profiles = await profilesOf(out, 5, 5);
      const { echoes } = await walked(out);
      expect(echoes['demo-flat']).toBeGreaterThan(5);
      expect(echoes['demo-flat']).toBeLessThan(15);
      expect(readCalibration(out)).toEqual({ profiles, echoes });
      await profilesOf(out, 5, 5);
      expect(readCalibration(out).echoes, 'the empty room was measured again').toEqual(echoes);
    });

    it('adds the echoes of all rooms whose empty room it knows', async () => {
      const file = join(folder, 'wards.yaml');
      const topologyWith = async (people: string): Promise<void> => {
        const wards = ['ward-1', 'ward-2'].map((ward) => packageFile(`topologies/environments/${ward}.yaml`));
        const source = `wards: { type: simulator, rate_hz: 50, seed: 3, speed: 0, duration_s: 8, ${people} }`;
        await writeFile(
          file,
          `
id: wards
environments: [${wards.join(', ')}]
sources:
  ${source}
operators:
  windows: { type: window, from: wards, length_ms: 2000, hop_ms: 200, points: 100 }
  poses: { type: infer-pose, from: windows }
sinks:
  seen: { type: file, from: poses, path: ${join(folder, 'wards.jsonl')} }
`,
        );
      };
      const out = join(folder, 'wards.json');
      // Longer than the input: one room alone would be heard for another window than the first of two.
      const settings = { seconds: 10, out, print };
      await topologyWith('people: []');
      const { profiles } = await calibrateTopology(file, settings);
      await topologyWith(WALK);
      const { echoes } = await calibrateTopology(file, { ...settings, walker: true });
      expect(Object.keys(echoes)).toEqual(['ward-1', 'ward-2']);
      const known = Object.entries(profiles).filter(([link]) => link.startsWith('ward-1'));
      await writeFile(out, JSON.stringify({ features: 1, profiles: Object.fromEntries(known) }));
      expect((await calibrateTopology(file, { ...settings, walker: true })).echoes).toEqual({
        'ward-1': echoes['ward-1'],
      });
    });

    it('keeps the parts of others', async () => {
      const out = join(folder, 'others.json');
      const profiles = await profilesOf(out, 5, 5);
      await writeFile(out, JSON.stringify({ features: 1, profiles, links: { 'door-desk': [] } }));
      await walked(out);
      expect(JSON.parse(await readFile(out, 'utf8'))).toMatchObject({ links: { 'door-desk': [] } });
    });

    it('requires the empty room of its own environment', async () => {
      const out = join(folder, 'of-others.json');
      const problem = /has no empty room of demo yet: run this command without --walker first/;
      await expect(walked(out)).rejects.toThrow(problem);
      const profiles = { elsewhere: new Array(13).fill(3) };
      await writeFile(out, JSON.stringify({ features: 1, profiles }));
      await expect(walked(out)).rejects.toThrow(problem);
    });

    it('leaves the file as it was if nobody walks', async () => {
      const out = join(folder, 'still.json');
      await profilesOf(out, 5, 5);
      const before = await readFile(out, 'utf8');
      await expect(walked(out, 'people: []')).rejects.toThrow(/no echo was measured: .* stays as it was/);
      expect(await readFile(out, 'utf8')).toBe(before);
    });

    it('requires a pose network', async () => {
      const file = join(folder, 'motion.yaml');
      const source = 'flat: { type: simulator, people: [], speed: 0, duration_s: 2 }';
      await writeFile(
        file,
        `id: motion\nenvironment: ${packageFile('topologies/environments/demo-flat.yaml')}\nsources:\n  ${source}\n`,
      );
      const settings = { seconds: 1, out: join(folder, 'no.json'), print, walker: true };
      await expect(calibrateTopology(file, settings)).rejects.toThrow(
        /motion has no calibrated pose network/,
      );
    });
  });

  it('refuses to replace a file that is not a calibration, before it listens', async () => {
    const out = join(folder, 'torn.json');
    await writeFile(out, '{"features": 1, "prof');
    await expect(profilesOf(out, 5, 5)).rejects.toThrow(
      /torn.json is not a calibration: move it away, or choose another file/,
    );
    await writeFile(out, '{"links": {}}');
    expect(await profilesOf(out, 5, 5), 'a file of calibrate alone').not.toEqual({});
  });

  it('ends at Ctrl-C without a file and without a temporary folder', async () => {
    const temporary = temporaryFolder();
    const out = join(folder, 'interrupted.json');
    const file = await demoWith('people: [], seed: 5');
    const run = new Csiflow(['calibrate', file, '--out', out], { env: { TMPDIR: temporary } });
    afterThisTest(() => run.kill());
    const state = () => readdirSync(temporary).filter((name) => name.startsWith('csiflow-'));
    await until('its temporary folder', () => state().length > 0);
    expect(await run.interrupt(), run.output).toBe(130);
    expect(state()).toEqual([]);
    expect(existsSync(out)).toBe(false);
  });

  it('measures what calibrate nodes remove from frames, and a run removes it', async () => {
    const file = join(folder, 'frames.yaml');
    const text = (calibration: string) => `
id: frames
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources:
  flat: { type: simulator, people: [], speed: 0, duration_s: 8, seed: 5, rate_hz: 50 }
operators:
  calibrated: { type: calibrate, from: flat, check_s: 2, interval_ms: 1000${calibration} }
  windows: { type: window, from: calibrated }
  motion: { type: detect-motion, from: [windows, calibrated] }
sinks:
  reported: { type: file, from: [calibrated, motion], path: ${join(folder, 'reported.jsonl')} }
settings: { state_folder: ${join(folder, 'state')} }
`;
    await writeFile(file, text(''));
    const out = join(folder, 'frames.json');
    const { profiles, links } = await calibrateTopology(file, { seconds: 5, out, print });
    expect(profiles).toEqual({});
    const known = readCalibrations(out);
    expect([...known.keys()]).toEqual(Object.keys(links));
    expect(known.size).toBe(4);
    await writeFile(file, text(`, calibration: ${out}`));
    expect(await csiflow('run', '--no-api', '--until-end', '--log', 'error', file)).toMatchObject({
      code: 0,
    });
    const reported = (await readFile(join(folder, 'reported.000000.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; subject: string; value: number });
    const of = (name: string) => reported.filter((one) => one.name === name);
    expect(new Set(of('motion_threshold').map(({ subject }) => subject)).size).toBe(4);
    for (const { value } of of('calibration_drift')) expect(value).toBeLessThan(0.1);
    expect(of('calibration_drift').length).toBeGreaterThan(3);
    expect(of('motion').length).toBeGreaterThan(3);
    for (const { value } of of('motion')) expect(value).toBeLessThan(0.1);
  });

  it('measures for a pose network of your own, found by its role', async () => {
    const ownNetwork = defineOperator({
      ...{ name: 'own-network', summary: 'Sees people.', role: 'pose-network', examples: [] },
      ...{ inputs: ['window'], outputs: ['pose'] },
      config: Type.Object({ calibration: Type.Optional(Type.String({ description: 'Measured profiles.' })) }),
      create: () => ({ process: () => ({ data: [] }) }),
    });
    const file = join(folder, 'own.yaml');
    await writeFile(
      file,
      `
id: own
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources:
  flat: { type: simulator, people: [], speed: 0, duration_s: 4, seed: 5, rate_hz: 50 }
operators:
  windows: { type: window, from: flat, length_ms: 2000, hop_ms: 200, points: 100 }
  poses: { type: own-network, from: windows }
sinks:
  seen: { type: file, from: poses, path: ${join(folder, 'seen.jsonl')} }
`,
    );
    const out = join(folder, 'own.json');
    const registry = new Registry([...components.list(), ownNetwork]);
    const { profiles } = await calibrateTopology(file, { seconds: 1, out, print, registry });
    expect(Object.keys(profiles)).toHaveLength(4);
  });

  it('names what a topology without windows lacks', async () => {
    const file = await demoWith('people: [], speed: 0, duration_s: 1');
    const settings = { seconds: 1, out: join(folder, 'none.json'), print };
    await expect(calibrateTopology(file, { ...settings, node: 'flat' })).rejects.toThrow(
      /flat of demo is not an operator/,
    );
    await expect(calibrateTopology(file, settings)).rejects.toThrow(/output no window/);
  });
});
