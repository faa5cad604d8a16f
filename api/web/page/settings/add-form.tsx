import { useSignal } from '@preact/signals';
import type { Role } from './accounts.js';
import { complaintsOf, NO_COMPLAINTS, type Complaints } from './errors.js';
import { textOf } from '../parts/text-of.js';
import { RoleChoice } from './role-choice.js';

interface Asked {
  readonly name: string;
  readonly role: Role;
  readonly extra: string;
}

/** Something that the service shows only once. */
interface Secret {
  readonly words: string;
  readonly secret: string;
}

interface AddFormProps {
  readonly title: string;
  readonly about: string;
  /** A field besides name and role. */
  readonly extra: {
    readonly name: string;
    readonly label: string;
    readonly type: 'password' | 'datetime-local';
    readonly minLength?: number;
  };
  /** Returns what must be shown; null if there is nothing. @throws ServiceError */
  readonly add: (asked: Asked) => Promise<Secret | null>;
}

const NAME = '[A-Za-z0-9_.@\\-]{1,64}';

/** Adds a user or a key. */
export function AddForm({ title, about, extra, add }: AddFormProps) {
  const role = useSignal<Role>('viewer');
  const secret = useSignal<Secret | null>(null);
  const complaints = useSignal<Complaints>(NO_COMPLAINTS);
  const save = async (form: HTMLFormElement) => {
    const text = (name: string): string => textOf(form, name);
    secret.value = null;
    complaints.value = NO_COMPLAINTS;
    try {
      secret.value = await add({ name: text('name'), role: role.value, extra: text(extra.name) });
      form.reset();
    } catch (error) {
      complaints.value = complaintsOf(error);
    }
  };
  const { fields, text } = complaints.value;
  return (
    <form
      class="add"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        void save(event.currentTarget);
      }}
    >
      <h3>{title}</h3>
      <p class="hint">{about}</p>
      <label>
        Name <input name="name" pattern={NAME} title="1 to 64 letters, digits and _ . @ -" required />
      </label>
      <span class="label">
        Role <RoleChoice label="Role" role={role.value} choose={(next) => (role.value = next)} />
      </span>
      <label>
        {extra.label}{' '}
        <input
          name={extra.name}
          type={extra.type}
          minLength={extra.minLength}
          autocomplete={extra.type === 'password' ? 'new-password' : 'off'}
        />
      </label>
      <button type="submit">{title}</button>
      <p class="problem" role="alert">
        {[...[...fields].map(([field, reason]) => `${field}: ${reason}`), text].filter(Boolean).join('. ')}
      </p>
      <p role="status">
        {secret.value && (
          <>
            {secret.value.words} is <code class="secret">{secret.value.secret}</code>. It is shown only now:
            store it.
          </>
        )}
      </p>
    </form>
  );
}
