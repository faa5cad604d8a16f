import type { Inputs } from '../task.js';
import type { Manifest } from './manifest.js';

/** A model that was loaded: from named inputs to the numbers of its output. */
export type Model = (inputs: Inputs) => Promise<readonly number[]>;

/** Loads a model from where it lies. @throws Error that says what is missing, and how to get it */
export type Runtime = (place: string, manifest: Manifest) => Promise<Model>;
