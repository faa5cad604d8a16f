import tseslint from 'typescript-eslint';
import { house } from './house.config.mjs';
import { LONG_FILES, LONG_FUNCTIONS } from './lengths.config.mjs';
import { SLEEPING, SLEEPS } from './sleeps.config.mjs';

/** RxJS operators that keep an unbounded queue inside (docs/decisions/0003-bounded-rxjs.md). */
const unbounded = [
  'mergeMap',
  'mergeAll',
  'flatMap',
  'concatMap',
  'concatAll',
  'zip',
  'zipWith',
  'zipAll',
  'observeOn',
  'ReplaySubject',
  'buffer',
  'bufferCount',
  'bufferTime',
  'bufferWhen',
  'bufferToggle',
  'groupBy',
  'delay',
  'delayWhen',
  'shareReplay',
];

export default tseslint.config(
  {
    ignores: [
      'dist',
      'site',
      'node_modules',
      // Scripts of browsers that are not compiled.
      'api/web/page/*.js',
      'api/client/types',
      'operators/**/assembly',
      '.services',
      '.cache',
      'data',
      '*.config.*',
      '.prettierrc.json',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { house },
    rules: {
      'house/whole-phrases': 'error',
      // Array and column access is checked by noUncheckedIndexedAccess; `!` says that an index is in range.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/require-await': 'off',
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'rxjs',
              importNames: unbounded,
              message: 'It keeps an unbounded queue: use a bounded stage of the runtime.',
            },
          ],
          patterns: [{ group: ['rxjs/*'], message: "Import from 'rxjs'." }],
        },
      ],
    },
  },
  {
    // A test waits for what it is about: an event, a state, the clock that it moves.
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...SLEEPING.map((selector) => ({
          selector,
          message:
            'Do not sleep: wait for the event, or with `until` or `answered` (test/support/waiting.ts).',
        })),
      ],
    },
  },
  // These sleep for a reason that sleeps.config.mjs names.
  { files: Object.keys(SLEEPS), rules: { 'no-restricted-syntax': 'off' } },
  {
    // One idea a file, one a function.
    files: ['{api,bench,operators,pipeline,sinks,docs/site}/**/*.{ts,tsx}'],
    rules: { 'max-lines': ['error', 300], 'max-lines-per-function': ['error', 60] },
  },
  // These have one idea, and are longer: lengths.config.mjs says why.
  { files: Object.keys(LONG_FILES), rules: { 'max-lines': 'off' } },
  { files: Object.keys(LONG_FUNCTIONS), rules: { 'max-lines-per-function': 'off' } },
  // Not part of the TypeScript project.
  { files: ['**/*.mjs'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['operators/**/*.ts', 'pipeline/runtime/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'Math',
          property: 'random',
          message: 'Use context.random: the same input gives the same output.',
        },
        { object: 'Date', property: 'now', message: 'Use the clock of the context.' },
      ],
    },
  },
);
