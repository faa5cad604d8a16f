import { relative, resolve } from 'node:path';
import { Type } from 'typebox';
import {
  choice,
  defineOperator,
  scriptFile,
  type ContentComplaint,
  type Output,
  required,
} from '../../pipeline/component/index.js';
import { errorText } from '../../pipeline/base/error-text.js';
import { RESULT_PORTS, type Failure } from '../../pipeline/model/index.js';
import { one, takenPorts, type Result } from '../shared/record-series.js';
import type { Fault } from './module.js';
import { readProgram, SCRIPT_FILE, type Program } from './program.js';
import { ResultCheck } from './result.js';
import { ScriptThread } from './thread.js';

const ports = (description: string) =>
  Type.Optional(
    Type.Array(
      choice(
        { pose: 'Pose frames.', event: 'Events.', measure: 'Measures.' },
        { description: 'A kind of record.' },
      ),
      { minItems: 1, uniqueItems: true, description },
    ),
  );

export const script = defineOperator({
  name: 'script',
  summary: 'Runs a function of a TypeScript or JavaScript file beside the topology on each record.',
  description: `
Use it for what [expressions](../../expressions.md) cannot do, such as loops and several results. The default export of
the file is a function that receives a record, and returns a record, a list of records, or nothing. csiflow removes the
types and runs the rest; nothing is compiled. [Scripts](../../scripts.md) has an example and the rules.

The function runs in a thread of its own. A record for which it throws an error, returns something other than records, or
does not return in time becomes a [dead letter](../../faults.md#dead-letters) with the line of the file.

Gotchas: a script may do whatever csiflow may do on the host. Variables outside the function do not survive a restart.
`,
  inputs: RESULT_PORTS,
  outputs: RESULT_PORTS,
  gives: ({ reads, gives }, taken) => {
    if (!gives) return takenPorts(null, taken);
    const passed = takenPorts(null, taken).filter((port) => reads && !reads.includes(port));
    return [...new Set([...gives, ...passed])];
  },
  requires: ({ reads = [] }) => (reads.length === 1 ? reads : []),
  stateFields: [],
  timeFields: [],
  asynchronous: { maxInFlight: () => 64 },
  config: Type.Object(
    {
      file: required(
        scriptFile({
          description: 'File that ends in .ts, .mts, .js or .mjs; relative to the topology file.',
        }),
      ),
      reads: ports(
        'Kinds of records that the function receives; others pass. Default: all that the node reads.',
      ),
      gives: ports('Kinds of records that it returns. Default: the kind that it received.'),
      timeout_ms: Type.Integer({
        minimum: 10,
        maximum: 60_000,
        default: 2000,
        description: 'Longest time for one record, milliseconds; then its thread is replaced.',
      }),
    },
    { additionalProperties: false },
  ),
  check: ({ file }) =>
    SCRIPT_FILE.test(file) ? [] : [{ path: ['file'], message: 'must end in .ts, .mts, .js or .mjs' }],
  contents: ({ file }, folder) => {
    // `check` complains.
    if (!SCRIPT_FILE.test(file)) return { hash: '', complaints: [] };
    const { faults, hash } = readProgram(resolve(folder, file));
    return { hash, complaints: faults.map((fault) => complaintOf(fault, resolve(folder, file))) };
  },
  examples: [
    { title: 'A function for all records', config: { file: 'my-step.ts' } },
    {
      title: 'Measures from poses',
      config: { file: 'distance.ts', reads: ['pose'], gives: ['measure'] },
    },
  ],
  create: ({ file, reads, gives, timeout_ms }, context) => {
    const path = resolve(context.folder, file);
    const results = new ResultCheck(gives ?? null);
    let thread: ScriptThread | null = null;
    return {
      open: async () => {
        thread = new ScriptThread({
          ...programOf(path, context.folder),
          folder: context.folder,
          limitMs: timeout_ms,
          printed: (text) => {
            context.log.info('the script printed', { text: text.trimEnd().slice(0, MAX_PRINTED) });
          },
          ended: (reason) => {
            context.metrics.count('script_restarts', 1);
            context.log.warn('the thread of the script ended and is replaced', { reason });
          },
        });
        await thread.open();
      },
      process: async (record): Promise<Output<Result>> => {
        if (reads && !reads.includes(record.port)) return one(record);
        if (!Number.isFinite(record.time)) return failed(record, 'script.record', 'the record has no time');
        const answer = await thread!.process(record);
        if (answer.kind === 'failed') return failed(record, answer.code, answer.reason);
        try {
          return { data: results.recordsOf(answer.value, record) };
        } catch (error) {
          return failed(record, 'script.result', `${file} returned a wrong record: ${errorText(error)}`);
        }
      },
      close: async () => {
        await thread?.close();
      },
    };
  },
});

/** Characters that a script may print at once. */
const MAX_PRINTED = 2000;

const failed = (record: Result, code: string, reason: string): Output<never> => {
  const failure: Failure = { record, code, reason, retriable: false };
  return { data: [], failed: [failure] };
};

/** @throws Error if the file has changed since the topology was checked, and is faulty now */
function programOf(path: string, folder: string): Program {
  const { program, faults } = readProgram(path);
  if (program) return program;
  const { file, line, column, message } = faults[0]!;
  const where = line === undefined ? '' : `:${line}:${column!}`;
  throw new Error(`${relative(folder, file)}${where}: ${message}`);
}

/** A fault of the whole script is reported where the topology names it. */
function complaintOf({ code, message, file, line, column }: Fault, named: string): ContentComplaint {
  const complaint = { path: ['file'], code, message };
  if (line === undefined && file === named) return complaint;
  return { ...complaint, at: { file, line: line ?? 1, column: column ?? 1 } };
}
