import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { AuditEntry } from '../../../clients/api/operations.ts';
import { type AuditFilters, Changes } from '../../data/audit/changes.ts';
import { count } from '../../data/format/text.ts';
import { place, setQuery } from '../../data/navigation/location.ts';
import { startOf } from '../../data/runs/filters.ts';
import { Button } from '../../parts/button/button.tsx';
import { Search, Select } from '../../parts/filter/filter.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/value/value.tsx';

const TIMES = [
  { value: '', label: 'Any time' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last day' },
  { value: '7d', label: 'Last week' },
];

const MOODS: Readonly<Record<AuditEntry['outcome'], string>> = {
  done: 'quiet',
  refused: 'is-retrying',
  failed: 'is-failed',
};

const targetOf = ({ target }: AuditEntry): string =>
  Object.entries(target)
    .filter(([name]) => name !== 'namespace')
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

function Outcome({ entry: { outcome, status } }: { readonly entry: AuditEntry }) {
  return (
    <span class={MOODS[outcome]}>
      {outcome} ({status})
    </span>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: 'Time', width: '120px', cell: ({ time }) => <Time at={time} /> },
  { name: 'Key', width: 'minmax(90px, 0.6fr)', cell: ({ actor }) => <span class="strong">{actor}</span> },
  { name: 'Action', width: 'minmax(140px, 1fr)', cell: ({ action }) => <code>{action}</code> },
  { name: 'Namespace', width: 'minmax(90px, 0.7fr)', cell: ({ namespace }) => namespace },
  {
    name: 'Of what',
    width: 'minmax(140px, 1.6fr)',
    cell: (entry) => <span title={targetOf(entry)}>{targetOf(entry)}</span>,
  },
  { name: 'Outcome', width: '112px', cell: (entry) => <Outcome entry={entry} /> },
  { name: 'From', width: '120px', cell: ({ address }) => <span class="quiet">{address}</span> },
];

function FilterBar({ filters, since }: { readonly filters: AuditFilters; readonly since: string }) {
  const [namespace, actor] = [useSignal(filters.namespace), useSignal(filters.actor)];
  return (
    <search class="filter-bar" aria-label="Filters">
      <Search
        label="Namespace"
        placeholder="Namespace"
        value={namespace}
        onSearch={(value) => setQuery({ namespace: value })}
      />
      <Search
        label="Key"
        placeholder="Name or id of a key"
        value={actor}
        onSearch={(value) => setQuery({ actor: value })}
      />
      <Select label="Time" value={since} choices={TIMES} onChange={(value) => setQuery({ since: value })} />
    </search>
  );
}

function List({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <Table
      label="Changes"
      columns={COLUMNS}
      rows={entries}
      keyOf={({ id }) => id}
      narrow={(entry) => (
        <span class="two-lines">
          <code class="strong cut">{entry.action}</code>
          <Time at={entry.time} />
          <span class="quiet cut">
            {entry.actor} {entry.namespace}
          </span>
          <Outcome entry={entry} />
        </span>
      )}
    />
  );
}

/** The audit log: actor, action and outcome of every request that could change something; for administrators. */
export function AuditPage() {
  const { query } = place.value;
  const since = query.get('since') ?? '';
  const [namespace, actor] = [query.get('namespace') ?? '', query.get('actor') ?? ''];
  const changes = useMemo(
    () => new Changes({ namespace, actor, start: startOf(since, Date.now()) }),
    [namespace, actor, since],
  );
  useEffect(() => void changes.read(), [changes]);
  const entries = changes.entries.value;
  const error = changes.error.value;
  const read = () => void changes.read();
  const isMore = changes.hasMore.value;
  return (
    <div class="page">
      <Head
        title="Audit log"
        name="Audit log"
        detail={entries !== undefined && <span>{`${count(entries.length, 'change')}${isMore ? ' so far' : ''}`}</span>}
        actions={
          isMore && (
            <Button icon="down" isBusy={changes.isBusy.value} onClick={read}>
              Older ones
            </Button>
          )
        }
      />
      <FilterBar filters={{ namespace, actor, start: '' }} since={since} />
      {error !== undefined && <ErrorNote title="The audit log cannot be read" error={error} onRetry={read} />}
      {entries === undefined && error === undefined && <Skeleton lines={8} />}
      {entries?.length === 0 && (
        <Empty icon="audit" title="Nothing was changed">
          <p>Every request that could change something stands here: its key, its address and how it ended.</p>
        </Empty>
      )}
      {entries !== undefined && entries.length > 0 && <List entries={entries} />}
    </div>
  );
}
