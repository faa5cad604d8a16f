import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { portsOf, type Component, type Registry } from '../../component/index.js';
import type { Port } from '../../model/index.js';
import { checkSchema } from '../schema/check-schema.js';
import { checkReach } from '../reading/files.js';
import { nearest } from '../../base/nearest.js';
import { checkOwnRules } from '../schema/own-rules.js';
import type { Location, Problems } from '../problems/problem.js';
import type { Reach } from '../reading/reach.js';
import type { TestInput } from './test-case.js';
import type { InlineRecord, WrittenTest } from '../schema/test-schema.js';
import type { Edge } from '../topology/topology.js';
import { locationOf, valueAt, without, type ScalarTree, type Tree } from '../reading/tree.js';

/** A node as tests see it; undefined: its type is unknown, which was reported. */
export interface TestedNode {
  readonly id: string;
  readonly component: Component | undefined;
  readonly inputs: readonly Edge[];
  readonly config: object | undefined;
}

/** The context that tests are checked in. */
export interface Tested {
  readonly nodes: readonly TestedNode[];
  readonly registry: Registry;
  /** Absolute folder that captures are relative to. */
  readonly folder: string;
  readonly reach?: Reach | undefined;
}

/** The replacements of the sources in one test: captures, other sources, records. */
export class TestInputs {
  readonly #written: WrittenTest;
  readonly #tested: Tested;
  readonly #problems: Problems;

  constructor(written: WrittenTest, tested: Tested, problems: Problems) {
    this.#written = written;
    this.#tested = tested;
    this.#problems = problems;
  }

  /** The replacement of a source; undefined, and reported, if it is not valid. */
  of(source: string, tree: Tree, location: Location): TestInput | undefined {
    if (tree.kind === 'list') return this.#records(source, tree);
    if (tree.kind === 'scalar') return this.#capture(tree);
    const type = valueAt(tree, ['type']);
    const name = type?.kind === 'scalar' ? String(type.value) : '';
    const component = this.#tested.registry.source(name);
    const typeLocation = type?.location ?? location;
    if (!component?.replayable) {
      const names = this.#tested.registry
        .list('source')
        .filter((one) => one.kind === 'source' && one.replayable)
        .map((one) => one.name);
      const message = component
        ? `\`${name}\` is live: the replacement of a source must be replayable: ${names.join(', ')}`
        : `there is no source \`${name}\`; possible replacements: ${names.join(', ')}`;
      this.#problems.add('config.test.input', typeLocation, message, { suggestion: nearest(name, names) });
      return undefined;
    }
    const own = without(tree, ['type']);
    const subject = { name: component.name, location, component, beside: ['type'] };
    const checked = checkSchema(own, component.config, subject, this.#problems);
    if (checked === undefined) return undefined;
    const config = checked as Readonly<Record<string, unknown>>;
    checkOwnRules(component, config, own, location, this.#problems);
    if (config['duration_s'] === 0 || config['loop'] === true) {
      const fix = config['loop'] === true ? 'remove `loop`' : 'give `duration_s`';
      this.#problems.add('config.test.input', location, `the input of \`${source}\` never ends: ${fix}`);
      return undefined;
    }
    const path = valueAt(own, ['path']);
    if (path?.kind !== 'scalar') return { kind: 'source', component, config };
    const file = this.#file(path);
    return file === undefined ? undefined : { kind: 'source', component, config: { ...config, path: file } };
  }

  #capture(named: ScalarTree): TestInput | undefined {
    const component = this.#tested.registry.source('file');
    if (!component) {
      this.#problems.add(
        'config.test.input',
        named.location,
        'there is no source `file` that could read a capture',
      );
      return undefined;
    }
    const file = this.#file(named);
    if (file === undefined) return undefined;
    const config = { path: file, format: 'auto', records: 'auto', speed: 0, loop: false, batch_records: 64 };
    return { kind: 'source', component, config };
  }

  /** Absolute; undefined, and reported, if it does not exist. */
  #file(named: ScalarTree): string | undefined {
    const path = String(named.value);
    const file = resolve(this.#tested.folder, path);
    if (!checkReach(file, named, this.#tested.reach, this.#problems)) return undefined;
    if (existsSync(file)) return file;
    this.#problems.add(
      'config.file.missing',
      named.location,
      `${path}: the file does not exist in ${dirname(file)}`,
    );
    return undefined;
  }

  #records(source: string, tree: Tree): TestInput | undefined {
    const records = this.#written.input[source] as readonly InlineRecord[];
    const { component, config } = this.#tested.nodes.find(({ id }) => id === source)!;
    const outputs = component ? portsOf(component, config) : [];
    const wrong = records.filter((record, index) => {
      const message = recordFault(record, records[index - 1], source, outputs);
      if (message !== undefined) this.#problems.add('config.test.input', locationOf(tree, [index]), message);
      return message !== undefined;
    });
    return wrong.length === 0 ? { kind: 'records', records } : undefined;
  }
}

/** The problem of a record; undefined if there is none. */
function recordFault(
  record: InlineRecord,
  before: InlineRecord | undefined,
  source: string,
  outputs: readonly Port[],
): string | undefined {
  const given = (['hex', 'text', 'event', 'measure'] as const).filter((form) => record[form] !== undefined);
  if (given.length !== 1)
    return `a record has one of hex, text, event and measure, not ${given.join(' and ') || 'none'}`;
  // The source decodes raw records: frames, or results of another topology.
  const ports: readonly Port[] =
    given[0] === 'event' || given[0] === 'measure' ? [given[0]] : ['csi', 'pose'];
  if (!ports.some((port) => outputs.includes(port)))
    return `\`${source}\` outputs no ${ports.join(' and no ')}, but ${outputs.join(' and ')}`;
  if (before && record.at_ms < before.at_ms) return `${record.at_ms} ms is before the previous record`;
  return undefined;
}
