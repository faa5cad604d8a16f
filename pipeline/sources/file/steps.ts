import type { Problem } from '../../formats/index.js';
import type { Recording, RecordingBatch, RecordingPosition } from '../recording.js';
import type { FileIdentity } from './identity.js';

/** Where the source is in its files; survives JSON. */
export interface FilePosition {
  /** Its path; left out by 0.1.0, which read one file only. */
  readonly file?: string;
  /** Of a followed file, to find it again. */
  readonly identity?: FileIdentity;
  /** Null: at its start. */
  readonly recording: RecordingPosition | null;
  /** Records after that place that were handed on already. */
  readonly skip: number;
  /** Times that the files were played to their end. */
  readonly pass: number;
  /** Added to the recorded times, microseconds. */
  readonly shift: number;
  /** Shifted time of the last record that was handed on, microseconds; left out by 0.1.0. */
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
  /** In the file, before the batch. */
  readonly before: RecordingPosition | null;
  readonly batch: RecordingBatch;
  /** Times that the files were played to their end before. */
  readonly pass: number;
  /** Set on the first batch of a file that is read from its start. */
  readonly begins?: {
    /** When the file was begun, microseconds: of a followed file. */
    readonly at?: number;
  };
}

/** Says what a reader of files comes across. */
export interface StepHost {
  readonly signal: AbortSignal;
  /** Called for each file before its first batch. @throws where its records cannot be read with the others' */
  readonly opened: (recording: OpenedRecording) => void;
  readonly report: (problem: Problem) => void;
  readonly warn: (message: string) => void;
}
