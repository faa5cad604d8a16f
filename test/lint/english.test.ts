import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const CODE = ['pipeline', 'operators', 'sinks', 'api', 'bench'];
const PAGES = ['docs', 'topologies', 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
/** Historical documents; only their titles are read. */
const PAST = /^docs\/decisions\//;

/** Phrases that stop a reader, with replacements. */
const TICS: readonly (readonly [tic: RegExp, better: string])[] = [
  [/\b(is|are|was|were|be|been) told\b/, 'is reported, is notified, is called with'],
  [/\btold (of|apart)\b/, 'reported; distinguished'],
  [/\bgo(es)? on from\b/, 'resumes from, continues from'],
  [/\bbegins? anew\b/, 'restarts, starts again'],
  [/\ball else\b/, 'everything else'],
  [/, else (the|an?|by|its?|in|from|to|their)\b/, 'otherwise'],
  [/\b[Ww]hoever\b/, 'anyone who, the process that, the caller'],
  [/\bwhich is no (?!longer)/, 'which is not a'],
  [/\bis there already\b/, 'already exists'],
  [/\bcannot be so\b/, 'is invalid, cannot meet it'],
  [/\bof no account\b/, 'is ignored'],
  [/\bis good no more\b/, 'is no longer valid'],
  [/@throws( [A-Z]\w*)?( `[\w.]+`)? where\b/, '@throws ... if'],
  [/(^|[.;:*] )([Tt]rue|[Ff]alse|[Nn]ull|[Uu]ndefined) where\b/, 'true if, null if'],
  [/\bgo(es|ing)? on (behind|with|without)\b/, 'continues after, continues with'],
  [/\blets? go of\b/, 'releases'],
  [/\b(hands|handed|handing) on\b/, 'passes on'],
  [/\bhow to mend\b/, 'how to fix'],
  [/\bpacked with gzip\b/, 'compressed with gzip'],
  [/\bas fast as it goes\b/, 'as fast as possible'],
  [/\bin the place of\b/, 'instead of'],
  [/\blittle comes\b/, 'at low rates'],
  [/\bJSON (holds|knows)\b/, 'JSON supports, JSON has'],
  [/\b(can|cannot|could) be had\b/, 'is available, is possible'],
  [/\b[Dd]efault by chance\b/, 'random by default'],
  [/\bWhat must (be|stay) so\b/, 'The conditions that must hold; Regression tests'],
];

/** Phrases that stop a reader of a title, besides {@link TICS}: a title is all that a report of failures shows. */
const TITLE_TICS: typeof TICS = [
  ...TICS,
  [/\btold\b/, 'reported, notified'],
  [/\banew\b/, 'again; restarts'],
  [/\bgo(es|ing)? on\b/, 'continues, resumes'],
  [/\bwhoever\b/, 'a user who, the process that'],
  [/^[Ww]ho\b/, 'a user who, the process that'],
  [/\b[Ss]omebody\b/, 'a person, a user'],
  [/\b(is|are) none\b/, 'is not a, is invalid'],
  [/\b(is|are) (away|let go|let in)\b/, 'is offline; is released; is accepted'],
  [/\bis no (?!longer|track|lock)/, 'is not a'],
  [/\bcut off\b/, 'truncated'],
  [/\b(is|are) (mended|packed)\b/, 'is fixed; is compressed'],
  [/\bthat there (is|are)\b/, 'existing'],
  [/\bwithout a word\b/, 'silently'],
  [/\bto mend\b/, 'to fix'],
];

/** The first argument of `it`, `test` and `describe`, and of what `.each`, `.skipIf` and others of them return. */
const TITLE = /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g;

/** Titles of tests, each with its line. */
const titlesIn = (text: string): (readonly [line: number, title: string])[] =>
  [...text.matchAll(TITLE)].map(
    (found) => [text.slice(0, found.index).split('\n').length, found[2]!] as const,
  );

/** The tics of a text: line, words and replacement. */
const faultsIn = (text: string, tics = TICS): string[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      tics
        .filter(([tic]) => tic.test(line))
        .map(([tic, better]) => `${index + 1}: "${tic.exec(line)![0]}": write ${better}`),
    );

const filesOf = (path: string): string[] => {
  const full = join(ROOT, path);
  if (/\.md$/.test(path)) return [full];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|md|ya?ml|service)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
};

test.each([...CODE, ...PAGES])('%s reads as English', (path) => {
  const found = filesOf(path)
    .map((file) => ({ name: relative(ROOT, file), file }))
    .filter(({ name }) => !PAST.test(name))
    .flatMap(({ name, file }) => faultsIn(readFileSync(file, 'utf8')).map((fault) => `${name}:${fault}`));
  expect(found).toEqual([]);
});

test('titles of tests read as English', () => {
  const found = filesOf('test').flatMap((file) =>
    titlesIn(readFileSync(file, 'utf8')).flatMap(([line, title]) =>
      faultsIn(title, TITLE_TICS).map((fault) => `${relative(ROOT, file)}:${line}: ${fault}`),
    ),
  );
  expect(found).toEqual([]);
});

test('titles of decisions read as English, and are those of their table', () => {
  const table = readFileSync(join(ROOT, 'docs/decisions/README.md'), 'utf8');
  const found = readdirSync(join(ROOT, 'docs/decisions'))
    .filter((name) => /^\d/.test(name))
    .flatMap((name) => {
      const [, number, title] = /^# (\d{4}): (.+)$/m.exec(
        readFileSync(join(ROOT, 'docs/decisions', name), 'utf8'),
      )!;
      const isListed = table.includes(`| [${number}](${name}) | ${title}`);
      return [...faultsIn(title!, TITLE_TICS), ...(isListed ? [] : ['not in README.md'])].map(
        (fault) => `${name}: ${fault}`,
      );
    });
  expect(found).toEqual([]);
});

test('titles are found in calls of every form', () => {
  const text =
    "test('one', f);\ndescribe.skipIf(a)('two', () => {\n  it.each([1])(`${b} three`, f);\n});\nf('no')";
  expect(titlesIn(text)).toEqual([
    [1, 'one'],
    [2, 'two'],
    [3, '${b} three'],
  ]);
});

test.each([
  ['a file that is cut off is told of', 'cut off'],
  ['who listens hears all shards', 'who'],
  ['a stop of what is stopped lets go of the file', 'lets go of'],
])('a tic of a title is found: %s', (title, tic) => {
  expect(faultsIn(title, TITLE_TICS)).toContainEqual(expect.stringContaining(`"${tic}"`));
});

test.each([
  ['/** Who waits for its end is told how that ends. */', 'is told'],
  ["description: 'fall, alert (what somebody is told of), or activity (all else).'", 'all else'],
  ['// A killed process goes on from its last checkpoint.', 'goes on from'],
  ['Event time is that of the host, else the clock of the card.', ', else the'],
  ['/** @throws FormatError where the rest cannot be read */', '@throws FormatError where'],
  ['/** @throws Error `store.damaged` where something is missing */', '@throws Error `store.damaged` where'],
  [' * Hands records on as they fall due. False where the source is to stop.', '. False where'],
  ["description: 'Floor point, metres; default by chance.'", 'default by chance'],
])('a tic is found: %s', (line, tic) => {
  expect(faultsIn(`const a = 1;\n${line}`)).toContainEqual(expect.stringContaining(`2: "${tic}"`));
});

test('plain sentences pass', () => {
  expect(
    faultsIn(
      'Resumes from the last checkpoint, or else fails. It is no longer valid; says where it is null.',
    ),
  ).toEqual([]);
});
