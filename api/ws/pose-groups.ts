import type { PoseFrame } from '../../pipeline/model/index.js';
import type { Form } from '../service/form.js';
import type { PoseSelection, PoseView } from '../contract/pose.js';
import type { Connection, Subscription } from './connection.js';
import type { PoseFilters } from '../contract/client-messages.js';

/** The text of a pose frame's message after the subscription's id. */
type Body = string;

interface Group {
  readonly environment: string;
  readonly filters: PoseFilters;
  readonly form: Form;
  readonly members: Map<string, Connection>;
}

/**
 * Subscriptions to pose updates grouped by filter: a pose frame is filtered and serialised once for each distinct
 * filter, however many clients use it and however they wrote it.
 */
export class PoseGroups {
  readonly #viewOf: (environment: string) => PoseView;
  readonly #groups = new Map<string, Group>();
  #serialised = 0;

  constructor(viewOf: (environment: string) => PoseView) {
    this.#viewOf = viewOf;
  }

  /** Number of messages so far: at most one for each pose frame and distinct filter. */
  get serialised(): number {
    return this.#serialised;
  }

  get size(): number {
    return this.#groups.size;
  }

  add({ id, environment, filters, form }: Subscription<'pose_updates'>, connection: Connection): void {
    const key = `${form} ${environment} ${canonical(filters)}`;
    const group = this.#groups.get(key) ?? { environment, filters, form, members: new Map() };
    group.members.set(id, connection);
    this.#groups.set(key, group);
  }

  remove({ id, environment, filters, form }: Subscription<'pose_updates'>): void {
    const key = `${form} ${environment} ${canonical(filters)}`;
    const group = this.#groups.get(key);
    group?.members.delete(id);
    if (group?.members.size === 0) this.#groups.delete(key);
  }

  deliver(poseFrame: PoseFrame): void {
    for (const { environment, filters, form, members } of this.#groups.values()) {
      if (environment !== poseFrame.environment) continue;
      const body = this.render(poseFrame, filters, form);
      if (body === null) continue;
      for (const [id, connection] of members) connection.sendText(poseUpdate(id, body));
    }
  }

  /** Null if the pose frame does not match the filters. */
  render(poseFrame: PoseFrame, filters: PoseFilters, form: Form): Body | null {
    if (filters.person_ids && !poseFrame.persons.some((one) => isWanted(one, filters))) return null;
    this.#serialised++;
    const view = this.#viewOf(poseFrame.environment);
    const selection = selectionOf(filters);
    const whole = form === 'a' ? view.frameA(poseFrame, selection) : view.frameB(poseFrame, selection);
    const { frame_id, timestamp, processing_time_ms } = whole;
    // Form A's REST endpoints have no filter for keypoints.
    const persons =
      form === 'a' && !selection.keypoints ? whole.persons.map(withoutKeypoints) : whole.persons;
    const metadata = { ...whole.metadata, processing_time_ms };
    return `"timestamp":${JSON.stringify(timestamp)},"data":${JSON.stringify({ frame_id, persons, metadata })}}`;
  }
}

export const poseUpdate = (subscription: string, body: Body): string =>
  `{"type":"pose_update","subscription_id":"${subscription}",${body}`;

const isWanted = (
  { confidence, track }: PoseFrame['persons'][number],
  { person_ids = [], min_confidence = 0 }: PoseFilters,
): boolean => confidence >= min_confidence && track !== null && person_ids.includes(track.id);

const selectionOf = (filters: PoseFilters): PoseSelection => ({
  keypoints: filters.include_keypoints ?? true,
  densePose: filters.include_dense_pose ?? false,
  threeD: filters.include_3d ?? false,
  minConfidence: filters.min_confidence ?? 0,
  persons: filters.person_ids ? new Set(filters.person_ids) : null,
});

function withoutKeypoints(person: { keypoints?: unknown }): object {
  const left = { ...person };
  delete left.keypoints;
  return left;
}

/** Equal for equivalent filters. */
const canonical = (filters: PoseFilters): string =>
  JSON.stringify([
    filters.min_confidence ?? 0,
    filters.person_ids ? [...new Set(filters.person_ids)].sort((a, b) => a - b) : null,
    filters.include_keypoints ?? true,
    filters.include_dense_pose ?? false,
    filters.include_3d ?? false,
  ]);
