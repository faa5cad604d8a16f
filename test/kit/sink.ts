import { sinkCases, type SinkDriver as Driver } from '../../pipeline/testing/kit/sink.js';
import { conformance, withServer } from './cases.js';

export interface SinkDriver extends Driver {
  /** It needs a real server: its tests are in test/services/; here only its definition is tested. */
  readonly server?: boolean;
}

export function sinkConformance(name: string, driver: SinkDriver): void {
  conformance(`sink ${name}`, withServer(driver, sinkCases(driver)));
}
