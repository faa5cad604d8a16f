import { inWords } from '../parts/in-words.js';
import type { Field, Value } from './fields.js';

interface FieldRowProps {
  readonly field: Field;
  readonly value: Value;
  readonly problem: string;
  readonly isLocked: boolean;
  readonly change: (value: Value) => void;
}

/** A field with its description, its limits, when it takes effect, and its error. */
export function FieldRow({ field, value, problem, isLocked, change }: FieldRowProps) {
  const { path, title, schema, fallback } = field;
  const id = `field-${path}`;
  const missing = schema['x-no-effect'];
  const locked = isLocked || schema.readOnly === true || missing !== undefined;
  const changed = !locked && value !== fallback;
  return (
    <div class="field" data-path={path}>
      <label for={id}>{title}</label>
      <Control {...{ field, value, change, id }} locked={locked} isInvalid={problem !== ''} />
      <p id={`${id}-about`} class="hint">
        {inWords(schema.description ?? '')} {schema.readOnly === true ? '' : limitsOf(field)}{' '}
        {schema['x-takes-effect'] === 'next start' && <span class="chip">needs a restart</span>}
        {missing !== undefined && ` No effect here: ${missing}.`}
        {changed && (
          <>
            {' '}
            The topology's file says {textOf(fallback)}.{' '}
            <button
              type="button"
              class="quiet"
              aria-label={`Reset ${title}`}
              onClick={() => {
                change(fallback);
              }}
            >
              Reset
            </button>
          </>
        )}
      </p>
      <p id={`${id}-problem`} class="problem">
        {problem}
      </p>
    </div>
  );
}

interface ControlProps {
  readonly field: Field;
  readonly value: Value;
  readonly id: string;
  readonly locked: boolean;
  readonly isInvalid: boolean;
  readonly change: (value: Value) => void;
}

function Control({ field: { path, schema }, value, id, locked, isInvalid, change }: ControlProps) {
  const shared = {
    id,
    name: path,
    disabled: locked,
    'aria-describedby': `${id}-about ${id}-problem`,
    'aria-invalid': isInvalid,
  };
  if (schema.type === 'boolean')
    return (
      <input
        {...shared}
        type="checkbox"
        checked={value === true}
        onChange={({ currentTarget }) => {
          change(currentTarget.checked);
        }}
      />
    );
  if (schema.enum)
    return (
      <select
        {...shared}
        value={String(value)}
        onChange={({ currentTarget }) => {
          change(currentTarget.value);
        }}
      >
        {schema.enum.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    );
  if (schema.type === 'string')
    return (
      <input
        {...shared}
        type="text"
        required
        minLength={schema.minLength}
        maxLength={schema.maxLength}
        value={String(value)}
        onInput={({ currentTarget }) => {
          change(currentTarget.value);
        }}
      />
    );
  return (
    <input
      {...shared}
      {...limitsOfNumber(schema)}
      value={String(value)}
      onInput={({ currentTarget }) => {
        change(currentTarget.valueAsNumber);
      }}
    />
  );
}

const limitsOfNumber = ({ type, minimum, maximum }: Field['schema']) =>
  ({
    type: 'number',
    required: true,
    min: minimum,
    max: maximum,
    step: type === 'integer' ? 1 : 'any',
  }) as const;

function limitsOf({ schema: { minimum, maximum } }: Field): string {
  if (minimum === undefined) return maximum === undefined ? '' : `At most ${maximum}.`;
  return maximum === undefined ? `At least ${minimum}.` : `${minimum} to ${maximum}.`;
}

const textOf = (value: Value): string =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
