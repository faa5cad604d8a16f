import { engine, framesProblem, isAway, type Person } from '../state/connection.js';
import { isOutdated, recording, shownFrame, shownTime } from '../state/past.js';
import { room, scene } from '../state/scene.js';
import { ageText, now } from '../state/time.js';
import { colourName } from '../room/draw.js';

/** The service reports its status at each change, and every few seconds. */
const ENGINE_STALE_MS = 15_000;

/** Positions and activities of people, in words. */
export function People() {
  const shown = shownFrame.value;
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
          ? framesProblem.value && <li class="problem">{framesProblem}</li>
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

export function Engine() {
  const shown = engine.value;
  const silent = shown !== null && (isAway.value || now.value - shown.at > ENGINE_STALE_MS);
  const rows = shown
    ? {
        Health: silent ? `${shown.system_health}, then` : shown.system_health,
        'Poses a second': shown.processing_fps.toFixed(1),
        'People followed': shown.active_persons,
      }
    : {};
  return (
    <section aria-label="Engine">
      <h2>
        {engineTitle()}{' '}
        <span id="engine-age" class="age">
          {silent && `as of ${ageText(now.value - shown.at)} ago`}
        </span>
      </h2>
      <dl id="engine" class={silent ? 'stale' : ''}>
        {Object.entries(rows).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Its figures are those of the main topology, whose rooms are listed first. */
function engineTitle(): string {
  const topologies = new Set(scene.value?.environments.map(({ topology }) => topology));
  return topologies.size > 1 ? `Engine of ${[...topologies][0]}` : 'Engine';
}

export function Notes() {
  const notes = [
    ...(shownFrame.value ? [`Model: ${shownFrame.value.model}.`] : []),
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
