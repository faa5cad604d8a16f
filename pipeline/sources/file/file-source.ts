import { resolve } from 'node:path';
import {
  sliceRaw,
  type Context,
  type Output,
  type Position,
  type RawBatch,
  type Source,
  type SourceOutput,
  type State,
} from '../../component/index.js';
import { isFilePattern } from '../../base/file-pattern.js';
import { fromIsoTime } from '../../base/iso-time.js';
import {
  decoderOf,
  FormatError,
  formatNamed,
  ProblemLog,
  type Decoder,
  type Problem,
} from '../../formats/index.js';
import type { Data } from '../../model/index.js';
import { LaggingPace } from '../lagging-pace.js';
import { Pace } from '../pace.js';
import { recordsFormat } from '../recording.js';
import { isDate, TimeAxis } from './axis.js';
import { Follower, type FollowHost } from './followed.js';
import { played } from './played.js';
import type { FileSettings } from './settings.js';
import { newestOf, START, type FilePosition, type OpenedRecording, type Step } from './steps.js';

/** State of the decoder, and the format that it decodes. */
interface DecoderState {
  readonly format: string;
  readonly decoder: State;
}

export class FileSource implements Source {
  readonly #config: FileSettings;
  readonly #context: Context;
  readonly #problemLog: ProblemLog;
  readonly #lagging: LaggingPace;
  #recording: OpenedRecording | undefined;
  #decoder: Decoder | undefined;
  #restored: DecoderState | null = null;
  #format: string | undefined;
  #axis = new TimeAxis(0, -Infinity);
  #problem: string | null = null;
  #files = 0;
  #records = 0;
  #problems = 0;

  constructor(settings: FileSettings, context: Context) {
    this.#config = settings;
    this.#context = context;
    this.#lagging = new LaggingPace(context, settings.speed);
    this.#problemLog = new ProblemLog((message, problem) => {
      const name = isFilePattern(this.#pattern) ? this.#recording?.path : undefined;
      context.log.warn(`${name ?? settings.path}: ${message}`, problem);
    });
  }

  async open(position: Position, output: SourceOutput): Promise<void> {
    if (output.signal.aborted) return;
    const from = (position ?? START) as FilePosition;
    const { start_time: start } = this.#config;
    this.#axis = new TimeAxis(from.shift, newestOf(from), start === undefined ? start : fromIsoTime(start));
    const pace = new Pace(this.#config.speed, this.#context, output.signal, this.#lagging);
    let { skip } = from;
    try {
      for await (const step of this.#steps(from, output)) {
        for (const problem of step.batch.problems) this.#report(problem);
        if (step.batch.raw.count > 0) {
          this.#align(step);
          if (!(await this.#handOn(step, skip, pace, output))) return;
        }
        skip = 0;
      }
    } finally {
      this.#problemLog.end();
    }
  }

  decode(raw: RawBatch): Output<Data> {
    return this.#decoderOfRun().decode(raw);
  }

  snapshot(): State {
    if (!this.#decoder) return this.#restored;
    const format = this.#format ?? 'adr018';
    return { format, decoder: this.#decoder.snapshot() } satisfies DecoderState;
  }

  /** May be called before `open`: the decoder is created once the format is known. */
  restore(state: State): void {
    this.#restored = state as DecoderState | null;
    if (this.#restored) this.#decoder?.restore(this.#restored.decoder);
  }

  reanchor(): void {
    this.#axis.reanchor();
  }

  describe(): Readonly<Record<string, unknown>> {
    const { path, kind, format, size } = this.#recording ?? {};
    const { speed, follow } = this.#config;
    return {
      path: this.#config.path,
      ...(path !== undefined && isFilePattern(this.#pattern) && { file: path, files: this.#files }),
      kind,
      format,
      bytes: size,
      ...(follow ? { follow, problem: this.#problem } : { speed }),
      ...(speed > 0 && { speed_reached: this.#lagging.reached }),
      records: this.#records,
      problems: this.#problems,
      ...this.#decoder?.describe(),
    };
  }

  get #pattern(): string {
    return resolve(this.#context.folder, this.#config.path);
  }

  #steps(from: FilePosition, output: SourceOutput): AsyncGenerator<Step, void> {
    const { folder, clock, log } = this.#context;
    const host: FollowHost = {
      signal: output.signal,
      clock,
      opened: (recording) => {
        this.#opened(recording);
        output.ready?.();
      },
      report: (problem) => {
        this.#report(problem);
      },
      warn: (message) => {
        log.warn(message);
      },
      info: (message) => {
        log.info(message);
      },
      problem: (problem) => {
        this.#tell(problem, output);
      },
    };
    if (!this.#config.follow) return played(this.#config, folder, from, host);
    // Its files may come later.
    output.ready?.();
    return new Follower(this.#config, folder, host).steps(from);
  }

  #tell(problem: string | null, output: SourceOutput): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    output.problem?.(problem);
    if (problem !== null) this.#context.log.warn(problem);
  }

  /** @throws FormatError if its records are of another format than those before */
  #opened(recording: OpenedRecording): void {
    const isNew = recording.path !== this.#recording?.path;
    const format = recordsFormat(recording, this.#config.records);
    if (this.#decoder && this.#recording && format !== this.#format)
      throw new FormatError(
        'file.mixed',
        recording.path,
        `its records are ${format}, those of ${this.#recording.path} ${this.#format}: use a separate source for each format`,
      );
    if (isNew) this.#files++;
    this.#recording = recording;
    if (this.#format !== format) this.#decoderFor(format);
  }

  /** Aligns a file on the axis of time. */
  #align({ begins, batch, pass, recording }: Step): void {
    if (!begins) return;
    const first = batch.raw.time[0]!;
    const isMoved =
      begins.at === undefined
        ? this.#axis.begin(first, pass === 0)
        : this.#axis.beginAt(first, begins.at, this.#context.clock.now());
    if (isMoved && pass === 0 && isDate(first))
      this.#context.log.warn(
        `${recording.path}: its times do not follow those of the previous file, so it is shifted to follow that file`,
        { seconds: this.#axis.shift / 1e6 },
      );
  }

  /** Passes on the records of a batch as they fall due. False if the source must stop. */
  async #handOn(step: Step, skip: number, pace: Pace, output: SourceOutput): Promise<boolean> {
    const { batch, before, recording, identity, pass } = step;
    const { sender = '' } = this.#config;
    const senders = batch.raw.senders.map((name) => (name === '' ? sender : name));
    const raw = { ...batch.raw, senders, time: this.#axis.aligned(batch.raw.time) };
    const { shift } = this.#axis;
    const at = { file: recording.path, ...(identity && { identity }), pass, shift };
    for (let from = skip; from < raw.count;) {
      const to = await pace.due(raw, from);
      if (output.signal.aborted) return false;
      const isWhole = to === raw.count;
      const resume = isWhole ? { recording: batch.position, skip: 0 } : { recording: before, skip: to };
      const position: FilePosition = { ...at, ...resume, newest: raw.time[to - 1]! };
      await output.offer({ position, raw: isWhole && from === 0 ? raw : sliceRaw(raw, from, to) });
      this.#records += to - from;
      from = to;
    }
    return true;
  }

  #report(problem: Problem): void {
    this.#problems++;
    if (problem.isRead) this.#context.metrics.count('corrected_times', 1);
    else this.#context.metrics.dropped(problem.code, 1);
    this.#problemLog.see(problem);
  }

  #decoderFor(format: string): Decoder {
    const decoder = decoderOf(formatNamed(format), this.#context, this.#config);
    if (this.#restored) decoder.restore(this.#restored.decoder);
    this.#decoder = decoder;
    this.#format = format;
    return decoder;
  }

  /** Records may be replayed to `decode` before `open` has read the file: the state then names their format. */
  #decoderOfRun(): Decoder {
    return this.#decoder ?? this.#decoderFor(this.#restored?.format ?? 'adr018');
  }
}
