import type { Command } from 'commander';

interface Options {
  readonly to: string;
}

export function register(program: Command): void {
  program
    .command('export-model')
    .argument('[model]', 'a shipped model, or a folder with one', 'general')
    .description(
      'Write the pose network as ONNX models for an inference server, for the backend `remote` of infer-pose.',
    )
    .option('--to <folder>', 'the model repository of the server', 'models')
    .addHelpText('after', '\nExample:\n  csiflow export-model general --to /srv/models')
    .action(run);
}

async function run(model: string, { to }: Options): Promise<void> {
  const [
    { namedModel },
    { readModel },
    { onnxParts },
    { partNames },
    { replaceFile },
    { chmodSync, mkdirSync },
    path,
  ] = await Promise.all([
    import('../../../operators/infer-pose/model/named-model.js'),
    import('../../../operators/infer-pose/model/weights.js'),
    import('../../../operators/infer-pose/backends/onnx.js'),
    import('../../../operators/infer-pose/backends/remote-parts.js'),
    import('../../../pipeline/base/files.js'),
    import('node:fs'),
    import('node:path'),
  ]);
  const { weights, manifest } = readModel(namedModel(model));
  const { name, version, trainedOn, sha256 } = manifest;
  const parts = onnxParts(weights, { name, version, trained_on: trainedOn, sha256 });
  const [see, look] = partNames(sha256);
  for (const [part, content] of [
    [see, parts.see],
    [look, parts.look],
  ] as const) {
    const folder = path.join(to, part, '1');
    const file = path.join(folder, 'model.onnx');
    mkdirSync(folder, { recursive: true });
    replaceFile(file, content);
    // csiflow's own files are private; servers run as other users.
    for (const one of [path.dirname(folder), folder]) chmodSync(one, 0o755);
    chmodSync(file, 0o644);
    process.stdout.write(`${file}\n`);
  }
}
