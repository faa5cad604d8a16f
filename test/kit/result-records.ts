import type { Data } from '../../pipeline/model/index.js';
import { HOP, measure, poseFrame, sensedEvent, START } from '../support/records.js';

/** Record `index` of those that the drivers of sinks write: pose frames, events and measures in turn. */
export const resultRecord = (index: number): Data => [poseFrame, sensedEvent, measure][index % 3]!(index);

/** Tells the records of {@link resultRecord} apart. */
export function resultIdentity(data: Data): string {
  if (data.port === 'csi' || data.port === 'window') throw new TypeError(`${data.port} is no result`);
  return `${data.port} ${(data.time - START) / HOP}`;
}
