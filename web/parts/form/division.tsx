import type { ComponentChildren } from 'preact';
import type { Edit } from '../../data/api/edit.ts';
import { into, type Task } from '../../data/api/task.ts';
import { type Choice, RangeField, SelectField } from '../field/field.tsx';
import { Form } from './form.tsx';

/** Two of several choices, and the percentage of the first. */
export interface Division {
  readonly first: string;
  readonly second: string;
  readonly share: number;
}

interface DivisionFormProps {
  readonly edit: Edit<Division>;
  readonly choices: readonly Choice[];
  /** The least percentage that each of the two gets. */
  readonly least: number;
  readonly act: string;
  readonly task: Task;
  /** Stores a division. */
  readonly work: (division: Division) => Promise<unknown>;
  /** Further buttons. */
  readonly more?: ComponentChildren;
}

/** A form that divides calls or starts among two of several choices. */
export function DivisionForm({ edit, choices, least, work, ...form }: DivisionFormProps) {
  const { first, second, share } = edit.value.value;
  const set = (change: Partial<Division>) => into(edit.value)({ ...edit.value.peek(), ...change });
  return (
    <Form
      {...form}
      work={() => edit.store(work)}
      look="division"
      kind="plain"
      isDisabled={first === second}
      failure="Nothing was changed"
    >
      <SelectField label="First" value={first} choices={choices} onChange={(first) => set({ first })} />
      <RangeField
        label={`${share} % to ${100 - share} %`}
        value={share}
        least={least}
        onInput={(share) => set({ share })}
      />
      <SelectField label="Second" value={second} choices={choices} onChange={(second) => set({ second })} />
    </Form>
  );
}
