import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  /** A text about the expected value; an `error` replaces it. */
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly children: (attributes: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
  }) => ComponentChildren;
}

/** A label, an input, and a line below it with the hint or the error. */
function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {children({ id, 'aria-describedby': note === undefined ? undefined : `${id}-note` })}
      {note !== undefined && (
        <p class={`field-note${error === undefined ? '' : ' wrong'}`} id={`${id}-note`}>
          {note}
        </p>
      )}
    </div>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly placeholder?: string;
  readonly type?: 'text' | 'password' | 'number' | 'datetime-local' | 'url';
  readonly isCode?: boolean;
  readonly isRequired?: boolean;
  readonly autocomplete?: string;
  readonly hasFocus?: boolean;
}

/** One line of text. */
export function TextField(props: TextProps) {
  const { label, value, onInput, hint, error, type = 'text' } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <input
          {...attributes}
          class={`input${props.isCode ? ' code' : ''}`}
          // Preact's types know the attributes of one type of input at a time.
          type={type as 'text'}
          value={value}
          placeholder={props.placeholder}
          required={props.isRequired}
          aria-invalid={error !== undefined}
          autocomplete={props.autocomplete ?? 'off'}
          autocapitalize="off"
          spellcheck={false}
          autofocus={props.hasFocus}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Several lines of text. */
export function AreaField(props: Omit<TextProps, 'type'> & { readonly rows?: number }) {
  const { label, value, onInput, hint, error, rows = 6 } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <textarea
          {...attributes}
          class={`input area${props.isCode ? ' code' : ''}`}
          rows={rows}
          value={value}
          placeholder={props.placeholder}
          aria-invalid={error !== undefined}
          spellcheck={false}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface RangeProps {
  readonly label: string;
  readonly value: number;
  readonly onInput: (value: number) => void;
  /** The least value, and as much below 100 the most. */
  readonly least?: number;
}

/** A percentage. */
export function RangeField({ label, value, onInput, least = 0 }: RangeProps) {
  return (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          type="range"
          min={least}
          max={100 - least}
          value={value}
          onInput={({ currentTarget }) => onInput(Number(currentTarget.value))}
        />
      )}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
  readonly hint?: string;
}

/** One of a few values, in the browser's own menu. */
export function SelectField({ label, value, choices, onChange, hint }: SelectProps) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <select
          {...attributes}
          class="input select"
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} selected={choice.value === value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
}

/** A switch with immediate effect. */
export function Switch({ label, isOn, onChange, isDisabled = false }: SwitchProps) {
  return (
    <label class={`switch${isDisabled ? ' disabled' : ''}`}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        disabled={isDisabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span class="switch-track" aria-hidden="true" />
      <span>{label}</span>
    </label>
  );
}
