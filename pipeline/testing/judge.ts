import type { CheckedTest, Expectation, Mark, Pattern, Rule, Within } from '../config/index.js';
import { differences, matches, nearestTo, type Difference } from './match.js';
import type { Outcome, TestRecord } from './outcome.js';

/** An expectation that was not met. */
export interface Unmet {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Expected and actual outcome. */
  readonly message: string;
  /** The nearest record, or the one that should not have come. */
  readonly record: TestRecord | null;
  /** How it differs from the expectation. */
  readonly differences: readonly Difference[];
}

/** Compares a test's outcome with its expectations; empty if all are met. */
export const judge = (test: CheckedTest, outcome: Outcome): readonly Unmet[] =>
  test.expect.flatMap((expectation) => {
    const verdict = judgeOne(expectation, outcome);
    if (verdict === null) return [];
    const { file, line, column } = expectation.location;
    return [{ file, line, column, record: null, differences: [], ...verdict }];
  });

type Verdict = Pick<Unmet, 'message'> & Partial<Pick<Unmet, 'record' | 'differences'>>;

function judgeOne({ subject, matching, rule }: Expectation, outcome: Outcome): Verdict | null {
  if (!('node' in subject)) return judgeState(subject.of, rule, outcome);
  const { node, of } = subject;
  const all =
    of === 'figures'
      ? [outcome.figures.get(node) ?? {}]
      : ({ records: outcome.records, dead_letters: outcome.deadLetters, outbox: outcome.outbox }[of].get(
          node,
        ) ?? []);
  const records = matching ? all.filter((record) => matches(record, matching)) : all;
  const looked = matching
    ? `${records.length} of ${all.length} records like ${shown(matching)}`
    : counted(all.length);
  const what = {
    records: node,
    dead_letters: `the dead letters of ${node}`,
    outbox: `the outbox of ${node}`,
    figures: `the figures of ${node}`,
  }[of];
  return judgeRecords(rule, records, what, looked, outcome);
}

function judgeState(of: 'state' | 'has_been', rule: Rule, outcome: Outcome): Verdict | null {
  const state = rule.rule === 'is' ? rule.state : '';
  const why = outcome.problem === null ? '' : `: ${outcome.problem}`;
  if (of === 'state')
    return outcome.state === state
      ? null
      : { message: `the topology must be ${state} at the end, but is ${outcome.state}${why}` };
  if (outcome.hasBeen.has(state)) return null;
  return { message: `the topology must have been ${state}, but was only ${[...outcome.hasBeen].join(', ')}` };
}

function judgeRecords(
  rule: Rule,
  records: readonly TestRecord[],
  what: string,
  looked: string,
  outcome: Outcome,
): Verdict | null {
  switch (rule.rule) {
    case 'contains':
      return judgeContains(rule.pattern, rule.within, records, what, looked, outcome);
    case 'none': {
      const found = records.filter((record) => matches(record, rule.pattern));
      if (found.length === 0) return null;
      const message = `${what} must output nothing like ${shown(rule.pattern)}, but had ${found.length}; the first:`;
      return { message, record: found[0]! };
    }
    case 'every': {
      if (records.length === 0)
        return {
          message: `every record of ${what} must be like ${shown(rule.pattern)}, but there is none (${looked})`,
        };
      const wrong = records.filter((record) => !matches(record, rule.pattern));
      if (wrong.length === 0) return null;
      const message = `every record of ${what} must be like ${shown(rule.pattern)}, but ${wrong.length} of ${records.length} are not; the first:`;
      return { message, record: wrong[0]!, differences: differences(wrong[0], rule.pattern) };
    }
    case 'in_order':
      return judgeOrder(rule.patterns, records, what, looked);
    case 'count': {
      const { atLeast, atMost } = rule;
      if (records.length >= atLeast && records.length <= atMost) return null;
      const asked =
        atLeast === atMost
          ? `${atLeast}`
          : atMost === Infinity
            ? `at least ${atLeast}`
            : `${atLeast} to ${atMost}`;
      const message = `${what} must have ${asked}, but had ${looked}`;
      return records.length > atMost
        ? { message: `${message}; the last:`, record: records.at(-1)! }
        : { message };
    }
    case 'is':
      return null;
  }
}

function judgeContains(
  pattern: Pattern,
  within: Within | null,
  records: readonly TestRecord[],
  what: string,
  looked: string,
  outcome: Outcome,
): Verdict | null {
  const found = records.filter((record) => matches(record, pattern));
  if (found.length === 0) return missing(pattern, records, what, looked);
  if (!within) return null;
  const delays = found.map((record) => ({ record, ms: delayOf(record, within.after, outcome) }));
  if (delays.some(({ ms }) => ms !== undefined && ms >= 0 && ms <= within.ms)) return null;
  const known = delays.flatMap(({ record, ms }) => (ms === undefined ? [] : [{ record, ms }]));
  if (known.length === 0) {
    return {
      message: `${what} must output ${shown(pattern)} ${markText(within.after)}, but that never happened`,
    };
  }
  const late = known.reduce((best, one) =>
    badness(one.ms, within.ms) < badness(best.ms, within.ms) ? one : best,
  );
  const when = late.ms < 0 ? `${-late.ms} ms before it` : `after ${late.ms} ms`;
  const message = `${what} must output ${shown(pattern)} within ${within.ms} ms ${markText(within.after)}, but did so ${when}:`;
  return { message, record: late.record };
}

const badness = (ms: number, allowed: number): number => (ms < 0 ? -ms : ms - allowed);

/** Milliseconds from the mark until the record came; undefined if there is no such mark. */
function delayOf(record: TestRecord, mark: Mark, outcome: Outcome): number | undefined {
  const given = record['given_ms'] as number;
  const from = markTime(record, mark, outcome);
  return from === undefined ? undefined : Math.round((given - from) * 1000) / 1000;
}

function markTime(record: TestRecord, mark: Mark, outcome: Outcome): number | undefined {
  switch (mark.mark) {
    case 'own_time':
      return record['at_ms'] as number;
    case 'time':
      return mark.atMs;
    case 'activity':
      return outcome.activities
        .get(mark.source)
        ?.find(({ person, activity }) => person === mark.person && activity === mark.activity)?.atMs;
    case 'record':
      return outcome.records.get(mark.node)?.find((one) => matches(one, mark.pattern))?.['given_ms'] as
        number | undefined;
  }
}

function markText(mark: Mark): string {
  switch (mark.mark) {
    case 'own_time':
      return 'after its own time';
    case 'time':
      return `after ${mark.atMs} ms of the input`;
    case 'activity':
      return `after person ${mark.person} of ${mark.source} begins to ${mark.activity}`;
    case 'record':
      return `after ${mark.node} outputs ${shown(mark.pattern)}`;
  }
}

function judgeOrder(
  patterns: readonly Pattern[],
  records: readonly TestRecord[],
  what: string,
  looked: string,
): Verdict | null {
  let from = 0;
  for (const [index, pattern] of patterns.entries()) {
    const at = records.findIndex((record, index) => index >= from && matches(record, pattern));
    if (at < 0) {
      const behind = index === 0 ? '' : ` after record ${from}, which is like ${shown(patterns[index - 1]!)}`;
      const verdict = missing(pattern, records.slice(from), what, looked);
      return {
        ...verdict,
        message: `the ${ordinal(index)} of the order is missing${behind}: ${verdict.message}`,
      };
    }
    from = at + 1;
  }
  return null;
}

function missing(pattern: Pattern, records: readonly TestRecord[], what: string, looked: string): Verdict {
  const near = nearestTo(records, pattern);
  const message = `${what} must output ${shown(pattern)}, but had ${looked}`;
  if (!near) return { message };
  return { message: `${message}; the nearest:`, record: near.value, differences: near.differences };
}

const ordinal = (index: number): string => ['first', 'second', 'third'][index] ?? `${index + 1}th`;

const counted = (count: number): string => `${count} ${count === 1 ? 'record' : 'records'}`;

const shown = (pattern: Pattern): string => {
  const text = JSON.stringify(pattern);
  return text.length > 200 ? `${text.slice(0, 197)}...` : text;
};
