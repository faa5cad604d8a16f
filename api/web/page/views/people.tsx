import { poseFramesProblem, type Person } from '../state/connection.js';
import { isOutdated, recording, shownPoseFrame, shownTime } from '../state/past.js';
import { hasPoses, motion } from '../state/motion.js';
import { room } from '../state/scene.js';
import { ageText, now } from '../state/time.js';
import { colourName } from '../room/draw.js';
import { inWords } from '../parts/in-words.js';

/** Positions and activities of people, in words. */
export function People() {
  const shown = shownPoseFrame.value;
  const stale = shown !== null && isOutdated.value;
  return (
    <section aria-label="People">
      <h2>
        People{' '}
        <span id="people-age" class="age">
          {stale && `as of ${ageText(now.value - shown.time)} ago`}
        </span>
      </h2>
      <ul id="people" class={stale ? 'stale' : ''}>
        {shown?.persons.map((person) => (
          <li key={person.person_id} style={{ borderColor: `var(${colourName(person.person_id)})` }}>
            {describe(person)}
          </li>
        ))}
        {shown?.persons.length === 0 && <li>Nobody is seen.</li>}
        {shownTime.value === null
          ? poseFramesProblem.value && <li class="problem">{poseFramesProblem}</li>
          : !shown && recording.value && <li>Nothing is stored of this moment.</li>}
      </ul>
      {!hasPoses.value && shownTime.value === null && <WithoutPoses />}
    </section>
  );
}

/** What there is if no poses arrive: motion and presence, and what would give more. */
function WithoutPoses() {
  const heard = motion.value;
  return (
    <>
      {heard && (
        <p id="motion" class={isOutdated.value ? 'stale' : ''}>
          {PRESENCE[String(heard.isPresent) as keyof typeof PRESENCE]}: {Math.round(100 * heard.probability)}{' '}
          % likely. Motion: {heard.motion.toFixed(2)} (0 to 1).
        </p>
      )}
      <p class="hint">{inWords(MISSING[room.value?.poses === 'unsent' ? 'unsent' : 'none'])}</p>
    </>
  );
}

const PRESENCE = {
  true: 'Somebody is there',
  false: 'Nobody is noticed',
  null: 'Not known yet whether somebody is there',
} as const;

const MISSING = {
  none: 'This topology infers no poses, so nobody is drawn. The operators `infer-pose` and `track-persons` say who is where.',
  unsent:
    'This topology sends no poses to this page, so nobody is drawn: a `websocket` sink that reads them does.',
} as const;

const describe = ({ person_id, posture, position, position_error = 0, articulated }: Person): string =>
  `${person_id === 0 ? 'Somebody' : `Person ${person_id}`}, ${posture ?? 'posture unknown'}` +
  (position
    ? `, at ${position.x.toFixed(1)} / ${position.y.toFixed(1)} m, give or take ${position_error.toFixed(1)} m`
    : '') +
  (articulated === false ? '; too uncertain for a skeleton' : '');

export function Notes() {
  const notes = [
    ...(shownPoseFrame.value ? [`Model: ${shownPoseFrame.value.model}.`] : []),
    ...(room.value?.assumed ?? []).map((note) => `Assumed: ${note}`),
  ];
  return (
    <section aria-label="What to know">
      <h2>What to know</h2>
      <ul id="notes">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}
