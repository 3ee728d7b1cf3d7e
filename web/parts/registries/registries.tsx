import { type Signal, useSignal } from '@preact/signals';
import type { Registry } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { useRead } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { into, useTask } from '../../data/api/task.ts';
import type { RegistrySource } from '../../data/registries/source.ts';
import { Button } from '../button/button.tsx';
import { Confirm } from '../confirm/confirm.tsx';
import { TextField } from '../field/field.tsx';
import { Form } from '../form/form.tsx';
import { ErrorNote, Skeleton } from '../note/note.tsx';
import { type Column, Table } from '../table/table.tsx';
import { say } from '../toast/toast.tsx';

interface RegistriesProps {
  readonly source: RegistrySource;
  readonly none: string;
}

/** The fields of a form for a registry. */
interface Draft {
  readonly url: Signal<string>;
  readonly user: Signal<string>;
  readonly password: Signal<string>;
}

function Fields({ url, user, password }: Draft) {
  return (
    <>
      <TextField
        label="Registry"
        type="url"
        isCode
        isRequired
        placeholder="https://registry.example.com"
        value={url.value}
        onInput={into(url)}
      />
      <TextField label="User" isCode isRequired value={user.value} onInput={into(user)} />
      <TextField
        label="Password or token"
        type="password"
        isCode
        isRequired
        autocomplete="new-password"
        value={password.value}
        onInput={into(password)}
      />
    </>
  );
}

function NewRegistry({ source, onDone }: { readonly source: RegistrySource; readonly onDone: () => void }) {
  const [url, user, password] = [useSignal(''), useSignal(''), useSignal('')];
  const [storing, trying] = [useTask(), useTask()];
  const store = async () => {
    await source.create(url.value, user.value, password.value);
    say(`Stored the credentials of ${url.value}`);
    for (const field of [url, user, password]) field.value = '';
    onDone();
  };
  const attempt = async () => {
    const body = { url: url.value, username: user.value, password: password.value };
    if (await trying.run(() => call('testRegistry', {}, { body }))) say('The registry accepts these credentials');
  };
  const more = may('testRegistry') && (
    <Button isBusy={trying.isBusy.value} disabled={url.value === ''} onClick={attempt}>
      Test
    </Button>
  );
  return (
    <Form task={storing} more={more} look="bar-form" work={store} act="Store" failure="Nothing was stored">
      <Fields {...{ url, user, password }} />
      {trying.error.value && <ErrorNote title="The test failed" error={trying.error.value} />}
    </Form>
  );
}

function columnsFor(source: RegistrySource, onChange: () => void): readonly Column<Registry>[] {
  const remove = async (name: string) => {
    await source.remove(name);
    say(`Forgot the credentials of ${name}`);
    onChange();
  };
  return [
    { name: 'Registry', width: 'minmax(200px, 2fr)', cell: ({ name }) => <code class="strong">{name}</code> },
    { name: 'User', width: 'minmax(100px, 1fr)', cell: ({ user }) => <code>{user}</code> },
    {
      name: 'Actions',
      width: '64px',
      isRight: true,
      cell: ({ name }) =>
        source.mayWrite && (
          <Confirm
            label={`Forget ${name}`}
            icon="trash"
            kind="bare"
            isLone
            act="Forget it"
            onConfirm={() => remove(name)}
          >
            Forgets the credentials of <code>{name}</code>. Images there that need them cannot be fetched any longer.
          </Confirm>
        ),
    },
  ];
}

/** Registries with stored credentials, and a form for a new one. */
export function Registries({ source, none }: RegistriesProps) {
  const { value, error, reload } = useRead(['registries', source.scope], () => source.list());
  const registries = value.value?.registries;
  if (error.value !== undefined) return <ErrorNote title="The registries cannot be listed" error={error.value} />;
  if (registries === undefined) return <Skeleton />;
  return (
    <>
      {source.mayWrite && <NewRegistry source={source} onDone={reload} />}
      {registries.length === 0 ? (
        <p class="none">{none}</p>
      ) : (
        <Table
          label="Registries"
          isWhole
          columns={columnsFor(source, reload)}
          rows={registries}
          keyOf={({ id }) => id}
          narrow={({ name, user }) => (
            <span class="two-lines">
              <code class="cut">{name}</code>
              <code>{user}</code>
            </span>
          )}
        />
      )}
    </>
  );
}
