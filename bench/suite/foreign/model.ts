import type { Inputs } from '../task.js';
import type { Manifest } from './manifest.js';

/** A loaded model: maps named inputs to its output values. */
export type Model = (inputs: Inputs) => Promise<readonly number[]>;

/** Loads a model from a file or URL. @throws Error that says what is missing, and how to get it */
export type Runtime = (address: string, manifest: Manifest) => Promise<Model>;
