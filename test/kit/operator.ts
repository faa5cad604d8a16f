import { operatorCases, type OperatorDriver as Driver } from '../../pipeline/testing/kit/index.js';
import { withDefaults } from '../../pipeline/testing/kit/definition.js';
import { makeOperator } from '../../pipeline/testing/kit/run-operator.js';
import { conformance } from './cases.js';

export interface OperatorDriver extends Driver {
  /**
   * One operator stays open beside those of the cases: operators of a process start their shared parts once.
   */
  readonly oneBeside?: boolean;
}

export function operatorConformance(name: string, driver: OperatorDriver): void {
  const { component, config, environments, oneBeside } = driver;
  const beside = () => makeOperator(component, withDefaults(component, config), environments);
  conformance(`operator ${name}`, operatorCases(driver), oneBeside ? beside : undefined);
}
