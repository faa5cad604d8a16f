import { join } from 'node:path';
import type {
  AnySource,
  LiveFeed,
  Member,
  Operator,
  Partitions,
  Reader,
  Whereabouts,
} from '../../component/index.js';
import type { CheckedNode, CheckedTopology } from '../../config/topology/topology.js';
import { openStateOf } from '../privacy/privacy.js';
import {
  DeadLetters,
  memberOf,
  PartitionState,
  STATE_FILE,
  type StateStore,
  type DeadLetter,
} from '../../state/index.js';
import { backoff, pause } from '../../base/backoff.js';
import type { CheckpointFigures } from '../checkpoints/barriers.js';
import { GroupFeed } from './group-feed.js';
import { Membership } from './membership.js';
import { Nodes } from '../nodes/nodes.js';
import type { NotReplayed } from '../dead-letters/letter-desk.js';
import { seededRandom } from '../../base/random.js';
import type { NodeHealth, Run } from '../shard/run.js';
import { Shard, type ShardOptions } from '../shard/shard.js';
import { errorText } from '../../base/error-text.js';

/** Longer than two heartbeats: a process that lost a partition unknowingly has been notified by then. */
const FIRST_RETRY_MS = 3000;
const MAX_RETRY_MS = 30_000;
/** After this time, a new failure counts as the first. */
const STEADY_MS = 60_000;

export type ShardGroupOptions = Omit<ShardOptions, 'partition'>;

/** A partition that this process serves until it is released. */
interface Held {
  readonly away: AbortController;
  shard: Shard | undefined;
  problem: string | null;
  ended: Promise<void>;
}

/**
 * This process' share of a topology that several processes run: each partition of the source is a separate
 * shard with its own operators, sinks and checkpoints. The group assigns and revokes partitions.
 */
export class ShardGroup implements Run {
  /** Never: partitions do not end. */
  readonly finished = new Promise<void>(() => undefined);
  #options: ShardGroupOptions;
  readonly #source: CheckedNode;
  readonly #transactional: ReadonlySet<string>;
  readonly #held = new Map<number, Held>();
  readonly #random: () => number;
  #partitions: Partitions | undefined;
  #member: Member | undefined;
  #store: StateStore | undefined;
  #letters: DeadLetters | undefined;
  readonly #feeds = new Map<string, GroupFeed>();
  #membership: Membership | undefined;
  #stopped = false;
  /** The ends of released partitions that are still closing. */
  readonly #leaving = new Map<number, Promise<void>>();

  constructor(options: ShardGroupOptions) {
    const { topology } = options;
    this.#options = options;
    this.#source = topology.nodes.find(({ component }) => component.kind === 'source')!;
    this.#transactional = new Set(
      topology.nodes
        .filter(({ component }) => component.kind === 'sink' && component.transactional === true)
        .map(({ id }) => id),
    );
    this.#random = seededRandom(topology.settings.seed, `${topology.id}/partitions`);
  }

  async start(): Promise<void> {
    const { topology, onStep, onFailure, onChange, log, clock } = this.#options;
    onStep('hardware_initialization', 0);
    try {
      this.#store = await openStateOf(topology.id, topology.settings, log);
      this.#letters = new DeadLetters(this.#store);
      const id = await memberOf(this.#store);
      this.#member = { id, address: topology.settings.advertisedAddress ?? null };
      this.#partitions = this.#open(this.#member);
      this.#membership = new Membership(this.#partitions, {
        ...{ log, clock, onChange, onFailure, random: this.#random },
        onShare: (share) => {
          this.#share(share);
        },
      });
      onStep('hardware_initialization', 1);
      await this.#membership.join();
    } catch (error) {
      await this.stop(false);
      throw error;
    }
    // Data that partitions need is loaded when they arrive.
    onStep('model_loading', 1);
    onStep('data_pipeline_start', 1);
  }

  async stop(save: boolean, force = false): Promise<void> {
    const { onStep } = this.#options;
    this.#stopped = true;
    this.#membership?.end();
    onStep('data_pipeline_stop', 0.2);
    const held = [...this.#held.values()];
    await Promise.all((save || force ? this.#shards : []).map((shard) => shard.stop(save, force)));
    this.#share([]);
    await Promise.all([...held.map(({ ended }) => ended), ...this.#leaving.values()]);
    onStep('data_pipeline_stop', 1);
    await this.#membership?.leave();
    await this.#store?.close();
    onStep('model_unloading', 1);
  }

  /** For each node, the worst state among its shards. */
  get runs(): ReadonlyMap<string, NodeHealth> {
    const shards = this.#shards;
    return new Map(
      this.#options.topology.nodes.map(({ id }) => {
        const all = shards.map((shard) => shard.runs.get(id)!);
        const worst =
          all.find(({ problem }) => problem !== null) ?? all.find((run) => run.status !== 'active');
        // A partition that has read nothing does not know whether its input is live.
        const newest = all.toSorted((a, b) => recordOf(b) - recordOf(a))[0];
        return [
          id,
          {
            id,
            status: (worst ?? all[0])?.status ?? 'active',
            problem: worst?.problem ?? null,
            lastRecord: newest?.lastRecord ?? null,
            context: { provenance: newest?.context.provenance ?? { origin: 'live' } },
            watermark: all.length === 0 ? -Infinity : Math.min(...all.map(({ watermark }) => watermark)),
          },
        ];
      }),
    );
  }

  /** The oldest among the partitions' last checkpoints. */
  get checkpoint(): CheckpointFigures | null {
    const all = this.#shards.map(({ checkpoint }) => checkpoint).filter((one) => one !== null);
    return all.reduce<CheckpointFigures | null>((a, b) => (a && a.at <= b.at ? a : b), null);
  }

  get problem(): string | null {
    if (this.#membership?.problem) return this.#membership.problem;
    for (const [number, { problem, shard }] of this.#held) {
      const found = problem ?? shard?.problem;
      if (found) return `partition ${number}: ${found}`;
    }
    return null;
  }

  get readers(): ReadonlyMap<string, Reader> {
    return this.#shards[0]?.readers ?? new Map<string, Reader>();
  }

  get feeds(): ReadonlyMap<string, LiveFeed> {
    return this.#feeds;
  }

  /**
   * The node's status reports in each partition, by the partition's number, and what they say about rooms together: a
   * room is in one partition.
   */
  describe(node: string): Readonly<Record<string, unknown>> {
    const reports = [...this.#held].map(
      ([number, { shard }]) => [`partition_${number}`, shard?.describe(node) ?? {}] as const,
    );
    const withRooms = reports.flatMap(([, { rooms }]) =>
      typeof rooms === 'object' && rooms !== null ? [rooms] : [],
    );
    return {
      ...Object.fromEntries(reports),
      ...(withRooms.length > 0 && { rooms: Object.assign({}, ...withRooms) as unknown }),
    };
  }

  operator(node: string): Operator | undefined {
    return this.#shards[0]?.operator(node);
  }

  async whereIs(environment: string): Promise<Whereabouts> {
    const found = (await this.#partitions?.holders?.(environment)) ?? [];
    if (found.length === 0) return { at: 'nowhere' };
    if (found.some(({ partition }) => this.#held.has(partition))) return { at: 'here' };
    const other = found.find(({ id }) => id !== this.#member?.id);
    // Its next owner has not taken a checkpoint yet.
    return other ? { at: 'elsewhere', address: other.address } : { at: 'moving' };
  }

  deadLetters(): DeadLetters | undefined {
    return this.#letters;
  }

  replayAsked(): readonly NotReplayed[] {
    const refused = this.#shards.flatMap((shard) => shard.replayAsked());
    const served = ({ partition }: DeadLetter) =>
      partition !== undefined && this.#held.get(partition)?.shard !== undefined;
    const waiting = (this.#letters?.asked() ?? []).filter((letter) => !served(letter));
    return [...refused, ...waiting.map((letter) => this.#notNow(letter))];
  }

  adjust(topology: CheckedTopology): void {
    this.#options = { ...this.#options, topology };
    for (const shard of this.#shards) shard.adjust(topology);
  }

  /** Dead letters and the ids of sent alerts; everything else is stored beside the input. */
  async copyTo(folder: string): Promise<void> {
    await this.#store?.copyTo(join(folder, STATE_FILE));
  }

  /** It stays marked: the partition's next start here replays it. */
  #notNow({ id, partition }: DeadLetter): NotReplayed {
    if (partition !== undefined)
      return {
        id,
        reason: `another process reads its partition ${partition} now: this one replays the record when it reads the partition again`,
      };
    this.#letters!.refuseReplay(id);
    return { id, reason: 'its partition is unknown: the topology was not scaled out then' };
  }

  get #shards(): readonly Shard[] {
    return [...this.#held.values()].map(({ shard }) => shard).filter((shard) => shard !== undefined);
  }

  #feedOf(node: string): GroupFeed {
    let feed = this.#feeds.get(node);
    if (!feed) this.#feeds.set(node, (feed = new GroupFeed()));
    return feed;
  }

  #open(member: Member): Partitions {
    const { component, config, id } = this.#source;
    const { partitions } = component as AnySource;
    if (!partitions) throw new Error(`${id} (${component.name}) has no partitions to share`);
    const { context } = new Nodes(this.#options).runs.get(id)!;
    return partitions(config as never, context, member);
  }

  #share(partitions: readonly number[]): void {
    for (const [number, held] of this.#held) {
      if (partitions.includes(number)) continue;
      this.#held.delete(number);
      held.away.abort();
      this.#leaving.set(number, held.ended);
    }
    for (const number of partitions) {
      if (this.#stopped || this.#held.has(number)) continue;
      const held: Held = {
        away: new AbortController(),
        shard: undefined,
        problem: null,
        ended: Promise.resolve(),
      };
      this.#held.set(number, held);
      held.ended = this.#hold(number, held, this.#leaving.get(number));
    }
    this.#options.onChange();
  }

  /** Serves a partition, restarting after failures, until it is released. */
  async #hold(number: number, held: Held, before: Promise<void> | undefined): Promise<void> {
    const { log, clock, onChange } = this.#options;
    const { signal } = held.away;
    await before;
    const away = () => signal.aborted;
    for (let attempt = 1; !away(); attempt++) {
      const began = clock.elapsed();
      try {
        await this.#serve(number, held);
      } catch (error) {
        if (away()) break;
        held.problem = errorText(error);
        if (clock.elapsed() - began > STEADY_MS) attempt = 1;
        log.warn('a partition failed and is restarted', {
          partition: number,
          error: errorText(error),
          attempt,
        });
        onChange();
        await pause(backoff(attempt, FIRST_RETRY_MS, MAX_RETRY_MS, this.#random), signal, clock);
      }
    }
    this.#leaving.delete(number);
  }

  /** Resolves when the partition is released; rejects when its shard fails. */
  async #serve(number: number, held: Held): Promise<void> {
    const { log, onFailure } = this.#options;
    const { signal } = held.away;
    const partition = await this.#partitions!.take(number, signal);
    if (signal.aborted) {
      await partition.close();
      return;
    }
    let settle: (error: Error | null) => void = () => undefined;
    const over = new Promise<Error | null>((resolve) => {
      settle = resolve;
    });
    const given = () => {
      settle(null);
    };
    signal.addEventListener('abort', given);
    const shard = new Shard({
      ...this.#options,
      log: log.child({ partition: number }),
      onStep: () => undefined,
      onFailure: (error, final) => {
        if (final) onFailure(error, true);
        settle(error);
      },
      partition,
      openState: () =>
        new PartitionState(
          partition,
          number,
          this.#source.id,
          this.#transactional,
          this.#store!,
          this.#letters!,
        ),
    });
    const { saved } = partition;
    const unheard: (() => void)[] = [];
    log.info('serving a partition', { partition: number, epoch: saved?.epoch ?? null });
    try {
      await shard.start();
      held.shard = shard;
      shard.adjust(this.#options.topology);
      for (const [node, feed] of shard.feeds) unheard.push(this.#feedOf(node).add(feed));
      held.problem = null;
      this.#options.onChange();
      const failure = await over;
      if (failure) throw failure;
    } finally {
      signal.removeEventListener('abort', given);
      held.shard = undefined;
      for (const stop of unheard) stop();
      // Immediately: a sink may be waiting for a checkpoint that will never come.
      await Promise.all([shard.stop(false), partition.close()]);
    }
  }
}

/** Event time of the newest record, microseconds; 0 before the first. */
const recordOf = ({ lastRecord }: NodeHealth): number => lastRecord ?? 0;
