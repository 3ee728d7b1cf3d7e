import { useSignal } from '@preact/signals';
import { call } from '../../data/api/client.ts';
import { into, useTask } from '../../data/api/task.ts';
import { AreaField, TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { say } from '../../parts/toast/toast.tsx';

interface FormProps {
  readonly namespace: string;
  /** The folder of a new secret. */
  readonly folder: string;
  /** The secret to overwrite; empty for a new one. */
  readonly secret: string;
  readonly onDone: () => void;
}

/** A form for a new secret, or for a new value of a secret. */
export function SecretForm({ namespace, folder, secret, onDone }: FormProps) {
  const name = useSignal(secret || folder);
  const value = useSignal('');
  const task = useTask();
  const store = async () => {
    const operation = secret === '' ? 'createSecret' : 'overwriteSecret';
    await call(operation, { namespace, secret: name.value }, { body: value.value });
    say(`Stored ${name.value}`);
    onDone();
  };
  return (
    <Form task={task} work={store} act="Store" failure="Nothing was stored" onLeave={onDone}>
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
    </Form>
  );
}
