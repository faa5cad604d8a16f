import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

interface GraphOptions {
  readonly format: string;
  readonly json?: boolean;
  readonly plugin: readonly string[];
}

export function register(program: Command): void {
  program
    .command('graph')
    .argument('<topology>', 'file of a topology')
    .description('Print the graph of a topology.')
    .option('--format <svg|mermaid|dot>', 'a picture, or the language of a drawing', 'mermaid')
    .option('--json', 'print nodes and edges as JSON')
    .option('--plugin <file...>', 'modules with your own components', [])
    .addHelpText('after', '\nExample:\n  csiflow graph topologies/demo.yaml --format svg > demo.svg')
    .action(async (file: string, options: GraphOptions) => {
      const [{ loadForCommand }, { registryWith }, drawings] = await Promise.all([
        import('../topologies.js'),
        import('../../plugins.js'),
        import('../../../pipeline/config/index.js'),
      ]);
      const draw = new Map([
        ['svg', drawings.toSvg],
        ['mermaid', drawings.toMermaid],
        ['dot', drawings.toDot],
      ]).get(options.format);
      if (!draw) {
        throw new CommandError(`--format must be svg, mermaid or dot, not ${options.format}`, EXIT.invalid);
      }
      const topology = loadForCommand(
        file,
        { env: process.env, secrets: process.env['CSIFLOW_SECRETS'] },
        await registryWith(options.plugin),
      );
      if (options.json) {
        const nodes = topology.nodes.map(({ id, component, inputs }) => {
          return { id, kind: component.kind, type: component.name, inputs };
        });
        process.stdout.write(`${JSON.stringify({ id: topology.id, hash: topology.hash, nodes }, null, 2)}\n`);
      } else process.stdout.write(draw(topology));
    });
}
