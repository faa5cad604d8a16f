import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

interface ListOptions {
  readonly kind?: string;
  readonly json?: boolean;
  readonly plugin: readonly string[];
}

export function register(program: Command): void {
  program
    .command('list')
    .argument('[what]', 'components or backends', 'components')
    .description('List the components that topologies may name, or the backends of the network.')
    .option('--kind <source|operator|sink>', 'only components of this kind')
    .option('--json', 'print JSON')
    .option('--plugin <file...>', 'modules with your own components', [])
    .addHelpText('after', '\nExample:\n  csiflow list --kind operator\n  csiflow list backends')
    .action(async (what: string, options: ListOptions) => {
      if (what === 'backends') await listBackends(options);
      else if (what === 'components') await listComponents(options);
      else
        throw new CommandError(
          `the argument of list must be components or backends, not ${what}`,
          EXIT.invalid,
        );
    });
}

async function listComponents({ kind, json, plugin }: ListOptions): Promise<void> {
  const [{ registryWith }, { KINDS }] = await Promise.all([
    import('../../plugins.js'),
    import('../../../pipeline/component/index.js'),
  ]);
  const wanted = KINDS.find((known) => known === kind);
  if (kind !== undefined && !wanted) {
    throw new CommandError(`--kind must be one of ${KINDS.join(', ')}, not ${kind}`, EXIT.invalid);
  }
  const components = await registryWith(plugin);
  const rows = components.list(wanted).map((component) => ({
    kind: component.kind,
    name: component.name,
    inputs: component.kind === 'source' ? [] : component.inputs,
    outputs: component.kind === 'sink' ? [] : component.outputs,
    summary: component.summary,
  }));
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else
    printTable(
      rows.map((row) => [row.kind, row.name, `${ports(row.inputs)} > ${ports(row.outputs)}`, row.summary]),
    );
}

const ports = (names: readonly string[]): string => names.join(',') || '-';

async function listBackends({ json }: ListOptions): Promise<void> {
  const { describeBackends } = await import('../../../operators/infer-pose/backends/backends.js');
  const backends = await describeBackends();
  if (json) {
    process.stdout.write(`${JSON.stringify(backends, null, 2)}\n`);
    return;
  }
  const state = (available: boolean, device: string | null) =>
    available ? (device ?? 'available') : 'missing';
  printTable([
    ...backends.map((backend) => [
      backend.name,
      state(backend.available, backend.device),
      backend.version ?? '-',
      backend.package,
      backend.note,
    ]),
    ['remote', 'a server', '-', '-', 'Requires `url`; `csiflow export-model` writes the models for it.'],
  ]);
}

/** Columns as wide as their widest entry; the last one has no limit. */
function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column < row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell,
    );
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}
