import type { Data, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import type { Channel } from '../contract/client-messages.js';
import type { Acknowledged } from '../service/alerts/acknowledgements.js';
import type { Deployment } from '../service/deployment/deployment.js';
import { acknowledgedMessage, isWanted } from './alerts.js';
import type { Connection, Subscription } from './connection.js';
import type { MovedRooms } from './moved-rooms.js';
import type { PoseGroups } from './pose-groups.js';
import type { Retained } from './retained.js';
import { statusMessage } from './status.js';

export interface BroadcastOptions {
  readonly deployment: Deployment;
  readonly connections: ReadonlySet<Connection>;
  readonly groups: PoseGroups;
  readonly retained: Retained;
  readonly moved: MovedRooms;
}

/** Sends what happens to the connections that have subscribed to it. */
export class Broadcast {
  readonly #options: BroadcastOptions;

  constructor(options: BroadcastOptions) {
    this.#options = options;
  }

  /** Results of the websocket sinks, in their order. */
  records(records: readonly Data[]): void {
    for (const record of records) {
      if (record.port === 'pose') this.#pose(record);
      else if (record.port === 'event' && record.source === 'csiflow') this.#alert(record);
    }
  }

  acknowledged(acknowledged: Acknowledged): void {
    const text = JSON.stringify(acknowledgedMessage(acknowledged));
    sendEach(
      this.#options.connections,
      'acknowledgements',
      ({ filters: { environment_id: only } }) =>
        (only ?? acknowledged.environment) === acknowledged.environment,
      () => text,
    );
  }

  /** The current state of the system, to those of `connections` that have subscribed to it. */
  status(connections: Iterable<Connection>): void {
    const { deployment } = this.#options;
    const to = [...connections].filter(({ subscriptions }) =>
      [...subscriptions].some(({ channel }) => channel === 'system_status'),
    );
    if (to.length === 0) return;
    statusMessage(deployment)
      .then((message) => {
        const text = JSON.stringify(message);
        sendEach(
          to,
          'system_status',
          () => true,
          () => text,
        );
      })
      .catch((error: unknown) => {
        deployment.log.error('the status could not be sent', { reason: String(error) });
      });
  }

  #pose(poseFrame: PoseFrame): void {
    const { retained, moved, groups } = this.#options;
    retained.addPose(poseFrame);
    moved.heard(poseFrame.environment);
    groups.deliver(poseFrame);
  }

  #alert(event: SensedEvent): void {
    const { connections, retained } = this.#options;
    retained.addAlert(event);
    sendEach(
      connections,
      'alerts',
      ({ filters }) => isWanted(event, filters),
      (matching) =>
        retained.alertText(event, {
          include_environment: matching.some(({ filters }) => filters.include_environment === true),
        }),
    );
  }
}

/** Once per connection, however many of its subscriptions match: these messages name none. */
function sendEach<C extends Channel>(
  connections: Iterable<Connection>,
  channel: C,
  matches: (subscription: Subscription<C>) => boolean,
  textFor: (matching: readonly Subscription<C>[]) => string,
): void {
  for (const connection of connections) {
    const matching = ([...connection.subscriptions] as Subscription<C>[]).filter(
      (subscription) => subscription.channel === channel && matches(subscription),
    );
    if (matching.length > 0) connection.sendText(textFor(matching));
  }
}
