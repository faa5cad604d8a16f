import { createRequire } from 'node:module';
import { escapeHtml } from '../../pipeline/base/escape-html.js';

/** The part of highlight.js used here: its own types add those of browsers to the whole project. */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
}

const require = createRequire(import.meta.url);
const highlighter = require('highlight.js/lib/core') as Highlighter;

const LANGUAGES = ['bash', 'http', 'ini', 'json', 'python', 'sql', 'typescript', 'yaml'];
for (const name of LANGUAGES)
  highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));

const ALIASES: Readonly<Record<string, string>> = {
  ...{ sh: 'bash', cron: 'bash', ts: 'typescript', js: 'typescript', yml: 'yaml' },
  ...{ service: 'ini', conf: 'ini', iql: 'sql' },
};

/** Code as HTML, coloured if its language is known. @param written as after the fence, or a file's extension */
export function highlighted(code: string, written: string): string {
  const language = ALIASES[written] ?? written;
  return LANGUAGES.includes(language) ? highlighter.highlight(code, { language }).value : escapeHtml(code);
}
