import { Subject, type OperatorFunction } from 'rxjs';
import { Type } from 'typebox';
import { defineOperator, type OperatorDefinition, type Output } from '../component/index.js';
import type { Data, Port } from '../model/index.js';
import { errorText } from '../base/error-text.js';

/** What an RxJS operator is, as a component. */
export interface Lifted<I extends Port, O extends Port> {
  readonly name: string;
  readonly summary: string;
  readonly inputs: readonly I[];
  readonly outputs: readonly O[];
  readonly operator: () => OperatorFunction<Data<I>, Data<O>>;
}

const Config = Type.Object({}, { additionalProperties: false });

/**
 * A user's own RxJS operator (`map`, `filter`, a `pipe` of them) as a component. It sees the data alone:
 * watermarks and barriers go past it, as a `filter` that swallowed a barrier would stop every checkpoint.
 *
 * **When to use**: to change or leave out records one by one.
 * **Gotchas**: it must answer at once and keep no state between records. What it emits later, or after it
 * has ended (`take`, an error), makes the record that comes then a dead letter; state is lost at a restart.
 */
export function lift<I extends Port, O extends Port>(
  lifted: Lifted<I, O>,
): OperatorDefinition<string, typeof Config, readonly I[], readonly O[]> {
  const { name, summary, inputs, outputs } = lifted;
  return defineOperator({
    name,
    summary,
    inputs,
    outputs,
    config: Config,
    examples: [{ title: 'As it is', config: {} }],
    create: () => {
      let running = start(lifted.operator());
      return {
        process: (data) => {
          if (running.problem() !== null) running = start(lifted.operator());
          return running.push(data);
        },
      };
    },
  });
}

interface Running<I extends Port, O extends Port> {
  push(data: Data<I>): Output<Data<O>>;
  /** Why it takes no more records. */
  problem(): string | null;
}

function start<I extends Port, O extends Port>(operator: OperatorFunction<Data<I>, Data<O>>): Running<I, O> {
  const input = new Subject<Data<I>>();
  let out: Data<O>[] = [];
  let pushing = false;
  let problem: string | null = null;
  operator(input).subscribe({
    next: (data) => {
      if (pushing) out.push(data);
      else problem = 'it emitted a record after its turn: only operators that answer at once can be lifted';
    },
    error: (error: unknown) => {
      problem = `it failed: ${errorText(error)}`;
    },
    complete: () => {
      problem ??= 'it ended: an operator that completes (take, first) cannot be lifted';
    },
  });
  return {
    problem: () => problem,
    push: (data) => {
      out = [];
      pushing = true;
      input.next(data);
      pushing = false;
      if (problem === null) return { data: out };
      return {
        data: out,
        failed: [{ record: data, code: 'operator.lifted', reason: problem, retriable: false }],
      };
    },
  };
}
