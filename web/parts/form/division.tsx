import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { into, type Task } from '../../data/api/task.ts';
import { type Choice, RangeField, SelectField } from '../field/field.tsx';
import { Form } from './form.tsx';

/** Two of several choices, and the percentage of the first. */
export interface Division {
  readonly first: Signal<string>;
  readonly second: Signal<string>;
  readonly share: Signal<number>;
}

interface DivisionFormProps {
  readonly division: Division;
  readonly choices: readonly Choice[];
  /** The least percentage that each of the two gets. */
  readonly least: number;
  readonly act: string;
  readonly task: Task;
  readonly work: () => Promise<unknown>;
  /** Further buttons. */
  readonly more?: ComponentChildren;
}

/** A form that divides calls or starts among two of several choices. */
export function DivisionForm({ division, choices, least, ...form }: DivisionFormProps) {
  const { first, second, share } = division;
  return (
    <Form
      {...form}
      look="division"
      kind="plain"
      isDisabled={first.value === second.value}
      failure="Nothing was changed"
    >
      <SelectField label="First" value={first.value} choices={choices} onChange={into(first)} />
      <RangeField
        label={`${share.value} % to ${100 - share.value} %`}
        value={share.value}
        least={least}
        onInput={into(share)}
      />
      <SelectField label="Second" value={second.value} choices={choices} onChange={into(second)} />
    </Form>
  );
}
