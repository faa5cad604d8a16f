import type { BackendName } from '../../../operators/infer-pose/backends/backends.js';
import { namedModel } from '../../../operators/infer-pose/model/named-model.js';
import { spreadOf, type Spread } from '../../shared/spread.js';
import { Rooms } from './rooms.js';
import { Bare, Operating, type Run } from './run.js';

/** The operator `infer-pose` over the networks that it runs, called bare in a loop in the same rounds. */

export interface InferenceOptions {
  readonly weights: string;
  readonly backends: readonly BackendName[];
  readonly batches: readonly number[];
  /** Windows in progress, in batches. */
  readonly inFlight: readonly number[];
  readonly links: number;
  /** Windows of one measurement. */
  readonly windows: number;
  /** Counted ones, after one of warm-up. */
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

/** Speed of one setting. */
export interface Speed {
  readonly perSecond: Spread;
  /** Processor time of all threads for a window, microseconds. */
  readonly cpuUs: Spread;
}

/** A batch size: the bare networks, and the operator with some windows in progress. */
export interface BatchSpeed {
  readonly backend: BackendName;
  readonly device: string;
  readonly batch: number;
  readonly bare: Speed;
  /** The bare networks again, over themselves: windows per second, and processor time. */
  readonly control: Compared;
  readonly operator: readonly OperatorSpeed[];
}

export interface OperatorSpeed extends Speed {
  /** Windows in progress. */
  readonly inFlight: number;
  /** Over the bare networks with the same batch. */
  readonly overBare: Compared;
}

/** Ratios of pairs of the same round. */
export interface Compared {
  readonly perSecond: Spread;
  /** Processor time of the first over that of the second: above 1 it costs less. */
  readonly cpu: Spread;
}

/** The fastest setting, and the operator there over the fastest bare batch of the same backend. */
export interface Best {
  readonly backend: BackendName;
  readonly batch: number;
  readonly inFlight: number;
  readonly perSecond: number;
  readonly bareBatch: number;
  readonly overBare: number;
}

export async function inferenceSpeed(options: InferenceOptions): Promise<readonly BatchSpeed[]> {
  const rooms = new Rooms(options.links);
  const weights = namedModel(options.weights);
  const speeds: BatchSpeed[] = [];
  for (const backend of options.backends) {
    const bare = await Bare.open(rooms, weights, backend);
    for (const batch of options.batches)
      speeds.push(await batchSpeed(rooms, { ...options, weights }, backend, batch, bare));
  }
  return speeds;
}

async function batchSpeed(
  rooms: Rooms,
  { weights, inFlight, windows, rounds, progress }: InferenceOptions,
  backend: BackendName,
  batch: number,
  bare: Bare,
): Promise<BatchSpeed> {
  const operator = await Operating.open(rooms, { weights, backend, max_batch: batch });
  const runs = { bare: [] as Run[], again: [] as Run[], operator: inFlight.map((): Run[] => []) };
  try {
    for (let round = 0; round <= rounds; round++) {
      progress(`${backend}, batches of ${batch}: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}`);
      const first = await bare.run(windows, batch);
      const middle: Run[] = [];
      for (const batches of inFlight) middle.push(await operator.run(windows, batches * batch));
      const last = await bare.run(windows, batch);
      if (round === 0) continue;
      runs.bare.push(first);
      runs.again.push(last);
      middle.forEach((run, i) => runs.operator[i]!.push(run));
    }
  } finally {
    await operator.close();
  }
  return {
    ...{ backend, device: bare.engine.backend.device, batch },
    bare: speedOf(runs.bare),
    control: compared(runs.again, runs.bare),
    operator: runs.operator.map((measured, i) => ({
      inFlight: inFlight[i]! * batch,
      ...speedOf(measured),
      overBare: compared(measured, runs.bare),
    })),
  };
}

const speedOf = (runs: readonly Run[]): Speed => ({
  perSecond: spreadOf(runs.map(({ perSecond }) => perSecond)),
  cpuUs: spreadOf(runs.map(({ cpuUs }) => cpuUs)),
});

const compared = (runs: readonly Run[], over: readonly Run[]): Compared => ({
  perSecond: spreadOf(runs.map(({ perSecond }, round) => perSecond / over[round]!.perSecond)),
  cpu: spreadOf(runs.map(({ cpuUs }, round) => over[round]!.cpuUs / cpuUs)),
});

/** By windows per second. */
export function bestOf(speeds: readonly BatchSpeed[]): Best {
  const settings = speeds.flatMap(({ backend, batch, operator }) =>
    operator.map(({ inFlight, perSecond: [perSecond] }) => ({ backend, batch, inFlight, perSecond })),
  );
  const best = settings.reduce((most, one) => (one.perSecond > most.perSecond ? one : most));
  const bare = speeds
    .filter(({ backend }) => backend === best.backend)
    .reduce((most, one) => (one.bare.perSecond[0] > most.bare.perSecond[0] ? one : most));
  return { ...best, bareBatch: bare.batch, overBare: best.perSecond / bare.bare.perSecond[0] };
}
