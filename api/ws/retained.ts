import type { PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import type { AlertFilters, Subscribe } from '../contract/client-messages.js';
import type { Deployment } from '../service/deployment/deployment.js';
import { environmentsOf } from '../service/deployment/environments.js';
import { alertMessage, isWanted } from './alerts.js';
import { FULL_BYTES, type Subscription } from './connection.js';
import { poseUpdate, type PoseGroups } from './pose-groups.js';
import { Recent } from './recent.js';

/** Pose frames of all environments, and alerts, retained for clients that reconnect. */
const RECENT_POSE_FRAMES = 3000;
const RECENT_POSE_FRAMES_OF_ONE = 300;
const RECENT_ALERTS = 200;
/** Bytes of pose frames sent to a reconnecting client: more would be skipped as for a slow client. */
const RESUME_BYTES = FULL_BYTES / 2;

/** Recent messages for clients that reconnect: what they have missed. */
export class Retained {
  readonly #deployment: Deployment;
  readonly #groups: PoseGroups;
  readonly #poseFrames = new Map<string, Recent<PoseFrame>>();
  readonly #alerts = new Recent<SensedEvent>(RECENT_ALERTS);

  constructor(deployment: Deployment, groups: PoseGroups) {
    this.#deployment = deployment;
    this.#groups = groups;
  }

  /** Number of alerts so far. */
  get alerts(): number {
    return this.#alerts.total;
  }

  addPose(poseFrame: PoseFrame): void {
    if (!this.#poseFrames.has(poseFrame.environment)) this.#share();
    this.#poseFrames.get(poseFrame.environment)?.push(poseFrame);
  }

  addAlert(event: SensedEvent): void {
    this.#alerts.push(event);
  }

  /** Messages to send, oldest first, and an upper limit of those that were lost. */
  missedBy(subscription: Subscription, { resume }: Subscribe): { texts: readonly string[]; missed: number } {
    if (subscription.channel === 'pose_updates' && resume && 'frame_id' in resume)
      return this.#missedPoseFrames(subscription, resume.frame_id);
    if (subscription.channel === 'alerts')
      return this.#missedAlerts(subscription, resume && 'alert_id' in resume ? resume.alert_id : undefined);
    return { texts: [], missed: 0 };
  }

  /** Newest first, until they are too many to send. */
  #missedPoseFrames(
    { id, environment, filters, form }: Subscription<'pose_updates'>,
    last: number,
  ): { texts: readonly string[]; missed: number } {
    const recent = this.#poseFrames.get(environment)?.items ?? [];
    const later = recent.filter(({ frameId }) => frameId > last);
    const before = Math.max(0, (later[0]?.frameId ?? last + 1) - last - 1);
    // An older one is retained, so none in between is lost: windows without a pose frame have numbers too.
    let missed = recent.length > later.length ? 0 : before;
    const texts: string[] = [];
    let bytes = 0;
    for (const poseFrame of later.toReversed()) {
      const body = bytes < RESUME_BYTES ? this.#groups.render(poseFrame, filters, form) : null;
      if (bytes >= RESUME_BYTES) missed++;
      else if (body !== null) texts.unshift(poseUpdate(id, body));
      bytes += body?.length ?? 0;
    }
    return { texts, missed };
  }

  /** @param last id of the last received one; undefined: the client has none */
  #missedAlerts(
    { filters, alertsBefore }: Subscription<'alerts'>,
    last: string | undefined,
  ): { texts: readonly string[]; missed: number } {
    const since = this.#alerts.since(alertsBefore);
    const index = since.findIndex(({ id }) => id === last);
    const gone = index >= 0 ? 0 : this.#alerts.total - alertsBefore - since.length;
    const texts = since
      .slice(index + 1)
      .filter((event) => isWanted(event, filters))
      .map((event) => this.alertText(event, filters));
    return { texts, missed: gone };
  }

  /** Divides the limit of retained pose frames among the current environments. */
  #share(): void {
    const ids = new Set(environmentsOf(this.#deployment).map(({ environment }) => environment.id));
    for (const id of this.#poseFrames.keys()) if (!ids.has(id)) this.#poseFrames.delete(id);
    const share = Math.min(Math.ceil(RECENT_POSE_FRAMES / ids.size), RECENT_POSE_FRAMES_OF_ONE);
    for (const id of ids) {
      const known = this.#poseFrames.get(id);
      if (known) known.limit = share;
      else this.#poseFrames.set(id, new Recent<PoseFrame>(share));
    }
  }

  /** An alert's message. */
  alertText(event: SensedEvent, { include_environment }: AlertFilters): string {
    const served = environmentsOf(this.#deployment).find(
      ({ environment }) => environment.id === event.environment,
    );
    const domain = served?.running.topology.settings.domain;
    return JSON.stringify(alertMessage(event, domain, include_environment));
  }
}
