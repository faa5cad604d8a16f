import { ServiceError } from '../../../client/errors.js';
import { serviceInFormA } from '../state/session.js';

/** Form A, because its errors name all problems of a text. @throws ServiceError */
export async function planOf(id: string, topology: string) {
  const { data } = await serviceInFormA().rest.POST('/topologies/{id}/plan', {
    params: { path: { id } },
    body: { topology },
  });
  return data!.data;
}
export type Plan = Awaited<ReturnType<typeof planOf>>;

/** @param hash of the plan. @throws ServiceError */
export async function applyPlan(id: string, topology: string, hash: string): Promise<void> {
  await serviceInFormA().rest.POST('/topologies/{id}/apply', {
    params: { path: { id } },
    body: { topology, hash },
  });
}

/** A mistake in a text. */
export interface Mistake {
  readonly message: string;
  readonly suggestion: string | null;
  /** In the text; null if it is in another file, which the message names. */
  readonly place: TextLocation | null;
}

/** From 1. */
export interface TextLocation {
  readonly line: number;
  readonly column: number;
}

interface FieldError {
  /** `FILE:LINE:COLUMN` */
  readonly field: string;
  /** `CODE TEXT` */
  readonly message: string;
  readonly received_value: string | null;
}

/** The located mistakes of a refused text; none for other errors. */
export function mistakesIn(error: unknown, text: string): readonly Mistake[] {
  if (!(error instanceof ServiceError) || error.status !== 422) return [];
  const fields = (error.details['field_errors'] ?? []) as readonly FieldError[];
  return fields.flatMap(({ field, message, received_value: suggestion }) => {
    const [, file, line, column] = /^(.*):(\d+):(\d+)$/.exec(field) ?? [];
    if (file === undefined) return [];
    const words = message.replace(/^\S+ /, '');
    const elsewhere = isNamedIn(text, file);
    return [
      {
        message: elsewhere ? `${file}:${line}:${column}: ${words}` : words,
        suggestion,
        place: elsewhere ? null : { line: Number(line), column: Number(column) },
      },
    ];
  });
}

/** Environments and other files are those that the text names; the service does not say which file the text is. */
function isNamedIn(text: string, file: string): boolean {
  const name = file.split(/[\\/]/).at(-1)!;
  return text.split('\n').some((line) => line.replace(/(^|\s)#.*/, '').includes(name));
}

/** Index of a place in a text. */
export function indexOf(text: string, { line, column }: TextLocation): number {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return Math.min(text.length, before + column - 1);
}
