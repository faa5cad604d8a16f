import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { room } from '../state/scene.js';
import { mayAct } from '../state/session.js';
import { Problem } from '../parts/problem.js';
import { errorText } from '../../../client/errors.js';
import { add, middle, type Tool } from '../environment/adding.js';
import { CoverageChoice } from '../environment/coverage-choice.js';
import { CalibrationStep } from './calibration.js';
import type { Draft } from '../environment/draft.js';
import { Drawing } from '../environment/drawing.js';
import {
  check,
  draft,
  editing,
  isBusy,
  isChanged,
  isOvertaken,
  message,
  open,
  problem,
  redo,
  undo,
  unreadable,
  wantedSender,
} from '../environment/editing.js';
import { Form } from '../environment/form.js';
import { Parts } from '../environment/parts.js';
import { SaveDialog } from '../environment/save.js';
import { findSenders } from '../environment/senders.js';
import '../environment/environment.css';

/** The room's environment file, drawn and as numbers. */
export function EnvironmentEditor() {
  const { value: shown } = room;
  useEffect(() => {
    if (!mayAct.value) return;
    void open().then(addWanted);
    findSenders().catch((error: unknown) => (problem.value = errorText(error)));
  }, [shown?.id]);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (isChanged.peek()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => {
      removeEventListener('beforeunload', warn);
    };
  }, []);
  if (!mayAct.value)
    return (
      <section class="card">
        <h2>Edit the room</h2>
        <p class="empty">Only the roles operator and admin may change a room.</p>
      </section>
    );
  const { value: now } = draft;
  return (
    <>
      <section class="card" id="environment-editor">
        <h2>Edit {shown?.name}</h2>
        <Problem text={problem.value || unreadable.value} />
        {isOvertaken.value && (
          <p class="actions">
            <button type="button" onClick={() => void open(true)}>
              Read it again, without my changes
            </button>
          </p>
        )}
        <p id="editor-message" class="good" role="status">
          {message}
        </p>
        {now && <Editor now={now} />}
        <SaveDialog />
      </section>
      {now && <CalibrationStep key={shown?.id} />}
    </>
  );
}

/** Adds the link of an unknown sender that the Links view asked for. */
function addWanted(): void {
  const { value: now } = draft;
  const { value: sender } = wantedSender;
  wantedSender.value = null;
  if (!now || sender === null) return;
  add('link', middle(now), middle(now), sender);
  message.value = `A link of ${sender} was added in the middle: move its devices to their places, and save.`;
}

const TOOLS = { zone: 'Add zone', link: 'Add link', wall: 'Add wall' } as const;
const HINTS = {
  move: 'Drag what you want to move, or select it and change its numbers.',
  zone: 'Drag over the floor from one corner of the zone to the opposite one.',
  link: 'Drag from the transmitter to the receiver.',
  wall: 'Drag from one end of the wall to the other.',
} as const;

function Editor({ now }: { readonly now: Draft }) {
  const tool = useSignal<Tool>('move');
  return (
    <>
      <div class="actions" role="toolbar" aria-label="Tools">
        {(['zone', 'link', 'wall'] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={tool.value === one}
            onClick={({ detail }) => {
              // By key there is nothing to drag with.
              if (detail === 0) add(one, middle(now), middle(now));
              else tool.value = tool.value === one ? 'move' : one;
            }}
          >
            {TOOLS[one]}
          </button>
        ))}
        <button type="button" disabled={(editing.value?.before.length ?? 0) === 0} onClick={undo}>
          Undo
        </button>
        <button type="button" disabled={(editing.value?.after.length ?? 0) === 0} onClick={redo}>
          Redo
        </button>
        <button
          type="button"
          class="primary"
          disabled={!isChanged.value || isBusy.value}
          onClick={() => void check()}
        >
          Check and save
        </button>
      </div>
      <p class="hint">{HINTS[tool.value]}</p>
      <div class="editor">
        <div>
          <Drawing now={now} tool={tool} />
          <CoverageChoice />
        </div>
        <div class="numbers">
          <Parts now={now} />
          <Form now={now} />
        </div>
      </div>
    </>
  );
}
