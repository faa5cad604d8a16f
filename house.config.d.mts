import type { ESLint } from 'eslint';

/** Rules of this repository for ESLint. */
export const house: ESLint.Plugin;
