import { useSignal } from '@preact/signals';
import { ServiceError } from '../../../client/errors.js';
import { isAdmin } from '../state/session.js';
import { Problem } from '../parts/problem.js';
import { complaintsOf, NO_COMPLAINTS, type Complaints } from './errors.js';
import { FieldRow } from './field-row.js';
import { saveFields, type Group, type Value } from './fields.js';

interface GroupFormProps {
  readonly group: Group;
  readonly tag: string;
  /** @param requiresRestart whether the running system does not match the change yet */
  readonly saved: (requiresRestart: boolean) => Promise<void>;
  readonly reload: () => Promise<void>;
}

const OLD =
  'Somebody else has changed the configuration meanwhile. Your values are still in the fields; the others are new. Save again to keep yours.';

/** Fields that are saved together, all or none. */
export function GroupForm({ group: { form, title, fields }, tag, saved, reload }: GroupFormProps) {
  const edited = useSignal<ReadonlyMap<string, Value>>(new Map());
  const complaints = useSignal<Complaints>(NO_COMPLAINTS);
  const done = useSignal('');
  const changes = changesOf(fields, edited.value);
  const save = async () => {
    done.value = '';
    try {
      const requiresRestart = await saveFields(form, tag, changes);
      complaints.value = NO_COMPLAINTS;
      await saved(requiresRestart);
      edited.value = new Map();
      done.value = requiresRestart ? 'Saved. It takes effect at the next start.' : 'Saved.';
    } catch (error) {
      const isOld = error instanceof ServiceError && error.status === 412;
      if (isOld) await reload();
      complaints.value = isOld ? { ...NO_COMPLAINTS, text: OLD } : complaintsOf(error);
    }
  };
  return (
    <form
      class="card fields"
      aria-label={title}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        complaints.value = invalidIn(event.currentTarget);
        if (complaints.value === NO_COMPLAINTS) void save();
      }}
    >
      <h2>{title}</h2>
      {fields.map((field) => (
        <FieldRow
          key={field.path}
          field={field}
          value={edited.value.get(field.path) ?? field.value}
          problem={complaints.value.fields.get(field.path) ?? ''}
          isLocked={!isAdmin.value}
          change={(value) => {
            edited.value = new Map([...edited.value, [field.path, value]]);
            done.value = '';
          }}
        />
      ))}
      {isAdmin.value && fields.some(({ schema }) => schema.readOnly !== true) && (
        <SaveBar
          isChanged={changes.size > 0}
          done={done.value}
          discard={() => {
            edited.value = new Map();
            complaints.value = NO_COMPLAINTS;
          }}
        />
      )}
      <Problem text={complaints.value.text} />
    </form>
  );
}

const changesOf = (fields: Group['fields'], edited: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
  new Map(
    [...edited].filter(([path, next]) => fields.some((one) => one.path === path && one.value !== next)),
  );

interface SaveBarProps {
  readonly isChanged: boolean;
  readonly done: string;
  readonly discard: () => void;
}

function SaveBar({ isChanged, done, discard }: SaveBarProps) {
  return (
    <p class="actions">
      <button type="submit" class="primary" disabled={!isChanged}>
        Save
      </button>
      <button type="button" disabled={!isChanged} onClick={discard}>
        Discard
      </button>
      <span role="status">{done}</span>
    </p>
  );
}

/** What the browser finds wrong, in its user's language. */
function invalidIn(form: HTMLFormElement): Complaints {
  const invalid = [...form.elements].filter(
    (one): one is HTMLInputElement => one instanceof HTMLInputElement && !one.checkValidity(),
  );
  invalid[0]?.focus();
  if (invalid.length === 0) return NO_COMPLAINTS;
  return {
    fields: new Map(invalid.map(({ name, validationMessage }) => [name, validationMessage])),
    text: '',
  };
}
