import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { errorText } from '../../../client/errors.js';
import { isAdmin } from '../state/session.js';
import { inWords } from '../parts/in-words.js';
import { Problem } from '../parts/problem.js';
import { PlanTable } from './plan-table.js';
import './planning.css';
import {
  applyPlan,
  indexOf,
  mistakesIn,
  planOf,
  type Mistake,
  type TextLocation,
  type Plan,
} from './plans.js';
import { TextArea } from './text-area.js';

interface Outcome {
  readonly plan: Plan | null;
  readonly mistakes: readonly Mistake[];
  /** What concerns no place of the text. */
  readonly problem: string;
  readonly done: string;
}

const NOTHING: Outcome = { plan: null, mistakes: [], problem: '', done: '' };

/** Plans a new file for a topology, and applies it. */
export function Planning({ topology }: { readonly topology: string }) {
  const text = useSignal('');
  const busy = useSignal(false);
  const outcome = useSignal<Outcome>(NOTHING);
  const area = useRef<HTMLTextAreaElement>(null);
  const { plan, mistakes, problem, done } = outcome.value;
  const attempt = async (work: () => Promise<Partial<Outcome>>) => {
    busy.value = true;
    try {
      outcome.value = { ...NOTHING, ...(await work()) };
    } catch (error) {
      const found = mistakesIn(error, text.value);
      outcome.value = { ...NOTHING, mistakes: found, problem: found.length > 0 ? '' : errorText(error) };
    } finally {
      busy.value = false;
    }
  };
  const look = () => attempt(() => planned(topology, text));
  const apply = (hash: string) =>
    attempt(async () => {
      await applyPlan(topology, text.value, hash);
      return { done: `Applied. ${topology} continues with the new file.` };
    });
  const edit = (next: string): void => {
    text.value = next;
    // A plan is one of its text.
    outcome.value = NOTHING;
  };
  return (
    <section id="planning" class="card" aria-label="Change the topology">
      <h2>Change the topology</h2>
      <p class="hint">
        Paste the whole new file of {topology}, or choose it. A plan changes nothing. A topology that was
        given to <code>csiflow run</code> starts again with its own file: save the change there, too.
      </p>
      <Actions
        isReady={!busy.value && text.value !== ''}
        plan={plan}
        edit={edit}
        look={() => void look()}
        apply={(hash) => void apply(hash)}
      />
      <TextArea area={area} text={text.value} mistakes={mistakes} edit={edit} />
      <Mistakes
        mistakes={mistakes}
        show={(place) => {
          if (area.current) select(area.current, place);
        }}
      />
      <Problem text={problem} />
      <div role="status">
        {busy.value && <p>Working…</p>}
        {done && <p>{done}</p>}
        {plan && <PlanTable plan={plan} />}
        {plan && !isAdmin.value && <p class="hint">Only an admin can apply it.</p>}
      </div>
    </section>
  );
}

/** The plan of a text, unless that is changed meanwhile: what is applied must be what was planned. */
async function planned(topology: string, text: ReadonlySignal<string>): Promise<Partial<Outcome>> {
  const { value: asked } = text;
  const plan = await planOf(topology, asked);
  return asked === text.value ? { plan } : { problem: 'The text was changed meanwhile: plan again.' };
}

/** Puts the caret at a place, in the middle of the area. */
function select(area: HTMLTextAreaElement, place: TextLocation): void {
  const at = indexOf(area.value, place);
  area.focus();
  area.setSelectionRange(at, at + 1);
  const lines = area.value.split('\n').length;
  area.scrollTop = (area.scrollHeight * (place.line - 1)) / lines - area.clientHeight / 2;
  area.scrollLeft = 0;
}

interface ActionsProps {
  readonly isReady: boolean;
  readonly plan: Plan | null;
  readonly edit: (text: string) => void;
  readonly look: () => void;
  readonly apply: (hash: string) => void;
}

function Actions({ isReady, plan, edit, look, apply }: ActionsProps) {
  return (
    <p class="actions">
      <input
        type="file"
        aria-label="File of the topology"
        accept=".yaml,.yml"
        onChange={({ currentTarget: { files } }) => {
          void files?.[0]?.text().then(edit);
        }}
      />
      <button type="button" disabled={!isReady} onClick={look}>
        Plan
      </button>
      {plan && isAdmin.value && (
        <button
          type="button"
          class="primary"
          disabled={!isReady}
          onClick={() => {
            apply(plan.hash);
          }}
        >
          Apply this plan
        </button>
      )}
    </p>
  );
}

interface MistakesProps {
  readonly mistakes: readonly Mistake[];
  readonly show: (place: TextLocation) => void;
}

function Mistakes({ mistakes, show }: MistakesProps) {
  if (mistakes.length === 0) return null;
  return (
    <ul id="mistakes" role="alert">
      {mistakes.map(({ place, message, suggestion }) => (
        <li key={`${place?.line} ${place?.column} ${message}`}>
          {place && (
            <button
              type="button"
              onClick={() => {
                show(place);
              }}
            >
              Line {place.line}, column {place.column}
            </button>
          )}{' '}
          {inWords(message)}.
          {suggestion !== null && (
            <>
              {' '}
              Did you mean <code>{suggestion}</code>?
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
