import type { AnyOperator, Operator } from '../../component/index.js';
import type { Data, Environment, Failure } from '../../model/index.js';
import { withDefaults } from './definition.js';
import { comparable, feed, feedTogether, finish, makeOperator } from './run-operator.js';

/** Records that an asynchronous operator is given at the same time, at most. */
const MOST_IN_FLIGHT = 16;

export interface OperatorDriver {
  readonly component: AnyOperator;
  /** Valid; defaults are filled in. */
  readonly config: object;
  /** Configurations that it must reject. */
  readonly invalid?: readonly object[];
  /** Default: the environment of {@link testContext}, whose links have the numbers 0 and 1. */
  readonly environments?: readonly Environment[];
  /** Records of its input ports in the order of event time, enough for some output. Created anew with each call. */
  readonly input: () => readonly Data[];
  /** Name of the node that sends them. Default `input`. */
  readonly from?: string;
  /** Invalid records, at least one: none may make it throw, or change the output for `input`, before it or in its middle. */
  readonly bad: () => readonly Data[];
  /**
   * Bad records that count among good ones, such as a frame whose only person is invalid: nobody is there. They
   * are only fed before `input`. `all`: no bad record is without meaning. Default: none count.
   */
  readonly counts?: ((bad: Data) => boolean) | 'all';
  /** Output that reports the bad records themselves, such as the measures of their minute. Default: none. */
  readonly reportsBad?: (output: Data) => boolean;
  /** False for operators without `snapshot`: nothing that they have received affects later output. Default true. */
  readonly keepsState?: boolean;
  /** Runs of the properties; fewer for slow operators. Default 10. */
  readonly runs?: number;
}

/** Records that it processes at the same time, at most; 1 if it is synchronous. */
export const mostInFlight = ({ component, config }: OperatorDriver): number =>
  component.asynchronous?.maxInFlight(withDefaults(component, config) as never) ?? 1;

/** Operators of a driver, and their output. */
export class OperatorBench {
  readonly driver: OperatorDriver;
  readonly runs: number;
  readonly #from: string;

  constructor(driver: OperatorDriver) {
    this.driver = driver;
    this.runs = driver.runs ?? 10;
    this.#from = driver.from ?? 'input';
  }

  input(): readonly Data[] {
    return this.driver.input();
  }

  open(): Promise<Operator> {
    const { component, config, environments } = this.driver;
    return makeOperator(component, withDefaults(component, config), environments);
  }

  feed(
    operator: Operator,
    input: readonly Data[],
    onFailed?: (failed: readonly Failure[]) => void,
  ): Promise<Data[]> {
    return feed(operator, input, this.#from, onFailed);
  }

  /** As {@link feed}, with as many records in flight as an asynchronous operator allows. */
  feedTogether(operator: Operator, input: readonly Data[]): Promise<Data[]> {
    return feedTogether(operator, input, this.#from, Math.min(mostInFlight(this.driver), MOST_IN_FLIGHT));
  }

  /** The whole output of a new operator for `input`, after it has processed `before`. */
  async output(
    input: readonly Data[],
    before?: (operator: Operator) => Promise<void> | void,
  ): Promise<readonly Data[]> {
    const operator = await this.open();
    try {
      await before?.(operator);
      return [...(await this.feed(operator, input)), ...finish(operator)];
    } finally {
      await operator.close?.();
    }
  }

  async run(input: readonly Data[]): Promise<readonly unknown[]> {
    return comparable(await this.output(input));
  }
}
