import * as csiflow from '../index.js';
import type { Component } from '../../pipeline/component/index.js';

const NAMES = new Map<unknown, string>(Object.entries(csiflow).map(([name, value]) => [value, name]));

/** The name by which the package exports a component: `fileSink`. Undefined for one of a plugin. */
export const exportName = (component: Component): string | undefined => NAMES.get(component);
