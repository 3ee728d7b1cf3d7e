import { useSignal } from '@preact/signals';
import type { KeyInput, KeyRecord } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { useLoad } from '../../data/api/live.ts';
import { into, useTask } from '../../data/api/task.ts';
import { Button } from '../../parts/button/button.tsx';
import { Confirm } from '../../parts/confirm/confirm.tsx';
import { SelectField, TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { say } from '../../parts/toast/toast.tsx';
import { CopyButton, Time } from '../../parts/value/value.tsx';

type Permission = KeyInput['permission'];

const PERMISSIONS: Readonly<Record<Permission, string>> = {
  worker: 'Worker: only fetch and end tasks of queues',
  read: 'Read: see everything but values of secrets',
  run: 'Run: also start and cancel runs, send events',
  write: 'Write: also change workflows, variables, secrets',
  admin: 'Administer: also namespaces, keys, registries for all',
};

const CHOICES = Object.entries(PERMISSIONS).map(([value, label]) => ({ value, label }));
const namesIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** The new key, which is shown only once. */
function Secret({ secret, onDone }: { readonly secret: string; readonly onDone: () => void }) {
  return (
    <div class="new-key" role="status">
      <p class="strong">Copy the key now: it is not shown again.</p>
      <div class="line">
        <code class="new-key-text">{secret}</code>
        <CopyButton text={secret} label="Copy the key" />
      </div>
      <Button onClick={onDone}>Done</Button>
    </div>
  );
}

function NewKey({ onDone }: { readonly onDone: () => void }) {
  const name = useSignal('');
  const permission = useSignal<string>('read');
  const namespaces = useSignal('');
  const secret = useSignal('');
  const task = useTask();
  const create = async () => {
    const body = {
      name: name.value,
      permission: permission.value as Permission,
      namespaces: namesIn(namespaces.value),
    };
    secret.value = (await call('createKey', {}, { body })).secret;
    onDone();
  };
  const done = () => {
    secret.value = '';
    name.value = '';
  };
  if (secret.value !== '') return <Secret secret={secret.value} onDone={done} />;
  return (
    <Form task={task} look="bar-form" work={create} act="Create" icon="plus" failure="No key was created">
      <TextField
        label="Name"
        isRequired
        value={name.value}
        hint="The person or program that uses it"
        onInput={into(name)}
      />
      <SelectField label="Permission" value={permission.value} choices={CHOICES} onChange={into(permission)} />
      <TextField
        label="Namespaces"
        isCode
        value={namespaces.value}
        hint="Names with blanks between them; none means all"
        onInput={into(namespaces)}
      />
    </Form>
  );
}

function columnsFor(onChange: () => void): readonly Column<KeyRecord>[] {
  const remove = async ({ id, name }: KeyRecord) => {
    await call('deleteKey', { key: id });
    say(`Deleted the key ${name}`);
    onChange();
  };
  return [
    { name: 'Name', width: 'minmax(140px, 1.4fr)', cell: ({ name }) => <span class="strong">{name}</span> },
    { name: 'Permission', width: '110px', cell: ({ permission }) => permission },
    {
      name: 'Namespaces',
      width: 'minmax(120px, 1fr)',
      cell: ({ namespaces }) =>
        namespaces.length === 0 ? <span class="quiet">all</span> : <code>{namespaces.join(', ')}</code>,
    },
    { name: 'Created', width: '150px', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: 'Actions',
      width: '64px',
      isRight: true,
      cell: (key) => (
        <Confirm
          label={`Delete ${key.name}`}
          icon="trash"
          kind="bare"
          isLone
          act="Delete it"
          onConfirm={() => remove(key)}
        >
          Whatever uses the key <strong>{key.name}</strong> is refused from now on.
        </Confirm>
      ),
    },
  ];
}

/** The keys of the interface; for administrators. */
export function KeysPage() {
  const { value, error, reload } = useLoad('listKeys', {});
  const keys = value.value?.keys;
  return (
    <div class="scroll">
      <Head title="Keys" name="Keys" />
      {error.value ? (
        <ErrorNote title="The keys cannot be listed" error={error.value} onRetry={reload} />
      ) : (
        <NewKey onDone={reload} />
      )}
      {keys === undefined && !error.value && <Skeleton />}
      {keys?.length === 0 && (
        <Empty icon="keys" title="No further keys">
          <p>
            The administrator’s key is not listed. Give each person and each program a key of its own, which can be
            deleted alone.
          </p>
        </Empty>
      )}
      {keys !== undefined && keys.length > 0 && (
        <Table
          label="Keys"
          isWhole
          columns={columnsFor(reload)}
          rows={keys}
          keyOf={({ id }) => id}
          narrow={({ name, permission, namespaces, createdAt }) => (
            <span class="two-lines">
              <span class="strong cut">{name}</span>
              <span>{permission}</span>
              <span class="quiet cut">{namespaces.join(', ') || 'all namespaces'}</span>
              <Time at={createdAt} />
            </span>
          )}
        />
      )}
    </div>
  );
}
