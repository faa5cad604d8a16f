import { computed, signal } from '@preact/signals';
import { announce } from './announce.js';
import { service } from './session.js';
import type { ServerMessages } from '../../../client/index.js';

export interface Acknowledgement {
  readonly acknowledged_by: string;
  readonly acknowledged_at: string;
}

export interface Alert {
  readonly id: string;
  readonly timestamp: string;
  readonly type: string;
  readonly severity: string;
  readonly environment: string;
  readonly person: number | null;
  readonly confidence: number;
  readonly location: { readonly x: number; readonly y: number } | null;
  /** Path of the animation. */
  readonly clip: string;
  /** Arrival at the page, milliseconds since 1970; null: it was stored before. */
  readonly heardAt: number | null;
  readonly acknowledgement: Acknowledgement | null;
}

const SHOWN = 100;

/** Alerts of the last day, in all rooms, newest first. */
export const alerts = signal<readonly Alert[]>([]);
/** The reason why the list may be incomplete. */
export const alertsProblem = signal('');
/** Whether a topology stores alerts: otherwise there are none from before the page was opened. */
export const areAlertsStored = signal(true);
/** The alert whose clip is displayed. */
export const shownClip = signal<Alert | null>(null);

export const unseen = computed(() => alerts.value.filter(({ acknowledgement }) => acknowledgement === null));

/** Loads stored alerts of a room; null: of all. @throws ServiceError if the store of one does not answer */
export async function loadAlerts(room: string | null): Promise<void> {
  const { data } = await service().rest.GET('/alerts', {
    params: { query: { limit: SHOWN, ...(room !== null && { environment_id: room }) } },
  });
  for (const stored of data?.data ?? [])
    add({
      id: stored.alert_id,
      timestamp: stored.timestamp,
      type: stored.alert_type,
      severity: stored.severity,
      environment: stored.environment_id,
      person: stored.person_id,
      confidence: stored.confidence,
      location: stored.location,
      clip: stored.video_clip_url,
      heardAt: null,
      acknowledgement: stored.acknowledgement,
    });
}

export function hearAlert({
  alert_id,
  timestamp,
  alert_type,
  severity,
  data,
  environment_id,
}: ServerMessages['alert']): void {
  const heard = {
    id: alert_id,
    timestamp,
    type: alert_type,
    severity,
    environment: environment_id ?? '',
    person: data.person_id,
    confidence: data.confidence,
    location: data.location,
    clip: data.video_clip_url,
    heardAt: Date.now(),
    acknowledgement: null,
  };
  if (add(heard)) announce(heard);
}

export function hearAcknowledgement({
  alert_id,
  acknowledged_by,
  acknowledged_at,
}: ServerMessages['alert_acknowledged']): void {
  change(alert_id, { acknowledgement: { acknowledged_by, acknowledged_at } });
}

/** @throws ServiceError if the service rejects it */
export async function acknowledge({ id, timestamp }: Alert): Promise<void> {
  const { data } = await service().rest.POST('/alerts/{timestamp}/{alert_id}/acknowledgement', {
    params: { path: { timestamp, alert_id: id } },
  });
  if (data) change(id, { acknowledgement: data.data });
}

/** Returns false for a known alert, which may have been acknowledged meanwhile. */
function add(alert: Alert): boolean {
  if (alerts.value.some(({ id }) => id === alert.id)) {
    if (alert.acknowledgement) change(alert.id, { acknowledgement: alert.acknowledgement });
    return false;
  }
  alerts.value = [...alerts.value, alert]
    .sort((one, other) => (one.timestamp < other.timestamp ? 1 : -1))
    .slice(0, SHOWN);
  return true;
}

function change(id: string, changed: Partial<Alert>): void {
  alerts.value = alerts.value.map((alert) => (alert.id === id ? { ...alert, ...changed } : alert));
}
