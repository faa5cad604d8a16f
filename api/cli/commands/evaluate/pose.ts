import { InvalidArgumentError, type Command } from 'commander';
import { wholeNumber } from '../../number-options.js';

interface Options {
  weights: string;
  environment?: string;
  sequences: number;
  seed?: number;
  backend: 'fastest' | 'tensorflow-gpu' | 'tensorflow' | 'wasm';
  json?: boolean;
}

/** Lower seeds are used for training. */
const FIRST_SEED = 700_000;

const seed = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < FIRST_SEED || value > 2 ** 31)
    throw new InvalidArgumentError(
      `It must be a whole number from ${FIRST_SEED}: lower ones are used for training.`,
    );
  return value;
};

export function register(evaluate: Command): void {
  evaluate
    .command('pose')
    .description(
      'Measure the network of infer-pose on simulated rooms, bodies and motions excluded from training.',
    )
    .option('--weights <model>', 'general, demo-flat, or a folder', 'general')
    .option('--environment <file>', 'the environment of a model trained for one site')
    .option('--sequences <number>', 'windows per table', wholeNumber(20), 1000)
    .option('--seed <number>', 'seed of rooms, bodies and motions (default: held-out ones)', seed)
    .option('--backend <name>', 'fastest, tensorflow-gpu, tensorflow or wasm', 'fastest')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', '\nExample:\n  csiflow evaluate pose --weights general --sequences 300')
    .action(async ({ json, ...options }: Options) => {
      const { evaluatePose, markdownOf } = await import('../../../../operators/infer-pose/training/main.js');
      const report = await evaluatePose({
        ...options,
        print: (line) => process.stderr.write(`${line}\n`),
      });
      process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : markdownOf(report));
    });
}
