import { useSignal } from '@preact/signals';
import { errorText } from '../../../client/errors.js';
import { usePolled } from '../state/poll.js';
import { room } from '../state/scene.js';
import { service } from '../state/session.js';
import { Problem } from '../parts/problem.js';

const EVERY_MS = 1_000;
const SECONDS = 60;

const pathOf = () => ({ params: { path: { environment_id: room.value?.id ?? '' } } });

async function calibrationOf() {
  const { data } = await service().rest.GET('/environments/{environment_id}/calibration', pathOf());
  return data!.data;
}
type Calibration = Awaited<ReturnType<typeof calibrationOf>>;

/** Measuring the empty room, and then one person who walks about in it. */
export function CalibrationStep() {
  const polled = usePolled(calibrationOf, EVERY_MS);
  const problem = useSignal('');
  const { value: now } = polled.value;
  const act = async (work: () => Promise<unknown>) => {
    problem.value = '';
    try {
      await work();
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  const { rest } = service();
  const start = (who: Calibration['who']) =>
    act(() =>
      rest.POST('/environments/{environment_id}/calibration', {
        ...pathOf(),
        body: { seconds: SECONDS, who },
      }),
    );
  const save = () => act(() => rest.POST('/environments/{environment_id}/calibration/save', pathOf()));
  const cancel = () => act(() => rest.DELETE('/environments/{environment_id}/calibration', pathOf()));
  return (
    <section class="card" id="calibration">
      <h2>Measure the room</h2>
      <Problem text={problem.value || polled.value.problem || (now?.problem ?? '')} />
      {now?.state === 'measuring' ? <Progress now={now} /> : <Before />}
      {now && now.state !== 'none' && <Found now={now} />}
      {now && (
        <div class="actions">
          {now.state === 'measured' && (
            <button type="button" onClick={() => void start(now.who)}>
              Measure again
            </button>
          )}
          {['none', 'saved', 'failed'].includes(now.state) && <Starts now={now} start={start} />}
          {now.state === 'measured' && (
            <button type="button" class={isFit(now) ? 'primary' : ''} onClick={() => void save()}>
              Use it
            </button>
          )}
          {(now.state === 'measuring' || now.state === 'measured') && (
            <button type="button" onClick={() => void cancel()}>
              Cancel
            </button>
          )}
        </div>
      )}
    </section>
  );
}

interface Startable {
  readonly now: Calibration;
  readonly start: (who: Calibration['who']) => Promise<void>;
}

function Starts({ now, start }: Startable) {
  const primary = nextOf(now);
  return (
    <>
      <button
        type="button"
        class={primary === 'nobody' ? 'primary' : ''}
        onClick={() => void start('nobody')}
      >
        The room is empty: measure for {SECONDS} s
      </button>
      <button
        type="button"
        class={primary === 'walker' ? 'primary' : ''}
        onClick={() => void start('walker')}
      >
        One person walks: measure for {SECONDS} s
      </button>
    </>
  );
}

/** A walker has to be noticed; in an empty room, nobody. */
const isFit = ({ who, presence_seconds: presence }: Calibration): boolean =>
  who === 'walker' || presence === 0;

/** What to measure next: after the empty room, somebody who walks; what failed, again; null: nothing is left. */
function nextOf({ state, who }: Calibration): Calibration['who'] | null {
  if (state === 'none') return 'nobody';
  if (state === 'failed') return who;
  return who === 'nobody' ? 'walker' : null;
}

function Before() {
  return (
    <>
      <Empty />
      <p class="hint">
        Then let one person walk about, all over the room and without a pause, while nobody else is in it.
        csiflow learns how strongly people change the signals here, and counts them better. Repeat that after
        you moved a device or changed the size of the room, not because of furniture.
      </p>
    </>
  );
}

function Empty() {
  return (
    <p class="hint">
      With a measurement of the empty room, postures and the times of a day are more accurate. Empty means: no
      person and no pet, doors and furniture as usual, fans and curtains still. Leave, close the door, and
      stay away until it has ended. Measure again after you moved a device or rebuilt the room: a measurement
      of another room may report somebody in an empty one.
    </p>
  );
}

function Progress({ now: { who, heard_seconds: heard, seconds } }: { readonly now: Calibration }) {
  return (
    <p>
      <label>
        {who === 'walker' ? 'Walk about the room:' : 'Stay out of the room:'}{' '}
        <progress max={seconds} value={heard}>
          {heard.toFixed(0)} s
        </progress>{' '}
        {heard.toFixed(0)} of {seconds} s
      </label>
    </p>
  );
}

function Found({ now }: { readonly now: Calibration }) {
  const { who, links, state, file, echo_db: echo, reduced_db: reduced } = now;
  const presence = who === 'nobody' ? now.presence_seconds : null;
  const silent = links.filter(({ heard }) => !heard);
  return (
    <>
      {presence !== null && presence > 0 && (
        <p class="problem" role="status">
          Somebody or something moved in {presence} of the seconds: the room was not empty. Measure again.
        </p>
      )}
      {presence === 0 && state !== 'measuring' && <p role="status">Nobody moved.</p>}
      {state !== 'measuring' && silent.length > 0 && (
        <p class="problem">{silentText(who, silent.map(({ id }) => id).join(', '))}</p>
      )}
      {echo !== null && reduced !== null && <p role="status">{echoText(echo, reduced)}</p>}
      <Problem text={now.doubt ?? ''} />
      {state !== 'measuring' && who === 'nobody' && (
        <ul>
          {links
            .filter(({ heard }) => heard)
            .map(({ id, change_db: change }) => (
              <li key={id}>
                <strong>{id}</strong>: {changeText(change)}
              </li>
            ))}
        </ul>
      )}
      {state === 'saved' && (
        <p class="good" role="status">
          Saved as {file}. The topology has started again with it.
        </p>
      )}
    </>
  );
}

const silentText = (who: Calibration['who'], links: string): string =>
  who === 'walker'
    ? `Not measured, for want of frames or of RSSI: ${links}.`
    : `No frames arrived from ${links}: their former profiles stay.`;

const echoText = (echo: number, reduced: number): string =>
  `Here, people change the signals ${Math.abs(echo).toFixed(1)} dB ${echo < 0 ? 'less' : 'more'} than in the rooms that csiflow learnt from.${reduced === 0 ? ' So small a difference changes nothing.' : ` It will reduce changes by ${reduced.toFixed(1)} dB.`}`;

const changeText = (change: number | null): string =>
  change === null ? 'measured for the first time' : `${change.toFixed(1)} dB from the former measurement`;
