import { rounded } from './draft.js';

interface FieldProps<T> {
  readonly label: string;
  readonly value: T;
  readonly change: (value: T) => void;
}

interface NumberProps extends FieldProps<number> {
  readonly least?: number;
  readonly most?: number;
  readonly unit?: string;
}

/** Metres, by default. An impossible number is refused, and the former one shown again. */
export function NumberField({ label, value, change, least = -100, most = 1000, unit = 'm' }: NumberProps) {
  return (
    <label class="number">
      <span>{label}</span>
      <input
        type="number"
        step={0.05}
        min={least}
        max={most}
        value={rounded(value)}
        onChange={({ currentTarget: input }) => {
          const next = input.valueAsNumber;
          if (input.validity.rangeUnderflow || input.validity.rangeOverflow || Number.isNaN(next))
            input.value = String(rounded(value));
          else change(rounded(next));
        }}
      />
      <span class="unit">{unit}</span>
    </label>
  );
}

/** An empty field removes the number. */
export function OptionalNumber({ label, value, change }: FieldProps<number | undefined>) {
  return (
    <label class="number">
      <span>{label}</span>
      <input
        type="number"
        step={0.05}
        min={0}
        max={100}
        value={value ?? ''}
        placeholder="none"
        onChange={({ currentTarget: input }) => {
          const next = input.valueAsNumber;
          change(Number.isNaN(next) ? undefined : rounded(next));
        }}
      />
      <span class="unit">m</span>
    </label>
  );
}

interface TextProps extends FieldProps<string> {
  readonly placeholder?: string;
  readonly pattern?: string;
  /** Proposals. */
  readonly list?: readonly string[];
}

export function TextField({ label, value, change, placeholder, pattern, list }: TextProps) {
  const id = `proposals-${label.replaceAll(/\W/g, '')}`;
  return (
    <label class="text">
      <span>{label}</span>
      <input
        type="text"
        value={value}
        maxLength={64}
        {...(placeholder !== undefined && { placeholder })}
        {...(pattern !== undefined && { pattern })}
        {...(list && { list: id })}
        onChange={({ currentTarget: input }) => {
          if (input.validity.valid) change(input.value.trim());
          else input.reportValidity();
        }}
      />
      {list && (
        <datalist id={id}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </label>
  );
}
