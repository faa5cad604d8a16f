import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { components } from '../../api/components.js';
import { randomEnvironment } from '../../bench/accuracy/chain/rooms.js';
import { evaluateChain } from '../../bench/accuracy/chain/tables/evaluate.js';
import { cell } from '../../bench/accuracy/chain/table.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { loadTopology } from '../../pipeline/config/index.js';
import { csiflow } from '../support/csiflow.js';
import { temporaryFolder } from '../support/flow.js';

const demo = loadTopology('topologies/demo.yaml', components, { env: {}, standIn: 'unset' }).topology!;
const WALK = '[{ script: [{ activity: walk, seconds: 10 }, { activity: away, seconds: 60 }] }]';

const measured = async (data?: string) =>
  (
    await evaluateChain(
      {
        topology: demo,
        seed: 700_000,
        rooms: 1,
        links: [4],
        minutes: { empty: 1, daily: 1 },
        atOnce: 1,
        print: () => undefined,
        ...(data !== undefined && { data }),
      },
      ['foreign'],
    )
  )[0]!;

/** Captures of a room as scenes.py writes them, but of csiflow's own simulator. */
async function writeRoom(room: string): Promise<void> {
  const environment = randomEnvironment(700_000, 4);
  for (const folder of ['plain', 'diffuse']) mkdirSync(join(room, folder), { recursive: true });
  writeFileSync(join(room, 'environment.json'), JSON.stringify(environment));
  writeFileSync(join(room, 'room.yaml'), JSON.stringify(environment));
  const scenes = [
    { name: 'empty', people: '[]', more: ['--seconds', '8', '--start', '2025-12-31T20:00:00Z'] },
    { name: 'walk', people: WALK, more: ['--seconds', '22', '--truth', join(room, 'truth.jsonl')] },
  ];
  for (const { name, people, more } of scenes) {
    const topology = join(room, `${name}.yaml`);
    const scene = `{ type: simulator, seed: 700000, people: ${people} }`;
    writeFileSync(topology, `id: scene\nenvironment: room.yaml\nsources: { flat: ${scene} }\n`);
    const capture = join(room, 'plain', `${name}.csi`);
    await csiflow('simulate', topology, '--out', capture, ...more);
    copyFileSync(capture, join(room, 'diffuse', `${name}.csi`));
  }
}

it('measures captures of a walker who leaves', { timeout: 180_000 }, async () => {
  const data = temporaryFolder();
  await writeRoom(join(data, 'scenes/room-1'));
  const { table, problem } = await measured(data);
  expect(problem).toBeNull();
  const row = table!.rows.map(({ name }) => name);
  expect(row).toEqual(['no diffuse paths', '30 diffuse paths', "both: the room's middle, the mean pose"]);
  const [place, middle] = [cell(table!, row[0]!, 'place'), cell(table!, row[2]!, 'place')];
  expect(place.value).toBeLessThan(0.7 * middle.value);
  expect(cell(table!, row[1]!, 'place')).toEqual(place);
  expect(cell(table!, row[0]!, 'missed').value).toBeLessThan(0.1);
  expect(cell(table!, row[0]!, 'seen').value).toBeLessThan(0.1);
  expect(cell(table!, row[0]!, 'off').value).toBeGreaterThan(0);
  for (const { id } of table!.columns) expect(table!.rows[0]!.cells[id], id).toBeDefined();
});

it('is not measured without scenes', async () => {
  expect((await measured()).problem).toMatch(/^not measured: .*scenes\/ with --data$/);
  expect((await measured(temporaryFolder())).problem).toMatch(/scenes does not exist/);
});

it('refuses a folder without rooms, and an invalid environment', async () => {
  const data = temporaryFolder();
  const room = join(data, 'scenes/room-1');
  mkdirSync(room, { recursive: true });
  await expect(measured(data)).rejects.toThrow('no room with an environment.json');
  writeFileSync(join(room, 'environment.json'), JSON.stringify({ id: 'room-1', size: { x: 'wide' } }));
  await expect(measured(data)).rejects.toThrow(/environment\.json/);
});

it('has the programs that its page runs', () => {
  const page = readFileSync(packageFile('bench/referee/README.md'), 'utf8');
  const commands = [...page.matchAll(/(bench\/referee\/\w+\.py)|dist\/(bench\/referee\/\w+)\.js/g)];
  const files = commands.map(([, python, compiled]) => python ?? `${compiled}.ts`);
  expect(files).toContain('bench/referee/scenes.py');
  for (const name of files) expect(existsSync(packageFile(name)), name).toBe(true);
});
