import type { TSchema } from 'typebox';
import type { SettingValue } from '../../../pipeline/component/index.js';
import type { CheckedTopology, Overrides } from '../../../pipeline/config/index.js';
import type { Form } from '../form.js';

export type Value = SettingValue;

/** What is measured or loaded, rather than configured. */
export interface Facts {
  readonly modelVersion: string;
  /** ISO 8601. */
  readonly calibratedAt: string;
  /** Of a link, a second; 0 while nothing is received. */
  readonly samplingRate: number;
  readonly antennas: number;
  readonly subcarriers: number;
}

export const NO_FACTS: Facts = {
  modelVersion: 'none',
  calibratedAt: new Date(0).toISOString(),
  samplingRate: 0,
  antennas: 0,
  subcarriers: 0,
};

/** What the values of fields are read from. */
export interface FieldInput {
  readonly topology: CheckedTopology;
  /** Values that live in the configuration alone, by the field's name. */
  readonly own: ReadonlyMap<string, Value>;
  readonly facts: Facts;
}

/** How a form shows a field. */
export interface FieldView {
  /** Dotted. */
  readonly path: string;
  readonly schema: TSchema;
  /** Where the form counts in another unit than the configuration. */
  readonly show?: (value: Value) => Value;
  readonly read?: (shown: Value) => Value;
}

/** Both included. */
export interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** One value of the configuration; the forms' shapes are views of all of them. */
export interface Field {
  /** Under which it is stored. */
  readonly name: string;
  readonly views: Partial<Record<Form, FieldView>>;
  /** The value where `missing` is null. */
  readonly read: (input: FieldInput) => Value;
  /** The value where there is nothing that it could act on. */
  readonly absent: Value;
  /** What it would act on and is not there, for a person; null where it is there. */
  readonly missing: (topology: CheckedTopology) => string | null;
  /** What it changes in the topology; left out for values of the configuration alone and for facts. */
  readonly write?: (value: Value, topology: CheckedTopology) => Overrides;
  /** Why it cannot be set, where that is so. */
  readonly fixed?: (topology: CheckedTopology) => string | null;
  /** Of a fact: whether a value that was sent is the one that is there. Default: it is equal. */
  readonly isSame?: (sent: Value, now: Value) => boolean;
  /** Values beside those of the schema that are refused, with the reason. */
  readonly refuse?: (value: Value, topology: CheckedTopology) => string | null;
  /** Of a number, where a topology takes less than the schema says. Called where nothing is missing. */
  readonly bounds?: (topology: CheckedTopology) => Bounds;
  /** Once on, a topology that cannot keep it is refused, rather than run without it. */
  readonly isPromise?: boolean;
}

/** Nothing in the topology is needed for it. */
export const always = (): null => null;

/** Six digits: values that two views convert into each other stay equal. */
export const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
