import { stringify } from 'yaml';
import type { Component, Registry } from '../../component/index.js';
import { KINDS, portsOf } from '../../component/index.js';
import { CODES } from '../problems/codes.js';
import { cell, fieldTable, page, type DocsPage } from './docs-fields.js';
import { environmentPage, topologyPage } from './docs-topology.js';
import { queueSchema } from '../schema/topology-schema.js';
import { inputsOf } from '../graph/graph.js';
import { jsonSchema } from '../schema/json-schema.js';
import { SECTIONS } from '../graph/nodes.js';
import { componentPage } from '../problems/problem.js';

/** All pages that are generated from the code: components, topologies, error codes. */
export const docsPages = (registry: Registry, exportName?: ExportName): readonly DocsPage[] => [
  indexPage(registry),
  ...registry
    .list()
    .map((component) => ({ path: componentPage(component), text: describeComponent(component, exportName) })),
  topologyPage(),
  environmentPage(),
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
      '| name | inputs | outputs | |',
      '| --- | --- | --- | --- |',
      ...rows,
      '',
    ];
  });
  return page('docs/components/README.md', ['# Components', '', ...sections.flat()]);
}

/** The name by which programs import a component from the package; undefined if it does not export it. */
export type ExportName = (component: Component) => string | undefined;

/** A component's page as Markdown; also what `csiflow describe` prints. */
export function describeComponent(component: Component, exportName?: ExportName): string {
  const schema = jsonSchema(component.config);
  const name = exportName?.(component);
  const lines = [
    `# ${component.name}`,
    '',
    component.summary,
    '',
    ...facts(component).map((fact) => `- ${fact}`),
    ...(name === undefined ? [] : [`- In TypeScript: \`import { ${name} } from 'csiflow'\``]),
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
  if (component.kind !== 'source') {
    const nodes = component.kind === 'operator' && component.nodesRead;
    found.push(`Inputs: ${ports(component.inputs)}${nodes ? `, of ${nodes} nodes` : ''}`);
  }
  if (component.kind === 'operator' && typeof component.requires === 'object')
    found.push(`Requires: ${ports(component.requires)}`);
  if (component.kind !== 'sink') found.push(`Outputs: ${ports(component.outputs)}`);
  if (component.kind === 'source') {
    found.push(
      component.replayable ? 'Can be read again from a position.' : 'Live: the journal stores its raw input.',
    );
  }
  if (component.liveFields)
    found.push(
      `Can be changed while running: ${component.liveFields.map((field) => `\`${field}\``).join(', ')}`,
    );
  const settings = Object.keys(component.settings ?? {});
  if (settings.length > 0)
    found.push(
      `Follows the [settings](../../configuration.md#fields) ${settings.map((name) => `\`${name}\``).join(', ')}`,
    );
  if (component.kind === 'sink') {
    const { recovery } = component;
    const how = typeof recovery === 'function' ? 'as configured, see below.' : RECOVERY[recovery];
    found.push(`After a crash: ${how}`);
  }
  return found;
}

const RECOVERY = {
  idempotent: 'records are written again over the same records (`idempotent`).',
  rewind: 'later epochs are deleted and written again (`rewind`).',
  'at-least-once': 'records may arrive twice (`at-least-once`).',
} as const;

function queueSection(replayable: boolean): readonly string[] {
  const fields = fieldTable(jsonSchema(queueSchema(replayable)), 'queue.');
  return ['## Queue', '', 'The bounded queue between this source and the pump.', '', ...fields, ''];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function exampleLines(
  component: Component,
  example: { readonly title: string; readonly config: object },
): readonly string[] {
  const from = component.kind === 'source' ? {} : { from: upstreamOf(component) };
  const node = { [SECTIONS[component.kind]]: { node: { type: component.name, ...from, ...example.config } } };
  return [`${example.title}:`, '', '```yaml', stringify(node, { lineWidth: 100 }).trimEnd(), '```', ''];
}

/** Invented names of the nodes that an example reads. */
const upstreamOf = (component: Component): string | readonly string[] =>
  component.kind === 'operator' && component.nodesRead !== undefined
    ? Array.from({ length: component.nodesRead }, (_, index) => `upstream-${index + 1}`)
    : 'upstream';

function errorsPage(): DocsPage {
  const entries = Object.entries(CODES).flatMap(([name, [meaning, fix]]) => [
    `## ${name}`,
    '',
    `${meaning} ${fix}`,
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
    'stable. Components may define their own codes for rules between fields; see their pages.',
    '',
    ...entries,
  ]);
}
