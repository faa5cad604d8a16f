import type { Argument, Command, Option } from 'commander';

/** How a value is completed: by certain words, a file or a folder; null: unknown. */
export type Value = readonly string[] | 'file' | 'folder' | null;

/** Words that can follow those of a command. */
export interface Completed {
  /** Words after `csiflow`; none for the program itself. */
  readonly path: readonly string[];
  readonly children: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** Values of all its arguments together. */
  readonly value: Value;
}

export interface CompletedOption {
  /** `--url`. */
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly value: Value;
}

/**
 * All commands below `command`, itself first, from their declarations alone: a placeholder such as `<text|json>` or
 * `choices` tells the words of a value, `<file>` and its kin that it is a path.
 * @param known words of other placeholders, by name
 */
export function completedOf(
  command: Command,
  known: Readonly<Record<string, readonly string[]>>,
  path: readonly string[] = [],
): readonly Completed[] {
  const own: Completed = {
    path,
    children: command.commands.map((child) => ({ name: child.name(), description: summaryOf(child) })),
    options: [...command.options.map((option) => optionOf(option, known)), HELP],
    value: together(
      command.registeredArguments.map((argument) => valueOf(placeholderOf(argument), argument, known)),
    ),
  };
  return [own, ...command.commands.flatMap((child) => completedOf(child, known, [...path, child.name()]))];
}

const HELP: CompletedOption = { name: '--help', description: 'display help', takesValue: false, value: null };

function optionOf(option: Option, known: Readonly<Record<string, readonly string[]>>): CompletedOption {
  const [, placeholder] = /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(option.flags) ?? [];
  return {
    name: option.long ?? option.flags,
    description: option.description,
    takesValue: placeholder !== undefined,
    value: placeholder === undefined ? null : valueOf(placeholder, option, known),
  };
}

const placeholderOf = (argument: Argument): string => argument.name();

const FILES = /^(file|files|path|topology|in|out|what|backup|recordings|model)$/;

function valueOf(
  placeholder: string,
  { argChoices }: Pick<Option, 'argChoices'>,
  known: Readonly<Record<string, readonly string[]>>,
): Value {
  if (argChoices) return argChoices;
  if (Object.hasOwn(known, placeholder)) return known[placeholder]!;
  // A form such as `path=form` is not a list of words.
  if (/^[\w-]+(\|[\w-]+)+$/.test(placeholder)) return placeholder.split('|');
  if (placeholder === 'folder') return 'folder';
  return FILES.test(placeholder) ? 'file' : null;
}

/** Words of all of them; files where one of them is a file. */
function together(values: readonly Value[]): Value {
  const words = values.filter((value) => Array.isArray(value)).flat() as string[];
  if (words.length > 0) return words;
  return values.find((value) => value !== null) ?? null;
}

/** Its first sentence, without the final stop. */
const summaryOf = (command: Command): string => firstSentence(command.description());

/** A description as a menu shows it. */
export const firstSentence = (text: string): string => text.split(/[.;:](?:\s|$)/, 1)[0]!;
