import { Value } from 'typebox/value';
import type { Operator, Output } from '../../../pipeline/component/index.js';
import { LinkTable, type PoseFrame, type SensedEvent, type Window } from '../../../pipeline/model/index.js';
import { UNCALIBRATED } from '../../../operators/infer-pose/model/calibration.js';
import { Engine } from '../../../operators/infer-pose/serving/engine.js';
import { inferPose } from '../../../operators/infer-pose/infer-pose.js';
import { memoryNetwork } from '../../../operators/infer-pose/networks/memory-layers.js';
import { Memory } from '../../../operators/infer-pose/memory/memory.js';
import type { LoadedBackend } from '../../../operators/infer-pose/backends/backends.js';
import { recall, type Remembered } from '../../../operators/infer-pose/people/recall.js';
import { requestOf } from '../../../operators/infer-pose/windows/request.js';
import { readManifest, readMemory } from '../../../operators/infer-pose/model/weights.js';
import type { Rooms } from './rooms.js';
import { ROOMS } from './rooms.js';

/** What computes the pose network. */
export interface Computing {
  /** Folder of the model. */
  readonly weights: string;
  readonly backend: LoadedBackend['name'];
  /** The inference server, which `remote` requires. */
  readonly server?: Server | undefined;
}

/** An inference server, as the fields of `infer-pose` name it. */
export interface Server {
  readonly url: string;
  readonly token?: string | undefined;
}

/** Time limit of one call of a server, milliseconds: the default of `infer-pose`. */
const TIMEOUT_MS = 30_000;

/** The network in this thread, or on a server. @throws KserveError if the server cannot be reached or lacks the model */
export const engineOf = ({ server, ...options }: Computing): Promise<Engine> =>
  Engine.load({ ...options, server: server && { ...server, timeoutMs: TIMEOUT_MS } });

/** One measurement. */
export interface Run {
  /** Windows per second of elapsed time. */
  readonly perSecond: number;
  /** Processor time of all threads for a window, microseconds. */
  readonly cpuUs: number;
}

async function timed(windows: number, work: () => Promise<void>): Promise<Run> {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: windows / seconds, cpuUs: (user + system) / windows };
}

/** Both networks in a loop in this thread, on inputs that are ready: what they cost by themselves. */
export class Bare {
  readonly #rooms: Rooms;
  readonly engine: Engine;
  readonly #memory: Memory | null;
  #remembered: readonly (readonly Remembered[])[] = [];

  private constructor(rooms: Rooms, engine: Engine, memory: Memory | null) {
    this.#rooms = rooms;
    this.engine = engine;
    this.#memory = memory;
  }

  static async open(rooms: Rooms, computing: Computing): Promise<Bare> {
    const { weights } = computing;
    const memory = readMemory(weights, readManifest(weights));
    return new Bare(rooms, await engineOf(computing), memory && new Memory(memoryNetwork(memory)));
  }

  async run(windows: number, batch: number): Promise<Run> {
    const table = new LinkTable(this.#rooms.environments);
    const ready = Array.from({ length: ROOMS }, (_, room) =>
      requestOf(this.#rooms.window(room), table, UNCALIBRATED)!,
    );
    this.#remembered = ready.map(() => []);
    return timed(windows, async () => {
      for (let from = 0; from < windows; from += batch) {
        const numbers = Array.from({ length: Math.min(batch, windows - from) }, (_, i) => from + i);
        const answers = await this.engine.infer(numbers.map((number) => ready[number % ROOMS]!));
        answers.forEach(({ reading }, i) => {
          if (reading) this.#recall(numbers[i]!, reading);
        });
      }
    });
  }

  #recall(number: number, reading: Parameters<typeof recall>[2]['reading']): void {
    const room = number % ROOMS;
    const { start } = this.#rooms.window(number);
    const size = this.#rooms.environments[room]!.size;
    const said = recall(this.#memory!, this.#remembered[room]!, { reading, time: start, size });
    if (!said) throw new Error('the network answered with numbers that are not finite');
    this.#remembered = this.#remembered.with(room, said.remembered);
  }
}

/** The operator `infer-pose`, with some of its windows always in progress. */
export class Operating {
  readonly #rooms: Rooms;
  readonly #operator: Operator<'window', 'pose' | 'event'>;
  #number = 0;

  private constructor(rooms: Rooms, operator: Operator<'window', 'pose' | 'event'>) {
    this.#rooms = rooms;
    this.#operator = operator;
  }

  /** @param fields of `infer-pose`. A backend that fails is not replaced by WebAssembly, which would be measured instead. */
  static async open(rooms: Rooms, { server, ...computing }: Computing, fields: object): Promise<Operating> {
    const config = { ...computing, ...server, ...fields, fallback: 'none' };
    const whole = Value.Default(inferPose.config, config) as never;
    const operator = inferPose.create(whole, rooms.context());
    await operator.open?.();
    return new Operating(rooms, operator);
  }

  run(windows: number, inFlight: number): Promise<Run> {
    return timed(windows, async () => {
      const waiting: Promise<Output<PoseFrame | SensedEvent>>[] = [];
      for (let i = 0; i < windows; i++) {
        waiting.push(this.#give(this.#rooms.window(this.#number++)));
        if (waiting.length >= inFlight) this.#settle(await waiting.shift()!);
      }
      for (const one of waiting) this.#settle(await one);
    });
  }

  async close(): Promise<void> {
    await this.#operator.close?.();
  }

  #give(window: Window): Promise<Output<PoseFrame | SensedEvent>> {
    return Promise.resolve(this.#operator.process(window, 'windows'));
  }

  #settle(output: Output<PoseFrame | SensedEvent>): void {
    const [failure] = output.failed ?? [];
    if (failure) throw new Error(`a window failed: ${failure.reason}`);
    this.#operator.settle?.(output);
  }
}
