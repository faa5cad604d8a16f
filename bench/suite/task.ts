import type { CheckedTopology } from '../../pipeline/config/index.js';
import type { Plan } from '../accuracy/chain/plan.js';
import type { Table, Unit } from '../accuracy/chain/table.js';
import type { TaskName } from './contracts.js';

/** Probabilities of the classes, or values, as the task's contract defines them; null: no answer. */
export type Answer = readonly number[] | null;

/** One question of a task with every method's answer. */
export interface Case {
  /** The person, room or chip of the case: held out whole in training, drawn whole for intervals. */
  readonly group: string;
  /** The part of the data that gets its own row; '' if there is only one. */
  readonly part: string;
  /** The right class as a number, or the right values. */
  readonly truth: readonly number[];
  /** By the name of the method. Methods that are absent were not asked. */
  readonly answers: Readonly<Record<string, Answer>>;
}

/** A case with one method's answer. */
export interface Judged {
  readonly truth: readonly number[];
  readonly answer: Answer;
}

/** A column of a task's table; the first of a task is the one that summaries show. */
export interface Metric {
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  /** NaN if there are no data. */
  readonly of: (judged: readonly Judged[]) => number;
}

/** Inputs of a model: named arrays of 32-bit floats. */
export type Inputs = Readonly<Record<string, Tensor>>;

export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** External models. */
export interface Panel {
  /** Whether a model answers a task. */
  readonly answers: (task: TaskName) => boolean;
  /** Runs all models that answer a task; answers by row name. @param fold the group that is held out */
  readonly ask: (
    task: TaskName,
    fold: string,
    inputs: () => Inputs | Promise<Inputs>,
  ) => Promise<Readonly<Record<string, Answer>>>;
}

/** An external model, as a row names it. */
export interface Entrant {
  readonly task: TaskName;
  readonly row: string;
}

/** Runs no model. */
export const NO_PANEL: Panel = { answers: () => false, ask: () => Promise.resolve({}) };

/** What is measured, and how much of it. */
export interface SuitePlan {
  readonly topology: CheckedTopology;
  readonly seed: number;
  /**
   * Simulated rooms per task; with fewer than {@link ALL_ROOMS}, the same share of the recordings is played.
   */
  readonly rooms: number;
  /** Folder with labelled/; undefined: none was given. */
  readonly data: string | undefined;
  /** For temporary files; removed afterwards. */
  readonly folder: string;
  readonly atOnce: number;
  readonly panel: Panel;
  /** Shows a step, which the next one replaces. */
  readonly print: (line: string) => void;
  /** Writes a result, which remains. */
  readonly keep: (line: string) => void;
}

/** From this many rooms on, all recordings are played. */
const ALL_ROOMS = 20;

/** The share of the recordings that a plan plays. */
export const shareOf = ({ rooms }: SuitePlan): number => Math.min(1, rooms / ALL_ROOMS);

/** The plan of the simulated rooms. */
export const roomsPlan = ({ topology, seed, rooms, data, folder, atOnce, print }: SuitePlan): Plan => ({
  topology,
  seed,
  rooms,
  links: [4],
  minutes: { empty: 1, daily: 0 },
  data: data ?? '',
  folder,
  atOnce,
  print,
});

/** A task of the suite. */
export interface Task {
  readonly title: string;
  /** How the task is measured, for people. */
  readonly method: string;
  /** What a group is. */
  readonly groups: 'people' | 'rooms' | 'devices';
  /** Folders below `data` that the task needs; empty: it is simulated. */
  readonly needs: readonly string[];
  readonly metrics: readonly Metric[];
  /** Methods that are shown beside csiflow's, and need no CSI or no learning. */
  readonly baselines: readonly string[];
  readonly cases: (plan: SuitePlan) => Promise<readonly Case[]>;
}

/** A task's table, or why there is none. */
export interface Measured {
  readonly id: TaskName;
  readonly title: string;
  readonly groups: Task['groups'];
  readonly table: Table | null;
  readonly skipped: string | null;
  /** Duration in seconds. */
  readonly seconds: number;
}

/** The name of csiflow's own answers. */
export const OWN = 'csiflow';
