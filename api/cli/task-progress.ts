import { Progress } from './progress.js';
import { toStderr } from './to-stderr.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/**
 * What an evaluation of many tasks does, on stderr. On a terminal, one changing line names the task, its newest
 * step and the time; elsewhere, each step is a line, and a minute without any adds one.
 */
export class TaskProgress {
  readonly #all: number;
  readonly #line = new Progress();
  readonly #terminal = process.stderr.isTTY;
  /** Steps can be minutes apart: the time goes on meanwhile. */
  readonly #clock: NodeJS.Timeout;
  #begun = 0;
  #done = 0;
  #since = 0;
  /** When a line was written last. */
  #written = 0;
  #task = '';
  #step = '';

  /** @param all number of tasks */
  constructor(all: number) {
    this.#all = all;
    this.#clock = setInterval(() => {
      if (this.#task !== '') this.#tick();
    }, SECOND);
    this.#clock.unref();
  }

  begin(task: string): void {
    this.#begun += 1;
    this.#since = performance.now();
    this.#task = `${task}, task ${this.#begun} of ${this.#all}`;
    this.#step = '';
    if (this.#terminal) this.#show();
    else this.write(`${this.#task}: begun`);
  }

  /** @param line may name its task first */
  step(line: string): void {
    this.now(line);
    if (!this.#terminal) this.write(line);
  }

  /** What happens at the moment, for the line of a terminal, or of a minute without other lines. */
  now(text: string): void {
    this.#step = text;
    if (this.#terminal) this.#show();
  }

  /** Writes a line that remains. */
  write(line: string): void {
    this.#line.end();
    toStderr(line);
    this.#written = performance.now();
  }

  /** Writes the result of a task. */
  done(line: string): void {
    this.#done += 1;
    this.write(line);
  }

  /** Says why the evaluation ends early, and what is left of it. @param out folder to which each result was written */
  endEarly(why: string, out: string | undefined): void {
    this.end();
    const kept = out === undefined ? 'not kept, for lack of --out' : `kept in ${out}`;
    toStderr(`csiflow: ${why}`);
    toStderr(`${this.#done} of ${this.#all} tasks measured${this.#done > 0 ? `, ${kept}` : ''}`);
  }

  /** Removes the changing line. */
  end(): void {
    clearInterval(this.#clock);
    this.#task = '';
    this.#line.end();
  }

  #tick(): void {
    if (this.#terminal) this.#show();
    else if (performance.now() - this.#written >= MINUTE) this.write(this.#text());
  }

  #show(): void {
    this.#line.show(() => fitting(this.#text()));
  }

  #text(): string {
    const seconds = Math.round((performance.now() - this.#since) / SECOND);
    return `${this.#task}, ${seconds} s${this.#step && `: ${this.#step}`}`;
  }
}

/** A longer line would wrap, and then only its end be replaced. */
const fitting = (line: string): string => {
  const columns = process.stderr.columns || 80;
  return line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
};
