import { useSignal, type ReadonlySignal, type Signal } from '@preact/signals';
import { usePolled, type Polled } from '../state/poll.js';
import { room } from '../state/scene.js';
import { mayAct, service } from '../state/session.js';
import { timeText } from '../state/time.js';
import { Problem } from '../parts/problem.js';
import { errorText } from '../../../client/errors.js';

const EVERY_MS = 2_000;
const SHOWN = 20;

/** @param look counts actions on the letters: each triggers a new request */
async function lettersOf(id: string, look: number) {
  const { data } = await service().rest.GET('/topologies/{id}/dead-letters', {
    params: { path: { id }, query: { per_page: SHOWN } },
  });
  return { ...data!, look };
}

interface Letters {
  readonly letters: ReadonlySignal<Polled<Awaited<ReturnType<typeof lettersOf>>>>;
  /** Counts actions on the letters. */
  readonly done: Signal<number>;
}

/** The oldest dead letters of the displayed room's topology, and how many there are. */
export function useLetters(): Letters {
  const done = useSignal(0);
  const letters = usePolled(() => lettersOf(room.value?.topology ?? '', done.value), EVERY_MS);
  return { letters, done };
}

/** Records that nodes rejected, to inspect, replay or drop. */
export function DeadLetters({ letters, done }: Letters) {
  const wrong = useSignal('');
  const note = useSignal('');
  const { value, problem } = letters.value;
  const attempt = async (work: Promise<string>, succeeded: string) => {
    wrong.value = await work.catch(errorText);
    note.value = wrong.value === '' ? succeeded : '';
    done.value++;
  };
  return (
    <section class="card">
      <h2>Dead letters {value && value.pagination.total > 0 && `(${value.pagination.total})`}</h2>
      <Problem text={problem || wrong.value} />
      <p class="hint" role="status">
        {note}
      </p>
      {value?.data.length === 0 && <p class="empty">None.</p>}
      <ul id="letters">
        {value?.data.map((letter) => (
          <li key={letter.id}>
            <p>
              <time dateTime={letter.at}>{timeText(letter.at)}</time> <strong>{letter.node}</strong> could not
              take a record{letter.port && ` of ${letter.port}`}: {letter.reason} (<code>{letter.code}</code>)
            </p>
            <p class="actions">
              <Record letter={letter.id} />
              {mayAct.value && (
                <>
                  <button
                    type="button"
                    onClick={() => void attempt(replay(letter.id), givenAgain(letter.node))}
                  >
                    Give it once more
                  </button>
                  <button type="button" onClick={() => void attempt(forget(letter.id), '')}>
                    Forget
                  </button>
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

const givenAgain = (node: string): string =>
  `${node} gets the record once more. It leaves this list as soon as ${node} has taken it.`;

/** The record itself, on request. */
function Record({ letter }: { readonly letter: number }) {
  const text = useSignal('');
  const look = async () => {
    try {
      const { data } = await service().rest.GET('/topologies/{id}/dead-letters/{letter}', {
        params: { path: { id: room.value?.topology ?? '', letter: String(letter) } },
      });
      text.value = JSON.stringify(data?.data.record, null, 2);
    } catch (error) {
      text.value = errorText(error);
    }
  };
  return (
    <details onToggle={({ currentTarget }) => currentTarget.open && void look()}>
      <summary>Record</summary>
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}

async function replay(letter: number): Promise<string> {
  const { data } = await service().rest.POST('/topologies/{id}/dead-letters/replay', {
    params: { path: { id: room.value?.topology ?? '' } },
    body: { ids: [letter] },
  });
  const [refused] = data?.data.refused ?? [];
  return refused ? refused.reason : '';
}

async function forget(letter: number): Promise<string> {
  await service().rest.DELETE('/topologies/{id}/dead-letters/{letter}', {
    params: { path: { id: room.value?.topology ?? '', letter: String(letter) } },
  });
  return '';
}
