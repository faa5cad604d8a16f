import { stringify } from 'yaml';
import type { Component, Registry } from '../component/index.js';
import { KINDS, portsOf } from '../component/index.js';
import { CODES } from './codes.js';
import { FrameSchema, queueSchema } from './topology-schema.js';
import { inputsOf } from './graph.js';
import { describeType, jsonSchema, mustBeWritten, type JsonSchema } from './json-schema.js';
import { SECTIONS } from './nodes.js';
import { componentPage } from './problem.js';

/** A page by its path in the repository. */
export interface DocsPage {
  readonly path: string;
  readonly text: string;
}

const MADE = '<!-- Made by `csiflow docs` from the code; changes belong there. -->';

/** All pages that are made from the code: components, topologies, error codes. */
export const docsPages = (registry: Registry): readonly DocsPage[] => [
  indexPage(registry),
  ...registry
    .list()
    .map((component) => ({ path: componentPage(component), text: describeComponent(component) })),
  topologyPage(),
  errorsPage(),
];

function indexPage(registry: Registry): DocsPage {
  const sections = KINDS.map((kind) => {
    const rows = registry.list(kind).map((component) => {
      const takes = inputsOf(component).join(', ') || '-';
      const gives = portsOf(component).join(', ') || '-';
      const link = componentPage(component).replace('docs/components/', '');
      return `| [${component.name}](${link}) | ${takes} | ${gives} | ${cell(component.summary)} |`;
    });
    return [
      `## ${capital(SECTIONS[kind])}`,
      '',
      '| name | takes | gives | |',
      '| --- | --- | --- | --- |',
      ...rows,
      '',
    ];
  });
  return page('docs/components/README.md', ['# Components', '', ...sections.flat()]);
}

/** A component's page as Markdown; also what `csiflow describe` prints. */
export function describeComponent(component: Component): string {
  const schema = jsonSchema(component.config);
  const lines = [
    `# ${component.name}`,
    '',
    component.summary,
    '',
    ...facts(component).map((fact) => `- ${fact}`),
    '',
    ...(component.description ? [component.description.trim(), ''] : []),
    '## Fields',
    '',
    ...fieldTable(schema),
    '',
    ...(component.kind === 'source' ? queueSection(component.replayable) : []),
    ...(component.examples.length > 0
      ? ['## Examples', '', ...component.examples.flatMap((e) => exampleLines(component, e))]
      : []),
  ];
  return page('', lines).text;
}

function facts(component: Component): readonly string[] {
  const ports = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ') || 'nothing';
  const found: string[] = [`Kind: ${component.kind}`];
  if (component.kind !== 'source') found.push(`Takes: ${ports(component.inputs)}`);
  if (component.kind === 'operator' && component.requires)
    found.push(`Cannot do without: ${ports(component.requires)}`);
  if (component.kind !== 'sink') found.push(`Gives: ${ports(component.outputs)}`);
  if (component.kind === 'source') {
    found.push(
      component.replayable ? 'Can be read again from a position.' : 'Live: the journal keeps its raw input.',
    );
  }
  if (component.liveFields)
    found.push(
      `Can be changed while it runs: ${component.liveFields.map((field) => `\`${field}\``).join(', ')}`,
    );
  if (component.kind === 'sink') {
    const { recovery } = component;
    const how = typeof recovery === 'function' ? 'as configured, see below.' : RECOVERY[recovery];
    found.push(`After a crash: ${how}`);
  }
  return found;
}

const RECOVERY = {
  idempotent: 'the same records are written again over themselves (`idempotent`).',
  rewind: 'later epochs are deleted and written again (`rewind`).',
  'at-least-once': 'records may come twice (`at-least-once`).',
} as const;

function queueSection(replayable: boolean): readonly string[] {
  const rows = fieldRows(jsonSchema(queueSchema(replayable)), 'queue.');
  return ['## Queue', '', 'The bounded queue between this source and the pump.', '', ...TABLE, ...rows, ''];
}

const TABLE = ['| field | value | default | |', '| --- | --- | --- | --- |'];

function fieldTable(schema: JsonSchema): readonly string[] {
  const rows = fieldRows(schema, '');
  return rows.length === 0 ? ['It has none of its own.'] : [...TABLE, ...rows];
}

/** A row for each field; those of nested maps by their dotted path. */
function fieldRows(schema: JsonSchema, prefix: string): readonly string[] {
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
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function exampleLines(
  component: Component,
  example: { readonly title: string; readonly config: object },
): readonly string[] {
  const from = component.kind === 'source' ? {} : { from: 'upstream' };
  const node = { [SECTIONS[component.kind]]: { node: { type: component.name, ...from, ...example.config } } };
  return [`${example.title}:`, '', '```yaml', stringify(node, { lineWidth: 100 }).trimEnd(), '```', ''];
}

function topologyPage(): DocsPage {
  const schema = jsonSchema(FrameSchema);
  return page('docs/topology.md', [
    '# Topology files',
    '',
    'A topology file says where data come from, what is done with them, and where results go. This one listens for CSI',
    'and stores the motion in a room:',
    '',
    '```yaml',
    'id: ward-3',
    'environment: environments/ward-3.yaml',
    'sources:',
    '  routers: { type: udp, port: 5005 }',
    'operators:',
    '  windows: { type: window, from: routers, length_ms: 2000, hop_ms: 200, points: 100 }',
    '  motion: { type: detect-motion, from: windows }',
    'sinks:',
    '  history: { type: duckdb, from: motion, path: data/ward-3.duckdb }',
    '```',
    '',
    'One YAML file declares one topology. `csiflow validate FILE` checks it. `csiflow schema` prints a JSON schema, with',
    'which your editor can complete it. The [components](components/README.md) have a page each.',
    '',
    '## Nodes',
    '',
    'Each entry of `sources`, `operators` and `sinks` is a node. Its key is its id: a letter, then at most 63 letters,',
    'digits, `_` or `-`, unique over all sections. Its `type` names a component. Every operator and sink also has `from`:',
    'the id of the node that it reads, or a list of ids.',
    '',
    '`enabled: false` switches a node off:',
    '',
    '- An operator passes on records of the ports that it outputs itself, and does nothing else.',
    '- A sink takes no records; they are counted as `switched_off`. Records that it took before are still written.',
    '',
    '## Fields',
    '',
    ...TABLE,
    ...fieldRows(schema, ''),
    '',
    '## Variables and secrets',
    '',
    'Text values can contain variables. csiflow replaces them after it has read the YAML:',
    '',
    '| expression | value |',
    '| --- | --- |',
    '| `${NAME}` | the environment variable; an error if it is not set |',
    '| `${NAME:-default}` | the environment variable, or `default` if it is not set or empty |',
    '| `${secret:name}` | the file `name` in the folder of secrets, else `CSIFLOW_SECRET_NAME`; never shown |',
    '| `$${` | the text `${` |',
    '',
    'If a field requires a number, `true`/`false` or null, the resulting text is converted. YAML anchors, aliases and',
    '`<<` merge keys work; an error in shared text is reported where the text is written.',
    '',
    "Relative paths, including those in environments, start from the topology file's folder. A file has at most 1 MiB.",
    '',
    '## Topologies sent over the network',
    '',
    'A topology that is planned, applied or put by REST cannot read the host:',
    '',
    '- It may name files below the folder of the topology file, after links are resolved, and the files that the',
    '  topologies given to `csiflow run` name. Any other file is refused with `config.file.outside`.',
    '- It may use the environment variables that the given files use, and those of `csiflow run --allow-variable NAME...`.',
    '  Any other variable is refused with `config.variable.not_allowed`, whether it is set or not.',
    '- Errors show `${NAME}`, never its value.',
    '',
    'It may have 1,000 nodes and 10,000 edges. A separate thread checks it, for at most 10 seconds.',
    '',
    '## Several topologies',
    '',
    '`csiflow run FILE...` runs several topologies in one process; the first is the main one ([operating](operating.md)).',
    'Each needs its own `id`, environments, `settings.state_folder`, ports and files. `csiflow validate --together FILE...`',
    'reports what two of them share (`config.together.*`, `config.claim.taken`), and which of them cannot keep the',
    '[privacy](privacy.md) that the first one promises for all (`config.privacy.*`).',
  ]);
}

function errorsPage(): DocsPage {
  const entries = Object.entries(CODES).flatMap(([name, [meaning, mend]]) => [
    `## ${name}`,
    '',
    `${meaning} ${mend}`,
    '',
  ]);
  return page('docs/errors.md', [
    '# Errors in topologies and environments',
    '',
    'Look up the code of a message here to see what it means and how to fix it. `csiflow validate FILE` prints one line',
    'for each problem, then the line of the file and a caret:',
    '',
    '```text',
    'FILE:LINE:COLUMN SEVERITY CODE MESSAGE',
    '```',
    '',
    'It also suggests the nearest valid word and the page that helps. `--format json` prints the same as JSON. Codes are',
    'stable. Components may define codes of their own for rules between their fields; see their pages.',
    '',
    ...entries,
  ]);
}

function page(path: string, lines: readonly string[]): DocsPage {
  const text = [...(path === '' ? [] : []), MADE, '', ...lines].join('\n');
  return { path, text: `${text.replaceAll(/\n{3,}/g, '\n\n').trimEnd()}\n` };
}
