import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Received } from '../../bench/accuracy/chain/plan.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import { MOST_ECHO_DB } from '../../pipeline/sources/simulator/config.js';
import { DEVICES } from '../../pipeline/sources/simulator/devices.js';
import { wholeNumber, wholeNumbers } from './number-options.js';

/** What receives in simulated rooms, how well, how strong the echoes are, and whether they were measured. */
export interface ReceiverOptions {
  readonly device?: string;
  readonly rate?: number;
  readonly snr?: readonly [least: number, most: number];
  readonly echo?: number;
  readonly walker?: boolean;
  readonly out?: string;
}

/** The options, and the settings of the simulator that they are. */
const SETTINGS = { device: 'device', rate: 'rate_hz', snr: 'snr_db', echo: 'echo_db' } as const;

export const withReceiverOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--device <name>',
        'what receives in simulated rooms; not with --out, and not in foreign, receivers, recordings and real-falls, which have their own receivers (default: esp32)',
      ).choices(Object.keys(DEVICES)),
    )
    .option(
      '--rate <number>',
      'frames a second of each link in simulated rooms; as --device (default: 50)',
      wholeNumber(1, 1000),
    )
    .option(
      '--snr <decibels>',
      'least and most signal to noise of the links in simulated rooms; as --device (default: 15,35)',
      snrRange,
    )
    .option(
      '--echo <decibels>',
      'how much stronger people and things reflect in simulated rooms; as --device (default: 0)',
      echoOf,
    )
    .option(
      '--walker',
      'also calibrate simulated rooms with one who walks, as `csiflow calibrate --walker` does; as --device (default: only while they are empty)',
    );

const decibels = wholeNumbers(0, 60, '20,25');

function snrRange(text: string): readonly [least: number, most: number] {
  const [least, most, ...others] = decibels(text);
  if (least !== undefined && most !== undefined && least <= most && others.length === 0) return [least, most];
  throw new InvalidArgumentError('It must be the least and the most, like 20,25.');
}

/** @throws InvalidArgumentError if the simulator does not take it */
function echoOf(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Math.abs(value) <= MOST_ECHO_DB) return value;
  throw new InvalidArgumentError(`It must be a number from -${MOST_ECHO_DB} to ${MOST_ECHO_DB}.`);
}

/**
 * @param ignoring the tables, if none of them applies other receivers
 * @throws CommandError if the options do not apply
 */
export function receivedBy(options: ReceiverOptions, ignoring: readonly string[]): Received | undefined {
  const given = (Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]).filter(
    (name) => options[name] !== undefined,
  );
  const all = [...given, ...(options.walker ? ['walker'] : [])];
  if (all.length === 0) return undefined;
  const named = all.map((name) => `--${name}`).join(' and ');
  if (options.out !== undefined)
    throw new CommandError(
      `the tables of a report have their receivers: leave out ${named}, or print the table without --out`,
      EXIT.invalid,
    );
  if (ignoring.length > 0)
    throw new CommandError(
      `leave out ${named}, which does not apply to tables with their own receivers: ${ignoring.join(', ')}`,
      EXIT.invalid,
    );
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map((name) => [SETTINGS[name], options[name]]));
}
