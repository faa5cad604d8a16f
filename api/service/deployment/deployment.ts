import type { Clock, Logger } from '../../../pipeline/component/index.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import type { Data } from '../../../pipeline/model/index.js';
import type { Form } from '../form.js';
import type { ApiKeys } from '../accounts/api-keys.js';
import type { Authenticator } from '../accounts/authenticator.js';
import type { Tokens } from '../accounts/tokens.js';
import type { Users } from '../accounts/users.js';
import type { Configuration } from '../configuration/configuration.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { Acknowledgements } from '../alerts/acknowledgements.js';
import type { LifecycleTimes } from './lifecycle-times.js';
import type { SystemProbe } from '../figures/system-probe.js';
import type { Measurement } from './measurement.js';
import type { Topologies } from './topologies.js';

/** Everything the API serves: topologies, one of them the main one, users and limits. */
export interface Deployment {
  readonly version: string;
  readonly main: RunningTopology;
  readonly configuration: Configuration;
  /** The main one and those beside it. */
  readonly topologies: Topologies;
  /** The form of `/api/v1`. */
  readonly form: Form;
  /** Endpoints under `/api/v1` with a separate form, by path: `/pose/tracking/{track_id}`. */
  readonly formsOf: ReadonlyMap<string, Form>;
  readonly users: Users;
  readonly tokens: Tokens;
  readonly apiKeys: ApiKeys;
  readonly authenticator: Authenticator;
  readonly probe: SystemProbe;
  readonly audit: AuditLog;
  /** Acknowledgements of alerts. */
  readonly acknowledgements: Acknowledgements;
  /** The newest measurements of empty rooms, by environment. */
  readonly calibrations: Map<string, Measurement>;
  readonly lifecycle: LifecycleTimes;
  /** Open WebSocket connections. */
  readonly clients: () => number;
  /** Taps the records of a node, of the main topology by default, until the returned function is called. */
  readonly watch: (node: string, watcher: (record: Data) => void, topology?: string) => () => void;
  readonly clock: Clock;
  readonly log: Logger;
  /** Signs cursors, so that they cannot be forged. */
  readonly cursorKey: Buffer;
}
