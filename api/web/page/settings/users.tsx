import { useSignal } from '@preact/signals';
import { usePolled } from '../state/poll.js';
import { logOut, service, userName } from '../state/session.js';
import { Problem } from '../parts/problem.js';
import { ROLES, usersOf, type Role, type User } from './accounts.js';
import { AddForm } from './add-form.js';
import { complaintsOf } from './errors.js';
import { PasswordForm } from './password-form.js';
import { RoleChoice } from './role-choice.js';

const EVERY_MS = 30_000;

/** The users who may log in, for admins. */
export function UsersPanel() {
  const changes = useSignal(0);
  const problem = useSignal('');
  const users = usePolled(() => usersOf(changes.value), EVERY_MS);
  /** @throws ServiceError */
  const change = async (work: () => Promise<unknown>) => {
    await work();
    changes.value++;
  };
  const attempt = (work: () => Promise<unknown>): void => {
    problem.value = '';
    change(work).catch((error: unknown) => {
      const { fields, text } = complaintsOf(error);
      problem.value = [text, ...fields.values()].filter(Boolean).join('. ');
      changes.value++;
    });
  };
  return (
    <section class="card" aria-label="Users">
      <h2>Users</h2>
      <ul id="users">
        {users.value.value?.users.map((user) => (
          <UserItem key={user.name} user={user} attempt={attempt} change={change} />
        ))}
      </ul>
      <Problem text={problem.value || users.value.problem} />
      <AddForm
        title="Add a user"
        about={`${ROLES[0]} sees everything, ${ROLES[1]} also controls topologies, ${ROLES[2]} also changes settings and users.`}
        extra={{ name: 'password', label: 'Password (empty: one is made)', type: 'password', minLength: 8 }}
        add={async ({ name, role, extra }) => {
          let made = '';
          await change(async () => {
            const body = { name, role, ...(extra !== '' && { password: extra }) };
            const { data } = await service().rest.POST('/auth/users', { body });
            made = data!.data.password;
          });
          return extra === '' ? { words: `The password of ${name}`, secret: made } : null;
        }}
      />
    </section>
  );
}

interface UserItemProps {
  readonly user: User;
  readonly attempt: (work: () => Promise<unknown>) => void;
  readonly change: (work: () => Promise<unknown>) => Promise<void>;
}

function UserItem({ user: { name, role }, attempt, change }: UserItemProps) {
  const isSelf = name === userName.value;
  const put = (body: { role?: Role; password?: string }) =>
    service().rest.PUT('/auth/users/{name}', { params: { path: { name } }, body });
  const remove = () => {
    if (!confirm(`Remove ${name}? All sessions of ${name} end.`)) return;
    attempt(() => service().rest.DELETE('/auth/users/{name}', { params: { path: { name } } }));
  };
  return (
    <li>
      <p class="actions">
        <strong>{name}</strong> {isSelf && <span class="by">you</span>}
        <RoleChoice
          label={`Role of ${name}`}
          role={role}
          choose={(next) => {
            attempt(() => put({ role: next }));
          }}
        />
        <button type="button" aria-label={`Remove ${name}`} disabled={isSelf} onClick={remove}>
          Remove
        </button>
      </p>
      <PasswordForm
        user={name}
        set={async (password) => {
          await change(() => put({ password }));
          // A new password ends all sessions, this one too.
          if (isSelf) logOut('Your password is changed: log in with the new one.');
        }}
      />
    </li>
  );
}
