import { useSignal } from '@preact/signals';
import { errorText } from '../../../client/errors.js';
import { usePolled } from '../state/poll.js';
import { service } from '../state/session.js';
import { timeText } from '../state/time.js';
import { Problem } from '../parts/problem.js';
import { keysOf } from './accounts.js';
import { AddForm } from './add-form.js';

const EVERY_MS = 30_000;

/** The API keys, for admins. */
export function KeysPanel() {
  const changes = useSignal(0);
  const problem = useSignal('');
  const polled = usePolled(() => keysOf(changes.value), EVERY_MS);
  const keys = polled.value.value?.keys;
  const remove = async (id: string, name: string) => {
    if (!confirm(`Remove the key ${name}? Services that use it are refused from then on.`)) return;
    problem.value = '';
    try {
      await service().rest.DELETE('/auth/api-keys/{id}', { params: { path: { id } } });
    } catch (error) {
      problem.value = errorText(error);
    }
    changes.value++;
  };
  return (
    <section class="card" aria-label="API keys">
      <h2>API keys</h2>
      {keys?.length === 0 && <p class="empty">None.</p>}
      <ul id="keys">
        {keys?.map(({ id, name, role, created_at: created, expires_at: expires }) => (
          <li key={id}>
            <p class="actions">
              <strong>{name}</strong> {role}
              <span class="by">
                made {timeText(created)},{' '}
                {expires === null ? 'does not expire' : `expires ${timeText(expires)}`}
              </span>
              <button type="button" aria-label={`Remove ${name}`} onClick={() => void remove(id, name)}>
                Remove
              </button>
            </p>
          </li>
        ))}
      </ul>
      <Problem text={problem.value || polled.value.problem} />
      <AddForm
        title="Create a key"
        about="For services: they send it as X-API-Key, and have the rights of its role."
        extra={{ name: 'expires_at', label: 'Expires (empty: never)', type: 'datetime-local' }}
        add={async ({ name, role, extra }) => {
          const body = { name, role, expires_at: extra === '' ? null : new Date(extra).toISOString() };
          const { data } = await service().rest.POST('/auth/api-keys', { body });
          changes.value++;
          return { words: `The key ${name}`, secret: data!.data.key };
        }}
      />
    </section>
  );
}
