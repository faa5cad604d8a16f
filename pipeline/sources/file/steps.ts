import type { Problem } from '../../formats/index.js';
import type { Recording, RecordingBatch, RecordingPosition } from '../recording.js';
import type { FileIdentity } from './identity.js';

/** Position of the source in its files; survives JSON. */
export interface FilePosition {
  /** Path of the file; absent in positions of 0.1.0, which read one file only. */
  readonly file?: string;
  /** Identifies a followed file, to find it again. */
  readonly identity?: FileIdentity;
  /** Null: at its start. */
  readonly recording: RecordingPosition | null;
  /** Number of records after that position that were already passed on. */
  readonly skip: number;
  /** How many times the files were played to their end. */
  readonly pass: number;
  /** Added to the recorded times, microseconds. */
  readonly shift: number;
  /** Shifted time of the last record that was passed on, microseconds; absent in positions of 0.1.0. */
  readonly newest?: number;
}

export const START: FilePosition = { recording: null, skip: 0, pass: 0, shift: 0 };

/** Event time of a position, microseconds; -Infinity before the first record. */
export function newestOf({ recording, shift, newest }: FilePosition): number {
  const recorded = recording?.newest ?? null;
  return newest ?? (recorded === null ? -Infinity : recorded + shift);
}

/** What is known of a file once it is open. */
export type OpenedRecording = Pick<Recording, 'path' | 'kind' | 'format' | 'origin' | 'size'>;

/** The next batch of the files. */
export interface Step {
  readonly recording: OpenedRecording;
  readonly identity?: FileIdentity;
  /** Position in the file, before the batch. */
  readonly before: RecordingPosition | null;
  readonly batch: RecordingBatch;
  /** How many times the files had been played to their end. */
  readonly pass: number;
  /** Set on the first batch of a file that is read from its start. */
  readonly begins?: {
    /** Creation time of a followed file, microseconds. */
    readonly at?: number;
  };
}

/** Receives the messages of a reader of files. */
export interface StepHost {
  readonly signal: AbortSignal;
  /** Called for each file before its first batch. @throws if its records cannot be read together with the others' */
  readonly opened: (recording: OpenedRecording) => void;
  readonly report: (problem: Problem) => void;
  readonly warn: (message: string) => void;
}
