import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { errorText } from '../../../client/errors.js';
import { isAdmin, mayAct, service } from '../state/session.js';
import { Problem } from '../parts/problem.js';
import { loadSettings, type Settings } from './fields.js';
import { GroupForm } from './group-form.js';

/** Forms made from `/config/schema`. */
export function Configuration() {
  const settings = useSignal<Settings | null>(null);
  const problem = useSignal('');
  const waits = useSignal(false);
  const load = async () => {
    try {
      settings.value = await loadSettings();
      problem.value = '';
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  useEffect(() => void load(), []);
  return (
    <>
      <p class="hint">
        {isAdmin.value
          ? 'These values override the topology file, and survive restarts.'
          : 'Only an admin can change these values.'}
      </p>
      {waits.value && <Restart restarted={() => (waits.value = false)} />}
      <Problem text={problem.value} />
      {problem.value !== '' && (
        <button type="button" onClick={() => void load()}>
          Load again
        </button>
      )}
      <div class="settings">
        {settings.value?.groups.map((group) => (
          <GroupForm
            key={`${group.form} ${group.title}`}
            group={group}
            tag={settings.value!.tag}
            saved={async (requiresRestart) => {
              if (requiresRestart) waits.value = true;
              await load();
            }}
            reload={load}
          />
        ))}
      </div>
    </>
  );
}

function Restart({ restarted }: { readonly restarted: () => void }) {
  const problem = useSignal('');
  const restart = async () => {
    if (!confirm('Restart the topology? Nobody is watched meanwhile.')) return;
    try {
      await service().rest.POST('/system/restart', {});
      restarted();
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  return (
    <section class="card" aria-label="Restart">
      <p class="actions">
        Some saved values take effect at the next start.
        {mayAct.value && (
          <button type="button" onClick={() => void restart()}>
            Restart now
          </button>
        )}
      </p>
      <Problem text={problem.value} />
    </section>
  );
}
