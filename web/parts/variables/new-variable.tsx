import { type Signal, useSignal } from '@preact/signals';
import { into } from '../../data/api/task.ts';
import { readJson } from '../../data/format/json.ts';
import { byteSize } from '../../data/format/text.ts';
import type { VariableStore } from '../../data/variables/stores.ts';
import { Button } from '../button/button.tsx';
import { AreaField, SelectField, TextField } from '../field/field.tsx';
import { say } from '../toast/toast.tsx';
import { FileButton } from './file-button.tsx';
import { Progress, useTransfer } from './transfer.tsx';

const TYPES = [
  { value: 'application/json', label: 'JSON' },
  { value: 'text/plain', label: 'Text' },
];

function problemOf(type: string, text: string): string | undefined {
  const read = type === 'application/json' ? readJson(text) : {};
  return 'problem' in read ? `It is ${read.problem}` : undefined;
}

interface NewVariableProps {
  readonly store: VariableStore;
  readonly onDone: () => void;
}

interface Draft {
  readonly name: Signal<string>;
  readonly type: Signal<string>;
  readonly text: Signal<string>;
  readonly file: Signal<File | undefined>;
}

function useDraft(): Draft {
  const name = useSignal('');
  const type = useSignal('application/json');
  const text = useSignal('');
  const file = useSignal<File | undefined>(undefined);
  return { name, type, text, file };
}

function Value({ draft, error }: { readonly draft: Draft; readonly error: string | undefined }) {
  const { type, text, file } = draft;
  if (file.value !== undefined) {
    return (
      <p>
        <code>{file.value.name}</code>{' '}
        <span class="quiet">
          {file.value.type || 'bytes'}, {byteSize(file.value.size)}
        </span>
        {error !== undefined && <span class="transfer-error"> {error}</span>}
      </p>
    );
  }
  return (
    <>
      <SelectField label="Type" value={type.value} choices={TYPES} onChange={into(type)} />
      <AreaField label="Value" isCode value={text.value} error={error} onInput={into(text)} />
    </>
  );
}

/** A form for a variable with a typed value or a file. */
export function NewVariable({ store, onDone }: NewVariableProps) {
  const draft = useDraft();
  const { name, type, text, file } = draft;
  const problem = useSignal<string | undefined>(undefined);
  const transfer = useTransfer();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    problem.value = file.value === undefined ? problemOf(type.value, text.value) : undefined;
    if (problem.value !== undefined) return;
    void transfer.run(async (onProgress) => {
      const value = file.value ?? new Blob([text.value], { type: type.value });
      await store.write(name.value, value, onProgress);
      say(`Stored ${name.value}`);
      onDone();
    });
  };
  const take = (chosen: File) => {
    file.value = chosen;
    if (name.value === '') name.value = chosen.name;
  };
  return (
    <form class="variable-new" onSubmit={submit}>
      <TextField label="Name" isCode isRequired hasFocus value={name.value} onInput={into(name)} />
      <Value draft={draft} error={problem.value} />
      <Progress transfer={transfer} />
      <div class="line wraps">
        <Button kind="primary" type="submit">
          Store
        </Button>
        <FileButton label={file.value === undefined ? 'A file instead' : 'Another file'} onFile={take} />
        <Button kind="bare" onClick={onDone}>
          Leave
        </Button>
      </div>
    </form>
  );
}
