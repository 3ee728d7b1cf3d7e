import { isObject, jsonIn, readJson } from '../../data/format/json.ts';
import type { InputField } from '../../data/workflow/input-schema.ts';
import { SelectField, Switch, TextField } from '../field/field.tsx';

interface SchemaFormProps {
  readonly schema: readonly InputField[];
  /** The JSON that the fields show. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}

type Values = Readonly<Record<string, unknown>>;

const valuesIn = (text: string): Values => {
  const value = jsonIn(text);
  return isObject(value) ? value : {};
};

/** The value of a field's text: for `string` the text, else its JSON, or the text if it is not JSON; undefined if empty. */
function valueIn({ type }: InputField, text: string): unknown {
  if (text === '') return undefined;
  const read = type === 'string' ? { value: text } : readJson(text);
  return 'value' in read ? read.value : text;
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

interface RowProps {
  readonly field: InputField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Row({ field, value, onChange }: RowProps) {
  const { title, type, choices, isRequired, about } = field;
  const label = isRequired ? title : `${title} (may be left out)`;
  if (type === 'boolean') return <Switch label={title} isOn={value === true} onChange={onChange} />;
  if (choices.length > 0) {
    const all = ['', ...choices].map((one) => ({ value: one, label: one || 'none' }));
    return (
      <SelectField
        label={label}
        value={textOf(value)}
        choices={all}
        onChange={(text) => onChange(valueIn({ ...field, type: 'string' }, text))}
      />
    );
  }
  return (
    <TextField
      label={label}
      isCode={type !== 'string'}
      hint={about || undefined}
      value={textOf(value)}
      onInput={(text) => onChange(valueIn(field, text))}
    />
  );
}

/** A form for JSON by a schema. It changes the text, which is shown beside it. */
export function SchemaForm({ schema, text, onChange }: SchemaFormProps) {
  const values = valuesIn(text);
  const set = (name: string) => (value: unknown) => {
    const { [name]: _, ...others } = values;
    const next = value === undefined ? others : { ...values, [name]: value };
    onChange(JSON.stringify(next, null, 2));
  };
  return (
    <fieldset class="schema-form">
      <legend class="unseen">Input by fields</legend>
      {schema.map((field) => (
        <Row key={field.name} field={field} value={values[field.name] ?? field.example} onChange={set(field.name)} />
      ))}
    </fieldset>
  );
}
