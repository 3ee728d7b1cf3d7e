import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Choice } from '../field/field.tsx';
import { Icon } from '../icon/icon.tsx';

interface SearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: Signal<string>;
  readonly input?: RefObject<HTMLInputElement | null>;
  /** Called when typing pauses. */
  readonly onSearch: (value: string) => void;
}

const REST_MS = 120;

/** A field that filters a list while the user types. */
export function Search({ label, placeholder, value, input, onSearch }: SearchProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class="search">
      <Icon name="search" size={14} />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={value.value}
        autocapitalize="off"
        spellcheck={false}
        ref={input ?? null}
        onInput={({ currentTarget }) => {
          value.value = currentTarget.value;
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onSearch(value.peek().trim()), REST_MS);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
}

/** One of a few values, all of which are visible. */
export function Segments({ label, value, choices, onChange }: ChoiceProps) {
  return (
    <fieldset class="segments">
      <legend class="unseen">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          class="segment"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}

/** One of several values, by the browser's own menu. */
export function Select({ label, value, choices, onChange }: ChoiceProps) {
  return (
    <select
      class={`input select filter-select${value === '' ? '' : ' used'}`}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value} selected={choice.value === value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}
