import type { CsiBlock } from './csi.js';
import type { Measure, PoseFrame, SensedEvent, Window } from './records.js';

/** What flows along an edge of a topology. */
export interface PortTypes {
  csi: CsiBlock;
  window: Window;
  pose: PoseFrame;
  event: SensedEvent;
  measure: Measure;
}

export type Port = keyof PortTypes;

export const PORTS: readonly Port[] = ['csi', 'window', 'pose', 'event', 'measure'];

/** Any data of the ports `P`. Each value carries the name of its port. */
export type Data<P extends Port = Port> = PortTypes[P];

/** A record that a node rejected, and why. */
export interface Failure {
  /** The content of the dead letter; must survive a structured clone. */
  readonly record: unknown;
  /** Dotted code, bounded in number: it becomes a label of a metric. `decode.truncated` */
  readonly code: string;
  /** For a person: what is wrong and how to fix it. */
  readonly reason: string;
  /** True if a retry can succeed. */
  readonly retriable: boolean;
}
