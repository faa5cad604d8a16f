import { withTemporaryFolder } from '../../../../pipeline/base/temporary-folders.js';
import type { CheckedTopology } from '../../../../pipeline/config/index.js';
import { missingOf, type Need } from '../needs.js';
import type { Plan, RecordingsPlan } from '../plan.js';
import { Elsewhere } from '../shared-work.js';
import type { Table } from '../table.js';
import { day, dayMissing } from './day.js';
import { diffuse } from './diffuse.js';
import { emptyRooms } from './empty.js';
import { errorScale } from './error-scale.js';
import { fallLike } from './fall-like.js';
import { falls } from './falls.js';
import { foreign, missingScenes } from './foreign.js';
import { negatives } from './negatives.js';
import { missingRagDolls, ragDolls } from './rag-dolls.js';
import { missingFalls, realFalls } from './real-falls.js';
import { missingRecordings, recordings } from './recordings.js';
import { receivers } from './receivers.js';
import { robustness } from './robustness.js';
import { several } from './several.js';
import { still } from './still.js';
import { walking } from './walking.js';
import { warnings } from './warnings.js';

type Measurement = {
  readonly summary: string;
  /** Its receivers are those of its rows or recordings: {@link Plan.received} does not apply. */
  readonly ownReceivers?: true;
  /** What sinks must receive, or why a topology cannot be measured. */
  readonly needs: readonly Need[] | ((topology: CheckedTopology) => string | undefined);
} & (
  | { readonly measure: (plan: Plan) => Promise<Table>; readonly missing?: undefined }
  | {
      readonly measure: (plan: RecordingsPlan) => Promise<Table>;
      /** A required folder of recordings that is missing. */
      readonly missing: (data: string) => string | undefined;
    }
);

/** The measurements, in the order of the report. */
export const TABLES = {
  empty: { summary: 'empty rooms after somebody left', needs: ['poses', 'calibration'], measure: emptyRooms },
  negatives: {
    summary: 'rooms with a fan, a curtain or a pet, and nobody',
    needs: ['poses'],
    measure: negatives,
  },
  walking: { summary: 'place, pose and heading of a walker', needs: ['poses'], measure: walking },
  diffuse: { summary: 'a walker among many weak paths', needs: ['poses'], measure: diffuse },
  foreign: {
    summary: 'a walker in scenes of another simulator',
    needs: ['poses'],
    ownReceivers: true,
    measure: foreign,
    missing: missingScenes,
  },
  still: { summary: 'place and posture of somebody still', needs: ['poses'], measure: still },
  several: {
    summary: 'count, places and tracks of one to three walkers',
    needs: ['tracks'],
    measure: several,
  },
  errors: {
    summary: 'the reported error against the real one, with good and bad links',
    needs: ['poses'],
    measure: errorScale,
  },
  robustness: {
    summary: 'weak, wrong and dead links, and nodes in other places',
    needs: ['poses'],
    measure: robustness,
  },
  receivers: {
    summary: 'receivers with 30 to 242 subcarriers',
    needs: ['poses'],
    ownReceivers: true,
    measure: receivers,
  },
  falls: { summary: 'simulated falls, and false alarms of daily life', needs: ['falls'], measure: falls },
  warnings: {
    summary: 'warnings of simulated falls before they are judged',
    needs: ['falls'],
    measure: warnings,
  },
  'fall-like': {
    summary: 'false alarms of movements that resemble a fall, and of falling objects',
    needs: ['falls'],
    measure: fallLike,
  },
  'rag-dolls': {
    summary: 'falls of rag-dolls',
    needs: ['falls'],
    measure: ragDolls,
    missing: missingRagDolls,
  },
  day: {
    summary: 'activities, zones, sleep, inactivity and breathing of a day in small',
    needs: dayMissing,
    measure: day,
  },
  recordings: {
    summary: 'presence and poses on recordings of real rooms',
    needs: ['poses'],
    ownReceivers: true,
    measure: recordings,
    missing: missingRecordings,
  },
  'real-falls': {
    summary: 'falls on recordings of real rooms',
    needs: ['falls'],
    ownReceivers: true,
    measure: realFalls,
    missing: missingFalls,
  },
} as const satisfies Readonly<Record<string, Measurement>>;

export type TableName = keyof typeof TABLES;

export const hasOwnReceivers = (id: TableName): boolean => 'ownReceivers' in TABLES[id];

/** Why a topology cannot be measured by a table, and what to do; undefined if it can. */
export function missingIn(topology: CheckedTopology, id: TableName): string | undefined {
  const { needs }: Measurement = TABLES[id];
  return typeof needs === 'function' ? needs(topology) : missingOf(topology, needs);
}

/** A table, or why there is none. */
export interface Measured {
  readonly id: TableName;
  readonly table: Table | null;
  readonly problem: string | null;
}

/**
 * Measures a topology by the output of its sinks; calls `done` with each table, `begun` before it. A process that
 * helps another one measures its share of all tables, and returns none.
 */
export async function evaluateChain(
  options: Omit<Plan, 'folder'>,
  names: readonly TableName[],
  done: (measured: Measured) => void = () => undefined,
  begun: (id: TableName) => void = () => undefined,
): Promise<readonly Measured[]> {
  const measureAll = async (folder: string) => {
    const all: Measured[] = [];
    for (const id of names) {
      begun(id);
      options.shared?.begin(id);
      const measured = await measureOne(id, { ...options, folder }).catch(unlessElsewhere);
      if (measured === null) continue;
      all.push(measured);
      done(measured);
    }
    return all;
  };
  return options.shared
    ? measureAll(options.shared.folder)
    : withTemporaryFolder('csiflow-evaluate-', measureAll);
}

const unlessElsewhere = (error: unknown): null => {
  if (error instanceof Elsewhere) return null;
  throw error;
};

async function measureOne(id: TableName, { received, walker, ...rest }: Plan): Promise<Measured> {
  const measurement: Measurement = TABLES[id];
  const own = { ...(received && { received }), ...(walker && { walker }) };
  const plan: Plan = hasOwnReceivers(id) ? rest : { ...rest, ...own };
  const lacks = missingIn(plan.topology, id);
  if (lacks !== undefined) return { id, table: null, problem: `not measured: ${lacks}` };
  if (measurement.missing === undefined) return { id, table: await measurement.measure(plan), problem: null };
  const notMeasured = (why: string): Measured => ({
    id,
    table: null,
    problem: `not measured: ${why}; pass the folder with captures/, labelled/, motion/ and scenes/ with --data`,
  });
  const { data } = plan;
  if (data === undefined) return notMeasured('it needs recordings');
  const missing = measurement.missing(data);
  if (missing !== undefined) return notMeasured(`${missing} does not exist`);
  return { id, table: await measurement.measure({ ...plan, data }), problem: null };
}
