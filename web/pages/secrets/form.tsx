import { useSignal } from '@preact/signals';
import { call } from '../../data/api/client.ts';
import { into, useTask } from '../../data/api/task.ts';
import { Button } from '../../parts/button/button.tsx';
import { AreaField, TextField } from '../../parts/field/field.tsx';
import { ErrorNote } from '../../parts/note/note.tsx';
import { say } from '../../parts/toast/toast.tsx';

interface FormProps {
  readonly namespace: string;
  /** Where a new secret is made. */
  readonly folder: string;
  /** The secret that gets another value; empty for a new one. */
  readonly secret: string;
  readonly onDone: () => void;
}

/** A form for a new secret, or for another value of one. */
export function SecretForm({ namespace, folder, secret, onDone }: FormProps) {
  const name = useSignal(secret || folder);
  const value = useSignal('');
  const task = useTask();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const operation = secret === '' ? 'createSecret' : 'overwriteSecret';
    const path = { namespace, secret: name.value };
    if (!(await task.run(() => call(operation, path, { body: value.value })))) return;
    say(`Stored ${name.value}`);
    onDone();
  };
  return (
    <form class="stack" onSubmit={submit}>
      {secret === '' && (
        <TextField
          label="Name"
          isCode
          isRequired
          hasFocus
          value={name.value}
          hint="A slash makes a folder: prod/token"
          onInput={into(name)}
        />
      )}
      <AreaField
        label="Value"
        isCode
        rows={4}
        value={value.value}
        hint="It is encrypted when it is stored, and is never shown again"
        onInput={into(value)}
      />
      {task.error.value && <ErrorNote title="Nothing was stored" error={task.error.value} />}
      <div class="line">
        <Button kind="primary" type="submit" isBusy={task.isBusy.value}>
          Store
        </Button>
        <Button kind="bare" onClick={onDone}>
          Leave
        </Button>
      </div>
    </form>
  );
}
