import type { TSchema } from 'typebox';
import type { SettingValue } from '../../../pipeline/component/index.js';
import type { CheckedTopology, Overrides } from '../../../pipeline/config/index.js';
import type { Form } from '../form.js';

export type Value = SettingValue;

/** Measured or loaded values, as opposed to configured ones. */
export interface Facts {
  readonly modelVersion: string;
  /** ISO 8601. */
  readonly calibratedAt: string;
  /** Frames per second of a link; 0 while nothing is received. */
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

/** Sources of fields' values. */
export interface FieldInput {
  readonly topology: CheckedTopology;
  /** Values that exist only in the configuration, by the field's name. */
  readonly own: ReadonlyMap<string, Value>;
  readonly facts: Facts;
}

/** A field in a form. */
export interface FieldView {
  /** Dotted. */
  readonly path: string;
  readonly schema: TSchema;
  /** If the form uses another unit than the configuration. */
  readonly show?: (value: Value) => Value;
  readonly read?: (shown: Value) => Value;
}

/** Accepted values; minimum and maximum are included. */
export interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
}

/** What a topology makes of a field. */
export interface FieldUse {
  /** Empty if the topology accepts all that the schema does. */
  readonly bounds: Bounds;
  /** The missing node, for people; null if it exists. */
  readonly missing: string | null;
  /** It cannot be set. */
  readonly isFact: boolean;
  /** A change takes effect with the next record; otherwise, at the next start. */
  readonly isImmediate: boolean;
}

/** One value of the configuration; the forms are views of all of them. */
export interface Field {
  /** Name of the stored value. */
  readonly name: string;
  readonly views: Partial<Record<Form, FieldView>>;
  /** The value if `missing` is null. */
  readonly read: (input: FieldInput) => Value;
  /** The value if nothing applies it. */
  readonly absent: Value;
  /** The missing node, for people; null if it exists. */
  readonly missing: (topology: CheckedTopology) => string | null;
  /** Its change in the topology; absent for values of the configuration alone and for facts. */
  readonly write?: (value: Value, topology: CheckedTopology) => Overrides;
  /** Whether a running topology applies a change with the next record. Default: at its next start. */
  readonly isImmediate?: (topology: CheckedTopology) => boolean;
  /** Why it cannot be set, if so. */
  readonly fixed?: (topology: CheckedTopology) => string | null;
  /** For a fact: whether a sent value equals the current one. Default: equality. */
  readonly isSame?: (sent: Value, now: Value) => boolean;
  /** Values within the schema that are rejected, with the reason. */
  readonly refuse?: (value: Value, topology: CheckedTopology) => string | null;
  /** If a topology accepts less than the schema. Called only if nothing is missing. */
  readonly bounds?: (topology: CheckedTopology) => Bounds;
  /** If it is on, a topology that cannot meet it is rejected instead of running without it. */
  readonly isPromise?: boolean;
}

/** It needs nothing in the topology. */
export const always = (): null => null;

/** Six digits: values that two views convert into each other stay equal. */
export const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
