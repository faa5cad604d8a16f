import { useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import {
  acknowledge,
  alerts,
  alertsProblem,
  areAlertsStored,
  shownClip,
  unseen,
  type Alert,
} from '../state/alerts.js';
import { notificationsProblem, wordsOf } from '../state/announce.js';
import { goToTime } from '../state/past.js';
import { goTo, roomNamed, scene } from '../state/scene.js';
import { mayAct, token } from '../state/session.js';
import { ageText, now, timeText } from '../state/time.js';
import { inWords } from '../parts/in-words.js';
import { errorText } from '../../../client/errors.js';

/** Alerts of the last day, newest first. */
export function AlertsPanel() {
  const count = unseen.value.length;
  return (
    <section aria-label="Alerts">
      <h2>Alerts of the last day {count > 0 && <span class="count">{count} open</span>}</h2>
      <ol id="alerts">
        {alerts.value.map((alert) => (
          <AlertItem key={alert.id} alert={alert} />
        ))}
      </ol>
      {alerts.value.length === 0 && <p class="empty">None.</p>}
      {!areAlertsStored.value && (
        <p class="hint">
          {inWords('No store keeps alerts, so a reload forgets them. A sink such as `duckdb` keeps them.')}
        </p>
      )}
      <p id="alerts-note" class="problem" role="status">
        {alertsProblem}
      </p>
      <p id="notifications-note" class="problem" role="status">
        {notificationsProblem}
      </p>
    </section>
  );
}

function AlertItem({ alert }: { readonly alert: Alert }) {
  const { timestamp, type, severity, confidence, acknowledgement: seen } = alert;
  return (
    <li data-severity={severity} class={seen ? 'seen' : 'open'}>
      <p>
        {(scene.value?.environments.length ?? 0) > 1 && <RoomButton id={alert.environment} />}
        <time dateTime={timestamp}>{timeText(timestamp)}</time> <strong>{wordsOf(type)}</strong> ({severity}),
        confidence {Math.round(confidence * 100)} %{' '}
      </p>
      <p class="actions">
        <button type="button" onClick={() => (shownClip.value = alert)}>
          Show
        </button>
        <button
          type="button"
          onClick={() => {
            goTo({ environment: alert.environment, view: 'room' });
            goToTime(Date.parse(timestamp));
          }}
        >
          Go there
        </button>
        {seen ? (
          <span class="by">
            Acknowledged by {seen.acknowledged_by} at {timeText(seen.acknowledged_at)}
          </span>
        ) : (
          <AcknowledgeButton alert={alert} />
        )}
      </p>
    </li>
  );
}

function RoomButton({ id }: { readonly id: string }) {
  return (
    <button
      type="button"
      class="place"
      onClick={() => {
        goTo({ environment: id, view: 'room' });
      }}
    >
      {roomNamed(id)?.name ?? id}
    </button>
  );
}

function AcknowledgeButton({ alert }: { readonly alert: Alert }) {
  const problem = useSignal('');
  if (!mayAct.value) return <span class="by">Not acknowledged</span>;
  const press = async () => {
    try {
      await acknowledge(alert);
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  return (
    <>
      <button type="button" onClick={() => void press()}>
        Acknowledge
      </button>
      <span class="problem" role="status">
        {problem}
      </span>
    </>
  );
}

/** Unacknowledged alerts come first. */
export function AlarmBanner() {
  const [newest, ...others] = unseen.value;
  return (
    <div role="alert" aria-atomic="true">
      {newest && (
        <div id="alarm" class="banner alarm">
          <p>
            <strong>{wordsOf(newest.type)}</strong> in{' '}
            {roomNamed(newest.environment)?.name ?? newest.environment}, {timeText(newest.timestamp)} (
            <AlertAge alert={newest} /> ago)
            {others.length > 0 && `, and ${others.length} more`}
          </p>
          <p class="actions">
            <button type="button" onClick={() => (shownClip.value = newest)}>
              See what happened
            </button>
            <AcknowledgeButton key={newest.id} alert={newest} />
          </p>
        </div>
      )}
    </div>
  );
}

/** Screen readers do not announce its updates. */
function AlertAge({ alert }: { readonly alert: Alert }) {
  return <span aria-live="off">{ageText(now.value - Date.parse(alert.timestamp))}</span>;
}

/** The clip requires the same credentials as everything else, so it cannot be the URL of an image. */
export function ClipDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const picture = useSignal('');
  const note = useSignal('');
  useSignalEffect(() => {
    const { value } = shownClip;
    picture.value = '';
    note.value = 'Loading…';
    if (!value) return;
    dialog.current?.showModal();
    loadClip(value.clip).then(
      (text) => {
        if (shownClip.peek() !== value) return;
        picture.value = `data:image/svg+xml,${encodeURIComponent(text)}`;
        note.value = '';
      },
      (error: unknown) => {
        if (shownClip.peek() === value) note.value = errorText(error);
      },
    );
  });
  return (
    <dialog id="clip" ref={dialog} aria-label="What happened" onClose={() => (shownClip.value = null)}>
      {picture.value && (
        <img id="clip-image" src={picture} alt="A moving skeleton of the seconds around the alert" />
      )}
      <p id="clip-note" role="status">
        {note}
      </p>
      <form method="dialog" class="actions">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

/** @throws Error if the history has no pose frames for it */
async function loadClip(path: string): Promise<string> {
  const response = await fetch(path, { headers: { Authorization: `Bearer ${token.peek()}` } });
  if (!response.ok) throw new Error('The history has no pictures of this alert (yet).');
  return response.text();
}
