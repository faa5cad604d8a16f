import { Subject, type OperatorFunction } from 'rxjs';
import { Type } from 'typebox';
import { defineOperator, type OperatorDefinition, type Output } from '../component/index.js';
import type { Data, Port } from '../model/index.js';
import { errorText } from '../base/error-text.js';

/** The component that wraps an RxJS operator. */
export interface Lifted<I extends Port, O extends Port> {
  readonly name: string;
  readonly summary: string;
  readonly inputs: readonly I[];
  readonly outputs: readonly O[];
  readonly operator: () => OperatorFunction<Data<I>, Data<O>>;
}

const Config = Type.Object({}, { additionalProperties: false });

/**
 * Makes a component of an RxJS operator (`map`, `filter`, a `pipe` of them). The operator receives only data:
 * watermarks and barriers bypass it, because a `filter` that dropped a barrier would stop all checkpoints.
 *
 * **When to use**: to change or drop records one by one.
 * **Gotchas**: it must answer synchronously and hold no state between records. If it emits later, or after it
 * has completed (`take`, an error), the next record becomes a dead letter. State is lost at a restart.
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
  /** The reason why it accepts no more records. */
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
      else
        problem =
          'it emitted a record after its turn: only operators that answer synchronously can be lifted';
    },
    error: (error: unknown) => {
      problem = `it failed: ${errorText(error)}`;
    },
    complete: () => {
      problem ??= 'it completed: an operator that completes (take, first) cannot be lifted';
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
