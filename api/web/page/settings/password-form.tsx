import { useSignal } from '@preact/signals';
import { textOf } from '../parts/text-of.js';
import { complaintsOf } from './errors.js';

const MIN_LENGTH = 8;

interface PasswordFormProps {
  readonly user: string;
  /** @throws ServiceError */
  readonly set: (password: string) => Promise<void>;
}

/** A new password for a user, behind a line that opens. */
export function PasswordForm({ user, set }: PasswordFormProps) {
  const note = useSignal('');
  const problem = useSignal('');
  const save = async (form: HTMLFormElement) => {
    note.value = problem.value = '';
    try {
      await set(textOf(form, 'password'));
      form.reset();
      note.value = 'The password is changed.';
    } catch (error) {
      const { fields, text } = complaintsOf(error);
      problem.value = fields.get('password') ?? text;
    }
  };
  const id = `password-${user}`;
  return (
    <details>
      <summary>New password for {user}</summary>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault();
          void save(event.currentTarget);
        }}
      >
        <label for={id}>Password, at least {MIN_LENGTH} characters</label>
        <input
          id={id}
          name="password"
          type="password"
          autocomplete="new-password"
          minLength={MIN_LENGTH}
          required
        />
        <button type="submit">Set</button>
        <span role="status">{note}</span>
        <span class="problem" role="alert">
          {problem}
        </span>
      </form>
    </details>
  );
}
