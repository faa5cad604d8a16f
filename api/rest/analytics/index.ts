import { healthcare } from './healthcare.js';
import { measures } from './measures.js';
import { occupancy } from './occupancy.js';
import { retail } from './retail.js';
import { security } from './security.js';
import { summary } from './summary.js';

/** 4.5, besides the events. docs/analytics.md says what each figure means. */
export const analyticsEndpoints = [healthcare, retail, security, summary, occupancy, measures];
