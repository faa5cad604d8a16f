import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const CODE = ['pipeline', 'operators', 'sinks', 'api', 'bench'];
const PAGES = ['docs', 'topologies', 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
/** Historical documents. */
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
  [/\bJSON (holds|knows)\b/, 'JSON supports, JSON has'],
  [/\b(can|cannot|could) be had\b/, 'is available, is possible'],
  [/\b[Dd]efault by chance\b/, 'random by default'],
  [/\bWhat must (be|stay) so\b/, 'The conditions that must hold; Regression tests'],
];

/** The tics of a text: line, words and replacement. */
const faultsIn = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      TICS.filter(([tic]) => tic.test(line)).map(
        ([tic, better]) => `${index + 1}: "${tic.exec(line)![0]}": write ${better}`,
      ),
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
