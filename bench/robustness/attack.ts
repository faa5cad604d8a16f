import { writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { packageFile } from '../../pipeline/base/paths.js';
import { attackFiles } from './damage.js';
import { overload } from './overload.js';
import { robustnessPage, type Section } from './report.js';
import { soak } from './soak.js';
import { runSuite } from './suite.js';

/** `npm run attack`: damaged states, kills, floods, a soak and overload, and the page with the findings. */

const count = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new InvalidArgumentError('give a whole number, or 0 to skip it');
  return value;
};

interface Options {
  readonly states: number;
  readonly flips: number;
  readonly cuts: number;
  readonly kills: number;
  readonly containers: boolean;
  readonly floods: number;
  readonly soak: number;
  readonly overload: number;
  readonly write: boolean;
}

const command = new Command('npm run attack --')
  .option('--states <count>', 'flipped bits of the stored state, and cuts', count, 100)
  .option('--flips <count>', 'starts after 20 flipped bits, or one, in a file of a killed run', count, 100)
  .option('--cuts <count>', 'starts after such a file was truncated', count, 20)
  .option('--kills <count>', 'random kills of sources, including UDP', count, 500)
  .option('--no-containers', 'skip processes in separate process namespaces')
  .option('--floods <count>', 'random bodies for each route, besides the worst ones', count, 20)
  .option('--soak <seconds>', 'at 1,000 frames/s, with slow clients', count, 3600)
  .option('--overload <seconds>', 'of 8,000 frames/s for 100 rooms', count, 60)
  .option('--no-write', 'do not write docs/reports/robustness.md')
  .parse();
const options = command.opts<Options>();

const tell = (line: string): void => {
  console.log(line);
};
const sections: Section[] = [];
if (options.states > 0)
  sections.push(
    await runSuite({
      title: `Damage: ${options.states} flipped bits of the stored state, and truncations`,
      files: ['test/state/damage.test.ts'],
      environment: { CSIFLOW_DAMAGES: String(options.states) },
    }),
  );
if (options.flips + options.cuts > 0) sections.push(await attackFiles(options, tell));
if (options.kills > 0)
  sections.push(
    await runSuite({
      title: `Kills: ${options.kills} at random moments, and those at named moments`,
      files: ['test/kill/kill.test.ts', 'test/kill/shedding.test.ts'],
      environment: {
        CSIFLOW_KILL: 'count',
        CSIFLOW_KILLS: String(options.kills),
        CSIFLOW_SHEDDING_KILLS: '30',
      },
    }),
  );
if (options.containers)
  sections.push(
    await runSuite({
      title: 'Containers: two that share a folder, each as process 1',
      files: ['test/state/lock.test.ts'],
      environment: {},
    }),
  );
if (options.floods > 0)
  sections.push(
    await runSuite({
      title: `Floods: every route with a body, at its limits, and ${options.floods} random bodies for each`,
      files: ['test/long/floods.test.ts'],
      environment: { CSIFLOW_LONG: '1', CSIFLOW_FLOODS: String(options.floods) },
    }),
  );
if (options.soak > 0) sections.push(await soak(options.soak, tell));
if (options.overload > 0) sections.push(await overload(options.overload, tell));

const { write, containers, ...counts } = options;
const asked = Object.entries(counts).map(([name, value]) => ` --${name} ${value}`);
const page = robustnessPage(
  `npm run attack --${asked.join('')}${containers ? '' : ' --no-containers'}`,
  sections,
);
if (write) writeFileSync(packageFile('docs/reports/robustness.md'), page);
console.log(page);
if (sections.some(({ findings }) => findings.length > 0)) process.exitCode = 1;
