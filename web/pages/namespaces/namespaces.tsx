import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { NamespaceRecord } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { useLive } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { into, useTask } from '../../data/api/task.ts';
import { useActions } from '../../data/navigation/actions.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { go, place } from '../../data/navigation/location.ts';
import { TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { Pages } from '../../parts/pages/pages.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/value/value.tsx';

const COLUMNS: readonly Column<NamespaceRecord>[] = [
  { name: 'Name', width: 'minmax(160px, 1fr)', cell: ({ name }) => <span class="strong">{name}</span> },
  { name: 'Created', width: '160px', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

function Create() {
  const name = useSignal('');
  const task = useTask();
  const create = async () => {
    await call('createNamespace', { namespace: name.value });
    go(addresses.namespace(name.value));
  };
  return (
    <Form task={task} look="create" work={create} act="Create" icon="plus">
      <TextField
        label="New namespace"
        value={name.value}
        isCode
        isRequired
        error={task.error.value?.message}
        hint="Lower-case letters, digits and - _ . between them"
        onInput={into(name)}
      />
    </Form>
  );
}

function All({ rows }: { readonly rows: readonly NamespaceRecord[] }) {
  return (
    <Table
      label="Namespaces"
      isWhole
      columns={COLUMNS}
      rows={rows}
      keyOf={({ name }) => name}
      hrefOf={({ name }) => addresses.namespace(name)}
      narrow={({ name, createdAt }) => (
        <span class="two-lines">
          <span class="strong">{name}</span>
          <Time at={createdAt} />
        </span>
      )}
    />
  );
}

/** The namespaces that the key may read. A single one opens at once. */
export function NamespacesPage() {
  const from = useSignal(0);
  const { value, error } = useLive('listNamespaces', {}, { offset: from.value });
  const all = value.value?.results;
  const isFirstVisit = place.value.visit === 0;
  useActions(
    () =>
      (all ?? []).map(({ name }) => ({
        id: `open ${name}`,
        label: `Open ${name}`,
        run: () => go(addresses.namespace(name)),
      })),
    [all],
  );
  useEffect(() => {
    const [only, second] = all ?? [];
    if (only !== undefined && second === undefined && isFirstVisit && from.peek() === 0)
      go(addresses.namespace(only.name), { replace: true });
  }, [all, isFirstVisit]);
  return (
    <div class="scroll">
      <Head title="Namespaces" name="Namespaces" />
      {error.value && <ErrorNote title="The namespaces cannot be listed" error={error.value} />}
      {may('createNamespace') && <Create />}
      {all === undefined && !error.value && <Skeleton />}
      {all?.length === 0 && (
        <Empty icon="overview" title="No namespace yet">
          <p>A namespace holds workflows, their runs, events, variables and secrets, apart from those of all others.</p>
          {!may('createNamespace') && <p>An administrator can create one.</p>}
        </Empty>
      )}
      {all !== undefined && all.length > 0 && <All rows={all} />}
      <Pages info={value.value?.pageInfo} count={all?.length ?? 0} from={from} />
    </div>
  );
}
