import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import type { Logger } from '../../../pipeline/component/index.js';
import {
  collisions,
  redact,
  type CheckedTopology,
  type LoadResult,
  type Problem,
  type UnsavedFile,
} from '../../../pipeline/config/index.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import { StateFile } from '../../../pipeline/state/state-file.js';
import { errorText } from '../../../pipeline/base/error-text.js';

const TopologiesFile = Type.Object({
  version: Type.Integer(),
  /** By id. */
  topologies: Type.Record(
    Type.String(),
    Type.Object({
      /** Its YAML. */
      text: Type.String(),
      /** A user stopped it: it stays stopped when csiflow starts again. */
      wanted: Type.Union([Type.Literal('running'), Type.Literal('stopped')]),
    }),
  ),
});
type StoredTopologies = Static<typeof TopologiesFile>['topologies'];

const LAYOUT = 1;
/** Beside the main one. */
const MAX_TOPOLOGIES = 32;

/** Creates and removes topologies beside the main one. */
export interface Workshop {
  readonly run: (topology: CheckedTopology) => RunningTopology;
  /** Removes its figures. */
  readonly forget: (id: string) => void;
}

export interface TopologiesOptions extends Workshop {
  readonly main: RunningTopology;
  /** Topologies of `csiflow run` beside the main one, started and stopped by the caller. */
  readonly given: readonly RunningTopology[];
  /** Checks a text for the topology with that id. */
  readonly parse: (text: string, id: string, unsaved?: UnsavedFile) => LoadResult | Promise<LoadResult>;
  /** Folder of their texts. */
  readonly stateFolder: string;
  readonly log: Logger;
}

/** A text that is not a topology. */
export class TextProblems extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const errors = problems.filter(({ severity }) => severity === 'error');
    const count = errors.length === 1 ? 'an error' : `${errors.length} errors; the first`;
    super(`The topology has ${count}: ${errors[0]?.message ?? ''}`);
    this.problems = errors;
  }
}

/** A conflict with the current state. */
export class TopologyConflict extends Error {
  readonly state: string;

  constructor(message: string, state: string) {
    super(message);
    this.state = state;
  }
}

/**
 * The topologies of a deployment: those given to `csiflow run`, the first of which is the main one, and those
 * added at runtime. The latter are stored in the state folder and continue at the next start of csiflow,
 * unless somebody stopped them. Each has separate environments, state folder, ports and files.
 */
export class Topologies {
  readonly #options: TopologiesOptions;
  readonly #file: StateFile<typeof TopologiesFile>;
  readonly #put = new Map<string, RunningTopology>();
  readonly #listeners = new Set<() => void>();
  /** Ids of those that are being changed. */
  readonly #changing = new Set<string>();

  /** @throws Error with the file's name if it cannot be read. */
  constructor(options: TopologiesOptions) {
    this.#options = options;
    this.#file = new StateFile(join(options.stateFolder, 'topologies.json'), {
      schema: TopologiesFile,
      layout: LAYOUT,
      initial: { version: LAYOUT, topologies: {} },
      remedy: 'remove it, and add the topologies again',
    });
  }

  /** Loads the stored ones; call it once, before anything else. */
  async load(): Promise<void> {
    for (const [id, { text }] of Object.entries(this.#file.content.topologies)) await this.#load(id, text);
  }

  /** Undefined for the main one, whatever its id: `constructor` is a valid id too. */
  #stored(id: string): StoredTopologies[string] | undefined {
    const { topologies } = this.#file.content;
    return Object.hasOwn(topologies, id) ? topologies[id] : undefined;
  }

  /** The main one first. */
  list(): readonly RunningTopology[] {
    return [...this.#given, ...this.#put.values()];
  }

  get #given(): readonly RunningTopology[] {
    return [this.#options.main, ...this.#options.given];
  }

  /** Called when topologies are added or removed. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  find(id: string): RunningTopology | undefined {
    return this.list().find(({ topology }) => topology.id === id);
  }

  /** Its YAML as its file has it now, or as it was sent. Null if it was written in TypeScript. */
  async text(id: string): Promise<string | null> {
    const stored = this.#stored(id);
    if (stored) return stored.text;
    const file = this.find(id)?.topology.file ?? null;
    return file === null ? null : readFile(file, 'utf8');
  }

  isMain(id: string): boolean {
    return this.#options.main.topology.id === id;
  }

  /** Starts those that ran when csiflow ended. An error is in the topology's status and in the log. */
  async resume(): Promise<void> {
    const wanted = [...this.#put].filter(([id]) => this.#stored(id)?.wanted === 'running');
    await Promise.all(
      wanted.map(([id, topology]) =>
        topology.start().catch((error: unknown) => {
          this.#options.log.error('a topology could not be started', {
            topology: id,
            reason: errorText(error),
          });
        }),
      ),
    );
  }

  /**
   * Creates a topology from a text, or replaces the text of a stopped one. Does not start it.
   * @throws TextProblems, TopologyConflict
   */
  async put(id: string, yaml: string): Promise<RunningTopology> {
    const topology = await this.check(id, yaml);
    const known = this.find(id);
    if (known && this.#given.includes(known))
      throw new TopologyConflict(
        `${id} was given to csiflow run: change it with plan and apply`,
        known.status().state,
      );
    if (known && !isDown(known))
      throw new TopologyConflict(
        `${id} is ${known.status().state}: change it with plan and apply, or stop it first`,
        known.status().state,
      );
    if (!known && this.#put.size >= MAX_TOPOLOGIES)
      throw new TopologyConflict(`${MAX_TOPOLOGIES} topologies were added already: remove one`, 'stopped');
    const made = this.#options.run(topology);
    this.#put.set(id, made);
    this.#store(id, { text: yaml, wanted: 'stopped' });
    this.#tell();
    return made;
  }

  /** Continues with another planned text. @throws like {@link RunningTopology.apply}, and {@link change} */
  async apply(id: string, yaml: string, hash: string): Promise<RunningTopology> {
    return this.change(id, (apply) => apply(yaml, hash));
  }

  /**
   * Changes a topology, or a file that it reads, one change at a time: two at once would undo each other.
   * @param work gets a function that continues with another planned text
   * @throws TopologyConflict while somebody else changes it
   */
  async change<T>(
    id: string,
    work: (apply: (yaml: string, hash: string) => Promise<RunningTopology>) => Promise<T>,
  ): Promise<T> {
    if (this.#changing.has(id))
      throw new TopologyConflict(
        `${id} is being changed by somebody else: look at it again in a moment`,
        this.find(id)?.status().state ?? 'stopped',
      );
    this.#changing.add(id);
    try {
      return await work((yaml, hash) => this.#apply(id, yaml, hash));
    } finally {
      this.#changing.delete(id);
    }
  }

  async #apply(id: string, yaml: string, hash: string): Promise<RunningTopology> {
    const running = this.find(id)!;
    await running.apply(await this.check(id, yaml), hash);
    const stored = this.#stored(id);
    if (stored) this.#store(id, { ...stored, text: yaml });
    return running;
  }

  /** Whether it runs or stays stopped, also when csiflow starts again. */
  want(id: string, wanted: 'running' | 'stopped'): void {
    const stored = this.#stored(id);
    if (stored && stored.wanted !== wanted) this.#store(id, { ...stored, wanted });
  }

  /** Removes a topology; its state and its stores stay on disk. @throws TopologyConflict */
  remove(id: string): void {
    const known = this.find(id)!;
    const { state } = known.status();
    if (this.#given.includes(known))
      throw new TopologyConflict(`${id} was given to csiflow run: start csiflow without it`, state);
    if (!isDown(known)) throw new TopologyConflict(`${id} is ${state}: stop it first`, state);
    this.#put.delete(id);
    this.#options.forget(id);
    const rest = Object.entries(this.#file.content.topologies).filter(([one]) => one !== id);
    this.#file.write({ version: LAYOUT, topologies: Object.fromEntries(rest) });
    this.#tell();
  }

  /** Stops the added ones; the next start of csiflow starts them again. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#put].map(async ([id, topology]) => {
        await topology.stop().catch((error: unknown) => {
          this.#options.log.error('a topology could not be stopped', {
            topology: id,
            reason: errorText(error),
          });
        });
      }),
    );
  }

  /**
   * A text as a version of the topology with that id.
   * @param unsaved the text that a file of its environments is to have
   * @throws TextProblems, TopologyConflict
   */
  async check(id: string, yaml: string, unsaved?: UnsavedFile): Promise<CheckedTopology> {
    const { topology, problems, hidden = [] } = await this.#options.parse(yaml, id, unsaved);
    if (!topology) throw new TextProblems(problems);
    if (topology.id !== id)
      throw new TopologyConflict(
        redact(`The text belongs to the topology ${topology.id}, not of ${id}`, hidden, yaml),
        this.find(id)?.status().state ?? 'stopped',
      );
    const others = this.list().flatMap((running) => (running.topology.id === id ? [] : [running.topology]));
    const [collision] = collisions(topology, others);
    if (collision)
      throw new TopologyConflict(
        redact(`${id} cannot run beside the others: ${collision.message}`, hidden, yaml),
        this.find(id)?.status().state ?? 'stopped',
      );
    return topology;
  }

  /** A text that became invalid (its environment's file is missing) is reported, and stays. */
  async #load(id: string, yaml: string): Promise<void> {
    try {
      if (this.find(id)) throw new Error('csiflow run was given a topology of the same id');
      this.#put.set(id, this.#options.run(await this.check(id, yaml)));
    } catch (error) {
      this.#options.log.error('a topology can no longer be created from its text', {
        topology: id,
        reason: errorText(error),
      });
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #store(id: string, entry: StoredTopologies[string]): void {
    this.#file.write({ version: LAYOUT, topologies: { ...this.#file.content.topologies, [id]: entry } });
  }
}

const isDown = (topology: RunningTopology): boolean =>
  ['stopped', 'failed'].includes(topology.status().state);
