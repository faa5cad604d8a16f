import { resolve } from 'node:path';
import type { Static, TObject } from 'typebox';
import { stringify } from 'yaml';
import {
  Registry,
  type Component,
  type OperatorDefinition,
  type RequiredField,
  type SinkDefinition,
  type SourceDefinition,
} from '../../component/index.js';
import type { Environment, Port } from '../../model/index.js';
import { givenText } from './environments.js';
import { parseTopology } from './load.js';
import { SECTIONS } from '../graph/nodes.js';
import { formatProblem, type Problem } from '../problems/problem.js';
import type { CheckedTopology, QueueSettings } from '../topology/topology.js';
import type { VariableSources } from '../reading/variables.js';

/**
 * A topology in TypeScript. Each step is checked by the compiler: fields by the component's schema, required ones
 * included, `from` by the nodes declared before it and their ports. `build` checks the rest, and returns the same as the topology
 * in YAML would, hash included.
 *
 * ```ts
 * const ward = topology('ward-3', { environment: 'environments/ward-3.yaml' })
 *   .source('routers', udp, { port: 5005 })
 *   .operator('clean', denoise, 'routers', { method: 'hampel' })
 *   .sink('history', duckdb, ['people', 'falls'], { path: 'data/ward-3.duckdb' })
 *   .build();
 * ```
 */
export function topology(id: string, options: TopologyOptions): TopologyBuilder<never> {
  return new TopologyBuilder({ id, options, nodes: [] });
}

export interface TopologyOptions {
  /** Path of the environment's file, or the environment itself; several as a list. */
  readonly environment: string | Environment | readonly string[] | readonly Environment[];
  readonly settings?: SettingsFields;
}

/** Fields of `settings`, as in YAML. */
export interface SettingsFields {
  readonly checkpoint_interval_ms?: number;
  readonly journal?: boolean;
  readonly degraded_after_failures?: number;
  readonly stop_after_failures?: number | null;
  readonly late_after_ms?: number;
  readonly max_lag_ms?: number | null;
  readonly clock_jump_ms?: number;
  readonly state_folder?: string;
  readonly accounts_folder?: string;
  readonly advertised_address?: string;
  readonly seed?: number;
  readonly threads?: number;
  readonly privacy?: {
    readonly data_retention_days?: number | null;
    readonly anonymize_data?: boolean;
    readonly enable_encryption?: boolean;
    readonly key?: string;
  };
}

export interface QueueFields {
  readonly capacity?: number;
  readonly policy?: QueueSettings['policy'];
  readonly max_age_ms?: number | null;
}

export interface BuildOptions extends Partial<VariableSources> {
  /** What relative paths are resolved against. Default: the working folder. */
  readonly folder?: string;
}

/** The problems of a topology that a program built. */
export class TopologyError extends Error {
  readonly problems: readonly Problem[];

  /** @param texts of the topology and its environments, by the name of their file in problems */
  constructor(problems: readonly Problem[], texts: ReadonlyMap<string, string>) {
    super(problems.map((problem) => formatProblem(problem, texts.get(problem.file))).join('\n'));
    this.name = 'TopologyError';
    this.problems = problems;
  }
}

/** A declared node and its ports. */
interface Declared<Id extends string = string, P extends Port = Port> {
  readonly id: Id;
  readonly gives: P;
}

/** Ids of the nodes `N` with at least one of the ports `P`. */
type Fitting<N extends Declared, P extends Port> =
  N extends Declared<infer Id, infer Gives> ? (Extract<Gives, P> extends never ? never : Id) : never;

/** A node, or a route of one: whether it has such a route hangs on its configuration, so `build` checks that. */
type Readable<Id extends string> = Id | `${Id}.${string}`;

type From<N extends Declared, P extends Port> = Readable<Fitting<N, P>> | readonly Readable<Fitting<N, P>>[];

/** Names of the fields that the schema marks as required. */
type RequiredNames<S extends TObject> =
  S extends TObject<infer P>
    ? { [Name in keyof P]: P[Name] extends RequiredField ? Name : never }[keyof P]
    : never;

/** A component's configuration: fields may be omitted unless they are marked as required. */
type Fields<S extends TObject> = Partial<Static<S>> & Pick<Static<S>, RequiredNames<S> & keyof Static<S>>;

/** The last argument, which may be omitted if every field may. */
type Config<S extends TObject, More = unknown> =
  Partial<Fields<S>> extends Fields<S> ? [config?: Fields<S> & More] : [config: Fields<S> & More];

interface Draft {
  readonly id: string;
  readonly options: TopologyOptions;
  readonly nodes: readonly {
    readonly id: string;
    readonly component: Component;
    readonly fields: Readonly<Record<string, unknown>>;
  }[];
}

export class TopologyBuilder<N extends Declared> {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  source<const Id extends string, C extends string, S extends TObject, O extends readonly Port[]>(
    id: Id,
    component: SourceDefinition<C, S, O>,
    ...[config]: Config<S, { readonly queue?: QueueFields }>
  ): TopologyBuilder<N | Declared<Id, O[number]>> {
    return this.#with(id, component, { ...config });
  }

  operator<
    const Id extends string,
    C extends string,
    S extends TObject,
    I extends readonly Port[],
    O extends readonly Port[],
  >(
    id: Id,
    component: OperatorDefinition<C, S, I, O>,
    from: From<N, I[number]>,
    ...[config]: Config<S>
  ): TopologyBuilder<N | Declared<Id, O[number]>> {
    return this.#with(id, component, { from, ...config });
  }

  sink<C extends string, S extends TObject, I extends readonly Port[]>(
    id: string,
    component: SinkDefinition<C, S, I>,
    from: From<N, I[number]>,
    ...[config]: Config<S>
  ): TopologyBuilder<N> {
    return this.#with(id, component, { from, ...config });
  }

  /** The topology as YAML, as `build` checks it. An environment passed as an object is omitted. */
  toYaml(): string {
    const { id, options, nodes } = this.#draft;
    const section = (kind: Component['kind']) =>
      Object.fromEntries(
        nodes
          .filter((node) => node.component.kind === kind)
          .map((node) => [node.id, { type: node.component.name, ...node.fields }]),
      );
    const environments = [options.environment].flat().filter((item) => typeof item === 'string');
    return stringify({
      id,
      ...(environments.length > 0 && { environments }),
      [SECTIONS.source]: section('source'),
      [SECTIONS.operator]: section('operator'),
      [SECTIONS.sink]: section('sink'),
      ...(options.settings && { settings: options.settings }),
    });
  }

  /** @throws TopologyError with all problems, located in the YAML of the topology or of an environment */
  build(options: BuildOptions = {}): CheckedTopology {
    const { id, options: own, nodes } = this.#draft;
    const text = this.toYaml();
    const given = [own.environment].flat().filter((item): item is Environment => typeof item !== 'string');
    const source = {
      text,
      shown: `topology(${id})`,
      file: null,
      folder: resolve(options.folder ?? '.'),
      environments: given.length > 0 ? given : undefined,
    };
    const registry = new Registry([...new Set(nodes.map((node) => node.component))]);
    const variables = { env: options.env ?? process.env, secrets: options.secrets };
    const result = parseTopology(source, registry, variables);
    if (!result.topology) {
      const environments = given.map((environment) => givenText(environment, source.shown));
      const texts = [source, ...environments].map((one) => [one.shown, one.text] as const);
      throw new TopologyError(result.problems, new Map(texts));
    }
    return result.topology;
  }

  #with<M extends Declared>(id: string, component: Component, fields: object): TopologyBuilder<M> {
    if (this.#draft.nodes.some((node) => node.id === id)) throw new Error(`two nodes are named ${id}`);
    const node = { id, component, fields: { ...fields } };
    return new TopologyBuilder<M>({ ...this.#draft, nodes: [...this.#draft.nodes, node] });
  }
}
