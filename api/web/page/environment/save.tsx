import { useEffect, useRef } from 'preact/hooks';
import { linesChanged } from './lines.js';
import { isBusy, planned, save, type EnvironmentPlan } from './editing.js';

/** What saving would do, before it is done. */
export function SaveDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const ready = planned.value;
  useEffect(() => {
    if (ready && !dialog.current!.open) dialog.current!.showModal();
    if (!ready) dialog.current!.close();
  }, [ready]);
  return (
    <dialog id="save" ref={dialog} aria-labelledby="save-title" onClose={() => (planned.value = null)}>
      {ready && (
        <>
          <h2 id="save-title">Save {ready.file.file}?</h2>
          <Changes plan={ready.plan} topology={ready.file.topology} />
          <pre class="lines" tabIndex={0} aria-label="Lines of the file that change">
            {linesChanged(ready.file.text, ready.text).map(({ sign, number, text }, index) => (
              <code key={index} class={sign === '+' ? 'new' : 'old'}>
                {sign} {String(number).padStart(4)} {text}
                {'\n'}
              </code>
            ))}
          </pre>
          <div class="actions">
            <button type="button" class="primary" disabled={isBusy.value} onClick={() => void save()}>
              {isBusy.value ? 'Saving' : 'Save and apply'}
            </button>
            <button type="button" onClick={() => (planned.value = null)}>
              Cancel
            </button>
          </div>
        </>
      )}
    </dialog>
  );
}

/** `zone bed` of `zones/bed`; walls have no names, and are counted from 1. */
const nameOf = (part: string): string =>
  part
    .replace(/^(link|zone|wall)s\//, '$1 ')
    .replace(/^wall (\d+)$/, (_, index) => `wall ${Number(index) + 1}`);

function Changes({ plan, topology }: { readonly plan: EnvironmentPlan; readonly topology: string }) {
  const nodes = plan.changes.filter(({ change }) => change !== 'unchanged');
  const moved = plan.environment.some(({ part }) => part.startsWith('links/') || part === 'size');
  return (
    <>
      {plan.environment.length === 0 && <p>Only comments or spaces change: nothing restarts.</p>}
      <ul>
        {plan.environment.map(({ part, change, fields }) => (
          <li key={part}>
            <strong>{nameOf(part)}</strong> {change}
            {fields.length > 0 && `: ${fields.join(', ')}`}
          </li>
        ))}
        {nodes.map(({ node, change, fields }) => (
          <li key={node}>
            Node <strong>{node}</strong> {change}
            {fields.length > 0 && `: ${fields.join(', ')}`}, because the topology's file was changed, too
          </li>
        ))}
      </ul>
      {plan.environment.length > 0 && (
        <p class="hint">
          {topology} takes a checkpoint, stops, and continues with the new room. Nobody is watched meanwhile.
          {moved && ' A calibration describes the links as they were: measure the empty room again.'}
        </p>
      )}
    </>
  );
}
