import type { Difference } from './match.js';
import type { Outcome } from './outcome.js';
import type { Unmet } from './judge.js';

/** The result of one test. */
export interface TestResult {
  readonly file: string;
  readonly topology: string;
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly passed: boolean;
  readonly seconds: number;
  readonly unmet: readonly Unmet[];
  /** Why it could not finish; null if it did. */
  readonly error: string | null;
  readonly outcome: Outcome | null;
}

/** Lines for a terminal. With `verbose`, the output of every node. */
export function testText(result: TestResult, verbose = false): string {
  const { name, passed, seconds, error, unmet, outcome } = result;
  const lines = [`${passed ? 'ok  ' : 'FAIL'} ${result.file}: ${name} (${seconds.toFixed(2)} s)`];
  if (error !== null) lines.push(`     ${result.file}:${result.line}:${result.column} ${error}`);
  for (const one of unmet) lines.push(...unmetLines(one));
  if (verbose && outcome) lines.push(...outcomeLines(outcome));
  if (outcome && (verbose || !passed))
    lines.push(...outcome.log.slice(0, 10).map((line) => `     log ${line}`));
  return lines.join('\n');
}

export const summaryText = (results: readonly TestResult[]): string => {
  const failed = results.filter(({ passed }) => !passed).length;
  return `${results.length} tests: ${results.length - failed} passed, ${failed} failed`;
};

function unmetLines({ file, line, column, message, record, differences }: Unmet): readonly string[] {
  return [
    `     ${file}:${line}:${column} ${message}`,
    ...(record ? [`       ${cut(JSON.stringify(record))}`] : []),
    ...differences.slice(0, 8).map((difference) => `       - ${differenceText(difference)}`),
    ...(differences.length > 8 ? [`       - ${differences.length - 8} more`] : []),
  ];
}

const differenceText = ({ path, expected, received }: Difference): string =>
  `${path === '' ? 'it' : path}: expected ${expected}, was ${received === undefined ? 'missing' : cut(JSON.stringify(received), 200)}`;

function outcomeLines({ figures, records, deadLetters, outbox, state, inputMs }: Outcome): readonly string[] {
  return [
    `     ${(inputMs / 1000).toFixed(1)} s of input, ${state} at the end`,
    ...[...figures]
      .filter(([node]) => !node.endsWith(' (test)'))
      .map(([node, { received, sent, failed, dropped }]) => {
        const letters = deadLetters.get(node)?.length ?? 0;
        const waiting = outbox.get(node)?.length ?? 0;
        const more = [
          letters > 0 ? `${letters} dead letters` : '',
          waiting > 0 ? `${waiting} in the outbox` : '',
        ];
        const seen = records.get(node);
        const taken = seen ? [`${seen.length} seen by the test`] : [];
        const parts = [
          `${String(received)} in`,
          `${String(sent)} out`,
          `${String(failed)} failed`,
          ...Object.entries(dropped as object).map(([reason, count]) => `${count} dropped (${reason})`),
          ...more,
          ...taken,
        ];
        return `       ${node}: ${parts.filter(Boolean).join(', ')}`;
      }),
  ];
}

const cut = (text: string, longest = 600): string =>
  text.length > longest ? `${text.slice(0, longest - 3)}...` : text;

/** The results as one JSON object. */
export function testJson(results: readonly TestResult[]): object {
  const failed = results.filter(({ passed }) => !passed).length;
  return {
    tests: results.length,
    passed: results.length - failed,
    failed,
    results: results.map(({ outcome, ...result }) => ({
      ...result,
      ...(outcome ? { state: outcome.state, input_seconds: outcome.inputMs / 1000 } : {}),
    })),
  };
}

/** The results in JUnit's XML, as CI systems read it: one suite per file. */
export function testJunit(results: readonly TestResult[]): string {
  const files = [...new Set(results.map(({ file }) => file))];
  const suites = files.map((file) => {
    const own = results.filter((result) => result.file === file);
    return [`  <testsuite name="${xml(file)}" ${counts(own)}>`, ...own.map(testCase), '  </testsuite>'].join(
      '\n',
    );
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts(results)}>`,
    ...suites,
    '</testsuites>',
  ].join('\n');
}

function counts(results: readonly TestResult[]): string {
  const errors = results.filter(({ error }) => error !== null).length;
  const failures = results.filter(({ passed, error }) => !passed && error === null).length;
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0);
  return `tests="${results.length}" failures="${failures}" errors="${errors}" time="${seconds.toFixed(3)}"`;
}

function testCase(result: TestResult): string {
  const { name, file, line, seconds, error, unmet } = result;
  const open = `    <testcase name="${xml(name)}" classname="${xml(result.topology)}" file="${xml(file)}" line="${line}" time="${seconds.toFixed(3)}"`;
  if (result.passed) return `${open}/>`;
  const inner =
    error === null
      ? unmet.map(
          (one) =>
            `      <failure message="${xml(one.message)}">${xml(unmetLines(one).join('\n'))}</failure>`,
        )
      : [`      <error message="${xml(error)}"/>`];
  return [`${open}>`, ...inner, '    </testcase>'].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 cannot hold are removed. */
const xml = (text: string): string =>
  text
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!);
