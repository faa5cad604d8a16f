import type { LoadedBackend } from '../../../operators/infer-pose/backends/backends.js';
import { namedModel } from '../../../operators/infer-pose/model/named-model.js';
import { spreadOf, type Spread } from '../../shared/spread.js';
import { Rooms } from './rooms.js';
import { Bare, Operating, type Computing, type Run, type Server } from './run.js';

/** The operator `infer-pose` over the networks that it runs, called bare in a loop in the same rounds. */

export interface InferenceOptions {
  readonly weights: string;
  readonly backends: readonly LoadedBackend['name'][];
  /** The inference server, if the backend is `remote`. */
  readonly server?: Server | undefined;
  readonly batches: readonly number[];
  /** Windows in progress, in batches. */
  readonly inFlight: readonly number[];
  /** Threads that compute, or batches that a server receives at once. */
  readonly threads: readonly number[];
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
  readonly backend: LoadedBackend['name'];
  readonly device: string;
  readonly batch: number;
  readonly bare: Speed;
  /** The bare networks again, over themselves: windows per second, and processor time. */
  readonly control: Compared;
  readonly operator: readonly OperatorSpeed[];
}

export interface OperatorSpeed extends Speed {
  readonly threads: number;
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
  readonly backend: LoadedBackend['name'];
  readonly batch: number;
  readonly threads: number;
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
    const computing = { weights, backend, server: backend === 'remote' ? options.server : undefined };
    const bare = await Bare.open(rooms, computing);
    for (const batch of options.batches)
      speeds.push(await batchSpeed(rooms, options, { computing, batch, bare }));
  }
  return speeds;
}

/** The operator with some threads, and some batches in progress. */
interface Setting {
  readonly operator: Operating;
  readonly threads: number;
  readonly batches: number;
}

async function batchSpeed(
  rooms: Rooms,
  { inFlight, threads, windows, rounds, progress }: InferenceOptions,
  { computing, batch, bare }: { readonly computing: Computing; readonly batch: number; readonly bare: Bare },
): Promise<BatchSpeed> {
  const { backend } = computing;
  const operators: Operating[] = [];
  const settings: Setting[] = [];
  const runs = { bare: [] as Run[], again: [] as Run[], operator: [] as Run[][] };
  try {
    for (const count of threads) {
      const operator = await Operating.open(rooms, computing, { max_batch: batch, threads: count });
      operators.push(operator);
      settings.push(...inFlight.map((batches) => ({ operator, threads: count, batches })));
    }
    for (let round = 0; round <= rounds; round++) {
      progress(`${backend}, batches of ${batch}: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}`);
      const first = await bare.run(windows, batch);
      const middle: Run[] = [];
      for (const { operator, batches } of settings) middle.push(await operator.run(windows, batches * batch));
      const last = await bare.run(windows, batch);
      if (round === 0) continue;
      runs.bare.push(first);
      runs.again.push(last);
      runs.operator.push(middle);
    }
  } finally {
    for (const operator of operators) await operator.close();
  }
  return {
    ...{ backend, device: bare.engine.backend.device, batch },
    bare: speedOf(runs.bare),
    control: compared(runs.again, runs.bare),
    operator: settings.map(({ threads: count, batches }, i) => {
      const measured = runs.operator.map((round) => round[i]!);
      const speed = speedOf(measured);
      return { threads: count, inFlight: batches * batch, ...speed, overBare: compared(measured, runs.bare) };
    }),
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
    operator.map(({ threads, inFlight, perSecond: [perSecond] }) => ({
      ...{ backend, batch, threads, inFlight },
      perSecond,
    })),
  );
  const best = settings.reduce((most, one) => (one.perSecond > most.perSecond ? one : most));
  const bare = speeds
    .filter(({ backend }) => backend === best.backend)
    .reduce((most, one) => (one.bare.perSecond[0] > most.bare.perSecond[0] ? one : most));
  return { ...best, bareBatch: bare.batch, overBare: best.perSecond / bare.bare.perSecond[0] };
}
