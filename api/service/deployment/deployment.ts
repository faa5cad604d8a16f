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
import type { Topologies } from './topologies.js';

/** All that the API serves: topologies, one of them the main one, its people and its limits. */
export interface Deployment {
  readonly version: string;
  readonly main: RunningTopology;
  readonly configuration: Configuration;
  /** It and those beside it. */
  readonly topologies: Topologies;
  /** The form that `/api/v1` answers in. */
  readonly form: Form;
  /** Endpoints under `/api/v1` that answer in a form of their own, by path: `/pose/tracking/{track_id}`. */
  readonly formsOf: ReadonlyMap<string, Form>;
  readonly users: Users;
  readonly tokens: Tokens;
  readonly apiKeys: ApiKeys;
  readonly authenticator: Authenticator;
  readonly probe: SystemProbe;
  readonly audit: AuditLog;
  /** Of alerts. */
  readonly acknowledgements: Acknowledgements;
  readonly lifecycle: LifecycleTimes;
  /** WebSocket connections that are open. */
  readonly clients: () => number;
  /** Looks at the records of a node, of the main topology unless another is named, until the function that it gives is called. */
  readonly watch: (node: string, watcher: (record: Data) => void, topology?: string) => () => void;
  readonly clock: Clock;
  readonly log: Logger;
  /** Seals cursors, so that nobody can make one up. */
  readonly cursorKey: Buffer;
}
