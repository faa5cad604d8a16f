import type { Command } from 'commander';

export function register(train: Command): void {
  train
    .command('falls')
    .description('Train the nets of detect-falls on the recordings that their licence allows.')
    .option('--data <folder>', 'folder with captures/esp32-serial and labelled/esp32-continuous', '../shared')
    .option('--out <file>', 'weights to be written (default: those that ship)')
    .option('--seed <number>', 'seed of the bootstrap, the noise and the first weights', '1')
    .addHelpText('after', '\nExample:\n  csiflow train falls --data ../shared')
    .action(async (options: { data: string; out?: string; seed: string }) => {
      const { trainFalls } = await import('../../../../operators/detect-falls/train.js');
      await trainFalls({
        ...options,
        seed: Number(options.seed),
        print: (line) => process.stdout.write(`${line}\n`),
      });
    });
}
