import { sourceCases, type SourceDriver as Driver } from '../../pipeline/testing/kit/index.js';
import { conformance, withServer } from './cases.js';

export interface SourceDriver extends Driver {
  /** It needs a real server: its tests are in test/services/; here only its definition is tested. */
  readonly server?: boolean;
}

export function sourceConformance(name: string, driver: SourceDriver): void {
  conformance(`source ${name}`, withServer(driver, sourceCases(driver)));
}
