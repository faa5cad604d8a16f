import { earlyInputs } from '../../operators/detect-falls/verdict/judge.js';
import {
  parametersOf,
  readSeveralWeights,
  WARNING_WEIGHTS_FILE,
  type WarningWeights,
} from '../../operators/detect-falls/networks/weights.js';
import { writeWeights } from '../../operators/detect-falls/training/write-weights.js';
import { orInputError } from '../../pipeline/base/input-error.js';
import { outputFile } from '../../pipeline/base/paths.js';
import { loadMotion } from '../../pipeline/sources/simulator/recorded/library.js';
import { fitLogistic, logitBy } from './logistic.js';
import { operatingPoints, thresholdAt } from './operating-points.js';
import { SCALE, simulateRooms, UNKNOWN, type SimulatedImpact } from './scenes.js';
import { plans } from './several-rooms.js';

/** Settings of the warning weights; chosen on rooms excluded from training. */
export const WARNING_SETTINGS = { penalty: 100 };

/** False warnings per hour of simulated daily life, in rooms excluded from training. */
const WARNINGS_AN_HOUR = 20;

/** Training rooms; different from those of the networks. */
const TRAINING = [...plans('lasting', 690_000, 150), ...plans('day', 691_000, 70)];
const RECORDED = plans('lasting-recorded', 692_000, 40);
/** Rooms for setting the threshold. */
const TUNING = [...plans('lasting', 790_000, 30), ...plans('day', 791_000, 24)];

interface Options {
  readonly out?: string;
  readonly cache?: string;
  /** Folder of recorded motion, for which rooms are added where people play it. */
  readonly motion?: string;
  readonly print: (line: string) => void;
}

/**
 * Simulates rooms and fits the weights that warn before a fall is judged; rooms in `cache` are not simulated
 * again.
 */
export function trainWarning({ out = outputFile(WARNING_WEIGHTS_FILE), cache, motion, print }: Options) {
  const library = motion === undefined ? undefined : orInputError(() => loadMotion(motion, 'training'));
  const several = readSeveralWeights();
  const nets = parametersOf(several);
  const read = ({ sequences }: SimulatedImpact): Float32Array =>
    earlyInputs(
      nets,
      several,
      sequences.map((values) => Float32Array.from(values, (v) => (v === UNKNOWN ? NaN : v / SCALE))),
    );
  const rooms = simulateRooms([...TRAINING, ...(library ? RECORDED : [])], { cache, library, print });
  const clear = rooms.flatMap(({ examples }) => examples.filter(({ unclear }) => !unclear));
  const positive = clear.map(({ fall }) => fall >= 0);
  const falls = positive.filter(Boolean).length;
  const logistic = fitLogistic(clear.map(read), positive, WARNING_SETTINGS.penalty);
  const points = operatingPoints(
    simulateRooms(TUNING, { cache, print }),
    (impact) => logitBy(logistic, read(impact)),
    [40, WARNINGS_AN_HOUR, 10, 5, 2, 1],
  );
  for (const { threshold, found, falls: of, falseAnHour, hours } of points)
    print(
      `from ${threshold.toFixed(2)}: ${found} of ${of} falls, ${falseAnHour.toFixed(1)} other warnings in each of ${hours.toFixed(1)} hours`,
    );
  const written = writeWeights<WarningWeights>(out, {
    name: 'falls-warning',
    version: '3',
    of: several.version,
    trainedOn: `csiflow's simulator${library ? ' and recorded motion' : ''} (${falls} ends of falls, ${clear.length - falls} other ends of motion, 3 to 5 links)`,
    trainedWith: `csiflow train falls --warnings${library ? ' --motion' : ''}`,
    settings: WARNING_SETTINGS,
    threshold: Number(thresholdAt(points, WARNINGS_AN_HOUR).toPrecision(3)),
    head: Buffer.from(logistic.head.buffer).toString('base64'),
  });
  print(`wrote ${out}, sha256 ${written.sha256}`);
  return { ...written, points };
}
