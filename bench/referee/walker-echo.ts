import { parseArgs } from 'node:util';
import { EchoLearner } from '../../operators/infer-pose/windows/echo.js';
import { mean } from '../../operators/shared/mean.js';
import { DEVICES } from '../../pipeline/sources/simulator/devices.js';
import { IMPAIRMENTS } from '../../pipeline/sources/simulator/impairments.js';
import { Stage } from '../../pipeline/sources/simulator/stage.js';
import { randomEnvironment } from '../accuracy/chain/rooms.js';
import { WindowChain } from '../falls/chain.js';

/**
 * How well `csiflow calibrate --walker` measures the echo of simulated rooms: the change that it sees, from which the
 * constants of `EchoLearner` come, and its error.
 */

const { values } = parseArgs({
  options: {
    rooms: { type: 'string', default: '30' },
    /** The first room; reports use others. */
    seed: { type: 'string', default: '748600' },
    device: { type: 'string', multiple: true, default: ['esp32', 'esp32-c6', 'intel-5300', 'nexmon'] },
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '50' },
  },
});

const LINKS = [3, 4, 6];
const ECHOES_DB = [0, 10];
const SECONDS = Number(values.seconds);
const RATE_HZ = Number(values.rate);

function walk(seed: number, device: keyof typeof DEVICES, echoDb: number): EchoLearner {
  const environment = randomEnvironment(seed, LINKS[seed % LINKS.length]!);
  const stage = new Stage(environment, {
    ...{ seed, rateHz: RATE_HZ, layout: DEVICES[device], echoDb, impairments: IMPAIRMENTS },
    people: [{ script: [{ activity: 'walk', seconds: SECONDS }] }],
  });
  stage.enter(0);
  const chain = new WindowChain(environment);
  const learner = new EchoLearner(environment);
  for (let tick = 0; tick < SECONDS * RATE_HZ; tick += RATE_HZ) {
    const block = stage.play(tick, tick + RATE_HZ, 0, tick, [...environment.links.keys()]);
    if (block.count > 0)
      chain.take(block).forEach((window) => {
        learner.add(window);
      });
  }
  return learner;
}

const rms = (errors: readonly number[]): number => Math.sqrt(mean(errors.map((error) => error ** 2)));
const print = (line: string): void => void process.stdout.write(`${line}\n`);

print(
  '| receiver | `echo_db` | change: mean | spread of rooms | measured echo: mean | error, root mean square |',
);
print('| --- | --- | --- | --- | --- | --- |');
for (const device of values.device as (keyof typeof DEVICES)[]) {
  for (const echoDb of ECHOES_DB) {
    const walks = Array.from({ length: Number(values.rooms) }, (_, room) =>
      walk(Number(values.seed) + room, device, echoDb),
    );
    const changes = walks.map(({ change }) => change);
    const echoes = walks.map((learner) => learner.echoDb ?? NaN);
    const spread = rms(changes.map((change) => change - mean(changes)));
    const error = rms(echoes.map((echo) => echo - echoDb));
    const figures = [mean(changes), spread, mean(echoes), error].map((figure) => `${figure.toFixed(1)} dB`);
    print(`| ${device} | ${echoDb} dB | ${figures.join(' | ')} |`);
  }
}
