import { setImmediate as turn } from 'node:timers/promises';
import type { Data, Person, PoseFrame, Window } from '../../../../pipeline/model/index.js';
import { ApiError } from '../../errors.js';
import type { Deployment } from '../../deployment/deployment.js';
import { requireRunning } from '../../deployment/environments.js';
import { poseChain, windowTimes, type PoseChain } from './chain.js';
import { blocksOf, FRAMES_AT_ONCE, readFrames, type SubmittedFrame } from './frames.js';
import { Layouts } from './layouts.js';
import { OperatorRow } from './operators.js';
import { wrong, type PackedFrames } from './packed.js';
import { Sessions } from './sessions.js';
import { errorText } from '../../../../pipeline/base/error-text.js';

/** Parts of a deployment used to process submitted frames. */
export type Processes = 'main' | 'clock' | 'log' | 'watch';

/** Windows of one call that may wait in the network's thread, and the limit of a call. */
const [WINDOWS_AT_ONCE, MAX_WINDOWS] = [16, 600];
/** The limit with drawings of each person: pictures take ten times as long. */
const MAX_DRAWN = 100;
/** Limit of concurrent calls. */
const CALLS_AT_ONCE = 4;

export interface ProcessRequest {
  readonly frames: PackedFrames;
  /** Null: a single call. */
  readonly session: string | null;
  readonly account: string;
  /** Null: as in the topology. */
  readonly tracking: boolean | null;
  readonly minConfidence: number;
  /** Null: any number. */
  readonly maxPersons: number | null;
  /** With pictures of persons. */
  readonly drawn: boolean;
}

export interface Processed {
  readonly environment: string;
  /** One for each window closed by the frames. */
  readonly poseFrames: readonly PoseFrame[];
  readonly taken: number;
  /** By the operators' reasons: for the whole session, if there is one. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Microseconds of available frames, and of those required for a first window. */
  readonly span: number;
  readonly needed: number;
  readonly tracked: boolean;
  readonly continued: boolean;
}

/** Operators of a call or a session, and their progress. */
interface Work {
  readonly before: OperatorRow;
  readonly tracker: OperatorRow | null;
  readonly environment: string;
  first: number;
  newest: number;
  /** Calls of a session run one after another. */
  ready: Promise<unknown>;
}

/** Bound to one state of the topology: another one restarts everything. */
interface Bound {
  readonly topology: Deployment['main']['topology'];
  readonly chain: PoseChain | null;
  readonly layouts: Layouts;
  readonly sessions: Sessions<Work>;
}

/**
 * Processes frames submitted through the service interface with the operators and the network of the main
 * topology: copies of the operators with separate state, and the network in the thread that serves the
 * topology.
 */
export class PoseProcessing {
  readonly #deployment: Pick<Deployment, Processes>;
  #bound: Bound | null = null;
  #atWork = 0;

  constructor(deployment: Pick<Deployment, Processes>) {
    this.#deployment = deployment;
  }

  /** @throws ApiError 422 for frames that fit no link, 503 without a network, or under overload. */
  async process(request: ProcessRequest): Promise<Processed> {
    requireRunning(this.#deployment.main);
    const bound = this.#bind();
    const { chain } = bound;
    if (!chain) throw noModel(`The topology ${bound.topology.id} has no operator that infers poses`);
    if (request.tracking === true && !chain.tracker)
      throw wrong('processing_options.enable_tracking', 'no operator of this topology tracks persons', true);
    if (this.#atWork >= CALLS_AT_ONCE)
      throw new ApiError(
        'SYSTEM_NOT_READY',
        `${CALLS_AT_ONCE} other calls are in progress: try again in a moment`,
        {
          headers: { 'Retry-After': '1' },
        },
      );
    this.#atWork++;
    try {
      return await this.#run(request, chain, bound);
    } finally {
      this.#atWork--;
    }
  }

  async #run(request: ProcessRequest, chain: PoseChain, { layouts, sessions }: Bound): Promise<Processed> {
    const { links } = this.#deployment.main;
    const frames = await readFrames(request.frames, links, layouts);
    const environment = frames[0]!.link.environment.id;
    const make = (): Work => this.#work(chain, environment);
    const { session, account } = request;
    // Sessions are per room: a window of one room must not reach another.
    const { session: work, continued } =
      session === null
        ? { session: make(), continued: false }
        : sessions.of(account, `${environment} ${session}`, make);
    const mine = work.ready.then(() => this.#go(work, frames, chain, request));
    work.ready = mine.catch(() => {
      sessions.forget(work);
    });
    return { ...(await mine), continued };
  }

  async #go(
    work: Work,
    frames: readonly SubmittedFrame[],
    chain: PoseChain,
    { session, tracking, minConfidence, maxPersons, drawn }: ProcessRequest,
  ): Promise<Omit<Processed, 'continued'>> {
    const { length, hop } = windowTimes(chain);
    if (frames[0]!.time - work.newest > length) work.first = frames[0]!.time;
    const windows = await this.#windows(work, frames, session === null);
    const most = drawn ? MAX_DRAWN : MAX_WINDOWS;
    if (windows.length > most)
      throw wrong(
        'csi_data',
        `makes ${windows.length} windows, but the limit is ${most}${drawn ? ' with return_dense_pose' : ''}: send less at a time`,
        null,
      );
    const inferred = await this.#infer(chain.network.id, windows);
    const tracked = work.tracker !== null && tracking !== false;
    const poses = tracked ? await follow(work.tracker, inferred) : inferred;
    return {
      environment: work.environment,
      poseFrames: poses.map((pose) => ({
        ...pose,
        persons: chosen(pose.persons, minConfidence, maxPersons),
      })),
      taken: frames.length,
      dropped: { ...work.before.dropped },
      span: work.newest - work.first,
      needed: length + hop,
      tracked,
    };
  }

  /** Windows closed by the frames. @param last whether no more follow */
  async #windows(work: Work, frames: readonly SubmittedFrame[], last: boolean): Promise<readonly Window[]> {
    const windows: Window[] = [];
    const take = (data: readonly Data[]): void => {
      for (const record of data) if (record.port === 'window') windows.push(record);
    };
    for (let at = 0; at < frames.length; at += FRAMES_AT_ONCE) {
      const some = frames.slice(at, at + FRAMES_AT_ONCE);
      work.newest = Math.max(work.newest, some.at(-1)!.time);
      take((await work.before.process(blocksOf(some), work.newest)).data);
      await turn();
    }
    if (last) take((await work.before.process([], Infinity)).data);
    return windows;
  }

  async #infer(node: string, windows: readonly Window[]): Promise<readonly PoseFrame[]> {
    const poses: PoseFrame[] = [];
    for (let at = 0; at < windows.length; at += WINDOWS_AT_ONCE) {
      const some = windows.slice(at, at + WINDOWS_AT_ONCE);
      const outputs = await Promise.all(some.map((window) => this.#ask(node, window)));
      for (const { data, failed } of outputs) {
        const [failure] = failed ?? [];
        if (failure && !failure.retriable) throw wrong('csi_data', failure.reason, null);
        if (failure) throw noModel(failure.reason);
        for (const record of data) if (record.port === 'pose') poses.push(record);
      }
    }
    return poses;
  }

  async #ask(node: string, window: Window) {
    const { main } = this.#deployment;
    if (!main.ask) throw noModel(`${node} cannot be called`);
    try {
      return await main.ask(node, window);
    } catch (error) {
      throw noModel(errorText(error));
    }
  }

  #work({ before, tracker }: PoseChain, environment: string): Work {
    const { main, clock, log } = this.#deployment;
    return {
      before: new OperatorRow(before, main, { clock, log }),
      tracker: tracker && new OperatorRow([tracker], main, { clock, log }),
      environment,
      first: -Infinity,
      newest: -Infinity,
      ready: Promise.resolve(),
    };
  }

  #bind(): Bound {
    const { main, watch, clock } = this.#deployment;
    const { topology } = main;
    if (this.#bound?.topology === topology) return this.#bound;
    this.#bound?.layouts.close();
    const chain = poseChain(topology);
    this.#bound = {
      topology,
      chain,
      layouts: new Layouts(chain?.sources ?? [], watch),
      sessions: new Sessions(clock),
    };
    return this.#bound;
  }
}

const noModel = (message: string): ApiError =>
  new ApiError('MODEL_ERROR', message, { headers: { 'Retry-After': '5' } });

async function follow(tracker: OperatorRow, poses: readonly PoseFrame[]): Promise<readonly PoseFrame[]> {
  if (poses.length === 0) return [];
  const { data } = await tracker.process(poses, poses.at(-1)!.time);
  return data.filter((record) => record.port === 'pose');
}

/** The persons above the threshold, most confident first. */
const chosen = (persons: readonly Person[], minConfidence: number, most: number | null): readonly Person[] =>
  persons
    .filter(({ confidence }) => confidence >= minConfidence)
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, most ?? persons.length);
