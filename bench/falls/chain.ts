import { readFileSync } from 'node:fs';
import { Value } from 'typebox/value';
import { parse } from 'yaml';
import { denoise } from '../../operators/denoise/denoise.js';
import { normalizeGain } from '../../operators/normalize-gain/normalize-gain.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { window } from '../../operators/window/window.js';
import { packageFile } from '../../pipeline/base/paths.js';
import type { Context, Operator, OperatorDefinition, Output } from '../../pipeline/component/index.js';
import { LinkTable, type CsiBlock, type Environment, type Window } from '../../pipeline/model/index.js';

/** The topology whose cleaning and windows training and measurements use. */
const TOPOLOGY = 'topologies/demo.yaml';

/** The shipped chain from frames to windows: the nodes of {@link TOPOLOGY}, with their own configuration. */
export class WindowChain {
  readonly #gain: Operator;
  readonly #denoise: Operator;
  readonly #phase: Operator;
  readonly #window: Operator;

  constructor(environment: Environment) {
    const { operators } = parse(readFileSync(packageFile(TOPOLOGY), 'utf8')) as Topology;
    const context = offlineContext(environment);
    const make = (component: OperatorDefinition) => {
      const node = Object.values(operators).find(({ type }) => type === component.name)!;
      const own = Object.fromEntries(
        Object.entries(node).filter(([key]) => key !== 'type' && key !== 'from'),
      );
      return component.create(Value.Default(component.config, own) as never, context);
    };
    this.#gain = make(normalizeGain);
    this.#denoise = make(denoise);
    this.#phase = make(phaseSanitize);
    this.#window = make(window);
  }

  /** Windows that these frames close; event time then is that of the last frame. */
  take(block: CsiBlock): readonly Window[] {
    for (const level of this.#run(this.#gain, block))
      for (const clean of this.#run(this.#denoise, level))
        for (const straight of this.#run(this.#phase, clean)) this.#run(this.#window, straight);
    return this.#closed(block.time[block.count - 1]!);
  }

  /** Windows that the end of the input closes. */
  end(): readonly Window[] {
    return this.#closed(Infinity);
  }

  #closed(time: number): readonly Window[] {
    return this.#window.watermark!(time).data as readonly Window[];
  }

  #run(operator: Operator, data: CsiBlock): readonly CsiBlock[] {
    return (operator.process(data, 'frames') as Output<CsiBlock>).data;
  }
}

interface Topology {
  readonly operators: Readonly<Record<string, { readonly type: string }>>;
}

/** The context that an operator of one room needs when run alone. */
export function offlineContext(environment: Environment): Context {
  const nothing = () => undefined;
  return {
    topology: 'offline',
    node: 'offline',
    environments: [environment],
    inputs: [],
    links: new LinkTable([environment]),
    clock: { now: () => 0, elapsed: () => 0 },
    random: () => 0.5,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    metrics: { dropped: nothing, missing: nothing, failed: nothing, gauge: nothing, count: nothing },
    degrade: nothing,
    folder: '',
    stateFolder: '',
    provenance: { origin: 'replay' },
  };
}
