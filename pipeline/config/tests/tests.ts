import { basename } from 'node:path';
import { portsOf, type Component } from '../../component/index.js';
import { PLAIN_SHAPES, type Port, type Shape } from '../../model/index.js';
import { nearest } from '../../base/nearest.js';
import { article } from '../graph/nodes.js';
import { checkPattern } from '../schema/pattern.js';
import type { Location, Problems } from '../problems/problem.js';
import type {
  CheckedTest,
  Expectation,
  Mark,
  RecordsOf,
  Rule,
  SinkFaults,
  Subject,
  TestInput,
  Within,
} from './test-case.js';
import { TestInputs, type Tested, type TestedNode } from './test-inputs.js';
import type { WrittenAfter, WrittenExpectation, WrittenFaults, WrittenTest } from '../schema/test-schema.js';
import { keyLocationOf, locationOf, valueAt, type Tree } from '../reading/tree.js';

/**
 * Checks tests that passed their schema against the nodes: ids, fields of records, captures.
 * @param tree of the list
 * @param written the list after the schema check
 */
export function checkTests(
  tree: Tree,
  written: readonly WrittenTest[],
  tested: Tested,
  problems: Problems,
): readonly CheckedTest[] {
  const names = new Map<string, Location>();
  return written.map((test, index) => {
    const at = valueAt(tree, [index])!;
    const location = locationOf(at, ['name']);
    const first = names.get(test.name);
    if (first) {
      const message = `a test is already named \`${test.name}\`, in line ${first.line}`;
      problems.add('config.test.name', location, message);
    } else names.set(test.name, location);
    return new TestCheck(at, test, tested, problems).check();
  });
}

/** The checks of one test. */
class TestCheck {
  readonly #tree: Tree;
  readonly #written: WrittenTest;
  readonly #tested: Tested;
  readonly #problems: Problems;
  /** The inputs without mistakes, by source. */
  readonly #inputs = new Map<string, TestInput>();

  constructor(tree: Tree, written: WrittenTest, tested: Tested, problems: Problems) {
    this.#tree = tree;
    this.#written = written;
    this.#tested = tested;
    this.#problems = problems;
  }

  check(): CheckedTest {
    const { name, input, sinks, run_on_ms, expect } = this.#written;
    const inputs = new TestInputs(this.#written, this.#tested, this.#problems);
    for (const source of Object.keys(input)) {
      const location = keyLocationOf(this.#tree, ['input', source], this.#tree.location);
      if (!this.#node(source, location, ['source'])) continue;
      const made = inputs.of(source, valueAt(this.#tree, ['input', source])!, location);
      if (made) this.#inputs.set(source, made);
    }
    const faults = new Map<string, SinkFaults>();
    for (const [sink, fault] of Object.entries(sinks)) {
      const node = this.#node(sink, keyLocationOf(this.#tree, ['sinks', sink], this.#tree.location), [
        'sink',
      ]);
      const refuse = valueAt(this.#tree, ['sinks', sink, 'refuse']);
      if (node && refuse) checkPattern(refuse, shapesOf(node), `records of \`${sink}\``, this.#problems);
      if (node) faults.set(sink, faultsOf(fault));
    }
    return {
      name,
      location: locationOf(this.#tree, ['name']),
      input: this.#inputs,
      faults,
      runOnMs: run_on_ms,
      expect: expect.flatMap((_, index) => this.#expectation(index) ?? []),
    };
  }

  // ------------------------------------------------------------------ expectations

  #expectation(index: number): Expectation | undefined {
    const written = this.#written.expect[index]!;
    const tree = valueAt(this.#tree, ['expect', index])!;
    const subject = this.#subject(written, tree);
    const rule = subject && this.#rule(written, tree, subject);
    if (!subject || !rule) return undefined;
    return { location: tree.location, subject, matching: written.matching ?? null, rule };
  }

  #subject(written: WrittenExpectation, tree: Tree): Subject | undefined {
    const given = SUBJECTS.filter((field) => written[field] !== undefined);
    if (given.length !== 1) {
      const message = `an expectation is about one of ${SUBJECTS.join(', ')}, not ${given.join(' and ') || 'none'}`;
      this.#problems.add('config.test.expectation', tree.location, message);
      return undefined;
    }
    const field = given[0]!;
    if (field === 'state' || field === 'has_been') return { of: field };
    const kinds = field === 'outbox_of' ? (['sink'] as const) : (['source', 'operator', 'sink'] as const);
    const node = this.#node(written[field]!, locationOf(tree, [field]), kinds);
    return node && { of: OF[field], node: node.id };
  }

  #rule(written: WrittenExpectation, tree: Tree, subject: Subject): Rule | undefined {
    const given = RULES.filter((field) => written[field] !== undefined);
    if (!('node' in subject)) {
      const more = [...given, ...MODIFIERS.filter((field) => written[field] !== undefined)];
      if (more.length === 0) return { rule: 'is', state: written[subject.of]! };
      this.#wrong(
        tree,
        more[0]!,
        `\`${more[0]!}\` applies to records: \`${subject.of}\` takes no other rule`,
      );
      return undefined;
    }
    if (given.length !== 1) {
      const message = `an expectation has one of ${RULES.join(', ')}, not ${given.join(' and ') || 'none'}`;
      this.#problems.add('config.test.expectation', tree.location, message);
      return undefined;
    }
    const field = given[0]!;
    this.#patterns(tree, subject, field);
    if (field !== 'contains' || subject.of !== 'records') {
      const stray = (['within_ms', 'after'] as const).find((name) => written[name] !== undefined);
      if (stray) this.#wrong(tree, stray, `\`${stray}\` requires \`from\` and \`contains\``);
    } else if (written.after && written.within_ms === undefined)
      this.#wrong(tree, 'after', '`after` requires `within_ms`');
    switch (field) {
      case 'contains':
        return { rule: field, pattern: written.contains!, within: this.#within(written, tree) };
      case 'none':
      case 'every':
        return { rule: field, pattern: written[field]! };
      case 'in_order':
        return { rule: field, patterns: written.in_order! };
      case 'count':
        return { rule: field, ...countOf(written.count!) };
    }
  }

  #patterns(tree: Tree, subject: RecordsOf, field: (typeof RULES)[number]): void {
    const node = this.#tested.nodes.find(({ id }) => id === subject.node)!;
    const shapes =
      subject.of === 'records' || subject.of === 'outbox' ? shapesOf(node) : [SHAPES[subject.of]];
    const what = `${WORDS[subject.of]} of \`${subject.node}\``;
    for (const name of ['matching', field] as const) {
      const pattern = valueAt(tree, [name]);
      if (!pattern || name === 'count') continue;
      const each = pattern.kind === 'list' ? pattern.items : [pattern];
      for (const one of each) checkPattern(one, shapes, what, this.#problems);
    }
  }

  #within({ within_ms, after }: WrittenExpectation, tree: Tree): Within | null {
    if (within_ms === undefined) return null;
    const mark: Mark | undefined = after ? this.#mark(after, tree) : { mark: 'own_time' };
    return { ms: within_ms, after: mark ?? { mark: 'own_time' } };
  }

  #mark(after: WrittenAfter, tree: Tree): Mark | undefined {
    const location = locationOf(tree, ['after']);
    if (after.at_ms !== undefined && after.source === undefined && after.from === undefined)
      return { mark: 'time', atMs: after.at_ms };
    if (after.source !== undefined && after.activity !== undefined && after.at_ms === undefined) {
      const { source, activity, person } = after;
      if (!this.#node(source, locationOf(tree, ['after', 'source']), ['source'])) return undefined;
      const input = this.#inputs.get(source);
      if (input?.kind === 'source' && input.component.simulates)
        return { mark: 'activity', source, activity, person };
      const message = `the input of \`${source}\` is not a simulated scene, so the start of an activity is unknown`;
      this.#problems.add('config.test.expectation', location, message);
      return undefined;
    }
    if (after.from !== undefined && after.contains && after.at_ms === undefined) {
      const node = this.#node(after.from, locationOf(tree, ['after', 'from']), [
        'source',
        'operator',
        'sink',
      ]);
      if (!node) return undefined;
      const pattern = valueAt(tree, ['after', 'contains'])!;
      checkPattern(pattern, shapesOf(node), `records of \`${node.id}\``, this.#problems);
      return { mark: 'record', node: node.id, pattern: after.contains };
    }
    const message = '`after` has `at_ms`, or `source` and `activity`, or `from` and `contains`';
    this.#problems.add('config.test.expectation', location, message);
    return undefined;
  }

  #wrong(tree: Tree, field: string, message: string): void {
    const location = keyLocationOf(tree, [field], tree.location);
    this.#problems.add('config.test.expectation', location, message);
  }

  /** The node with that id; undefined, and reported, if there is none of these kinds. */
  #node(id: string, location: Location, kinds: readonly Component['kind'][]): TestedNode | undefined {
    const fit = ({ component }: TestedNode) => !component || kinds.includes(component.kind);
    const node = this.#tested.nodes.find((one) => one.id === id);
    if (node && fit(node)) return node;
    const names = this.#tested.nodes.filter(fit).map((one) => one.id);
    const kind = kinds.length === 1 ? kinds[0]! : 'node';
    const message = node?.component
      ? `\`${id}\` is ${article(node.component.kind)} ${node.component.kind}, but a ${kind} is required: ${names.join(', ')}`
      : `there is no ${kind} \`${id}\`: ${names.slice(0, 20).join(', ')}`;
    this.#problems.add('config.test.node', location, message, { suggestion: nearest(id, names) });
    return undefined;
  }
}

const SUBJECTS = ['from', 'dead_letters_of', 'outbox_of', 'figures_of', 'state', 'has_been'] as const;
const OF = {
  from: 'records',
  dead_letters_of: 'dead_letters',
  outbox_of: 'outbox',
  figures_of: 'figures',
} as const;
const WORDS = {
  records: 'records',
  dead_letters: 'dead letters',
  outbox: 'records',
  figures: 'figures',
} as const;
const RULES = ['contains', 'none', 'every', 'in_order', 'count'] as const;
const MODIFIERS = ['matching', 'within_ms', 'after'] as const;

/** Fields beside those of a plain record in a test. */
const TIMES: Shape = { at_ms: 'value', given_ms: 'value' };

const SHAPES: Readonly<Record<'dead_letters' | 'figures', Shape>> = {
  dead_letters: { stage: 'value', code: 'value', reason: 'value', record: 'any' },
  figures: {
    received: 'value',
    sent: 'value',
    failed: 'value',
    dropped: 'any',
    status: 'value',
    details: 'any',
  },
};

/** Shapes of a node's output, or of a sink's input. */
function shapesOf({ component, config, inputs }: TestedNode): readonly Shape[] {
  if (!component) return ['any'];
  const ports: readonly Port[] =
    component.kind === 'sink' ? inputs.flatMap((edge) => edge.ports) : portsOf(component, config);
  return [...new Set(ports)].map((port) => ({ ...PLAIN_SHAPES[port], ...(TIMES as object) }));
}

const faultsOf = (faults: WrittenFaults): SinkFaults => ({
  refuse: faults.refuse ?? null,
  refuseTimes: faults.refuse_times,
  retriable: faults.retriable,
  failWrites: faults.fail_writes,
  hangWrites: faults.hang_writes,
  away:
    faults.away_from_ms === undefined
      ? null
      : { fromMs: faults.away_from_ms, toMs: faults.away_from_ms + (faults.away_for_ms ?? Infinity) },
});

const countOf = (count: NonNullable<WrittenExpectation['count']>) =>
  typeof count === 'number'
    ? { atLeast: count, atMost: count }
    : { atLeast: count.at_least ?? 0, atMost: count.at_most ?? Infinity };

/** `demo.yaml` for `demo.test.yaml`. */
export const topologyOfTests = (file: string): string => basename(file).replace(/\.test\.(ya?ml)$/, '.$1');
