import { describeType, mustBeWritten, type JsonSchema } from './json-schema.js';

/** A page by its path in the repository. */
export interface DocsPage {
  readonly path: string;
  readonly text: string;
}

const MADE = '<!-- Made by `csiflow docs` from the code; changes belong there. -->';

export const TABLE = ['| field | value | default | |', '| --- | --- | --- | --- |'];

export function fieldTable(schema: JsonSchema): readonly string[] {
  const rows = fieldRows(schema, '');
  return rows.length === 0 ? ['It has none of its own.'] : [...TABLE, ...rows];
}

/** A row for each field; those of nested maps by their dotted path. */
export function fieldRows(schema: JsonSchema, prefix: string): readonly string[] {
  const needed = mustBeWritten(schema);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const fallback =
      field.default === undefined ? (needed.includes(name) ? '**required**' : '-') : code(field.default);
    const row = `| \`${path}\` | ${cell(describeType(field))} | ${fallback} | ${cell(fieldText(field))} |`;
    const inner =
      field.type === 'array' && field.items
        ? fieldRows(field.items, `${path}[].`)
        : fieldRows(field, `${path}.`);
    return [row, ...inner];
  });
}

function fieldText(field: JsonSchema): string {
  const meanings = field.markdownEnumDescriptions ?? [];
  const words = (field.enum ?? []).map((word, index) => `\`${String(word)}\`: ${meanings[index] ?? ''}`);
  return [field.description ?? '', ...(meanings.length > 0 ? words : [])].filter(Boolean).join('<br>');
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
export function page(path: string, lines: readonly string[]): DocsPage {
  const text = [...(path === '' ? [] : []), MADE, '', ...lines].join('\n');
  return { path, text: `${text.replaceAll(/\n{3,}/g, '\n\n').trimEnd()}\n` };
}
