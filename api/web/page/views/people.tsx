import { poseFramesProblem, type Person } from '../state/connection.js';
import { isOutdated, recording, shownPoseFrame, shownTime } from '../state/past.js';
import { room } from '../state/scene.js';
import { ageText, now } from '../state/time.js';
import { colourName } from '../room/draw.js';

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
    </section>
  );
}

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
