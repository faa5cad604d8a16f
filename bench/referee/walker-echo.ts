import { parseArgs } from 'node:util';
import { EchoLearner } from '../../operators/infer-pose/windows/echo.js';
import { mean } from '../../operators/shared/mean.js';
import { DEVICES } from '../../pipeline/sources/simulator/devices.js';
import { IMPAIRMENTS } from '../../pipeline/sources/simulator/impairments.js';
import { Stage } from '../../pipeline/sources/simulator/stage.js';
import { randomEnvironment } from '../accuracy/chain/rooms.js';
import { playWindows } from '../falls/play-windows.js';

/**
 * How well `csiflow calibrate --walker` measures the echo of simulated rooms. The laws of `EchoLearner` are right if the
 * means at 10 dB are: weaker echoes are measured too strong.
 */

const { values } = parseArgs({
  options: {
    rooms: { type: 'string', default: '20' },
    /** The first room; reports use others. */
    seed: { type: 'string', default: '748600' },
    rate: { type: 'string', default: '50' },
    device: { type: 'string', multiple: true, default: ['esp32', 'esp32-c6', 'intel-5300', 'nexmon'] },
  },
});

const LINKS = [3, 4, 6];
const ECHOES_DB = [0, 10];
const SECONDS = 60;
const RATE_HZ = Number(values.rate);

/** The measured echo, dB; NaN: none. */
function walk(seed: number, device: keyof typeof DEVICES, echoDb: number): number {
  const environment = randomEnvironment(seed, LINKS[seed % LINKS.length]!);
  const stage = new Stage(environment, {
    ...{ seed, rateHz: RATE_HZ, layout: DEVICES[device], echoDb, impairments: IMPAIRMENTS },
    people: [{ script: [{ activity: 'walk', seconds: SECONDS }] }],
  });
  const learner = new EchoLearner(environment);
  playWindows({ environment, stage, rateHz: RATE_HZ }, SECONDS, (window) => {
    learner.add(window);
  });
  return learner.echoDb ?? NaN;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function row(name: string, echoDb: number, measured: readonly number[]): void {
  const known = measured.filter(Number.isFinite);
  const error = Math.sqrt(mean(known.map((echo) => (echo - echoDb) ** 2)));
  const decibels = [echoDb, mean(known), error].map((value) => `${value.toFixed(1)} dB`);
  print(`| ${name} | ${decibels.join(' | ')} | ${measured.length - known.length} of ${measured.length} |`);
}

print('| receiver | `echo_db` | measured: mean | error, root mean square | rooms without an answer |');
print('| --- | --- | --- | --- | --- |');
for (const device of values.device as (keyof typeof DEVICES)[]) {
  for (const echoDb of ECHOES_DB) {
    const seeds = Array.from({ length: Number(values.rooms) }, (_, room) => Number(values.seed) + room);
    const walks = seeds.map((seed) => walk(seed, device, echoDb));
    row(device, echoDb, walks);
  }
}
