import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EventRecord } from '../../../clients/api/operations.ts';
import { filterQuery } from '../../data/api/client.ts';
import { useLive } from '../../data/api/live.ts';
import { into } from '../../data/api/task.ts';
import { now } from '../../data/browser/clock.ts';
import { useActions } from '../../data/navigation/actions.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { place, setQuery } from '../../data/navigation/location.ts';
import { startOf } from '../../data/runs/filters.ts';
import { Button } from '../../parts/button/button.tsx';
import { Search, Select } from '../../parts/filter/filter.tsx';
import { LiveMark } from '../../parts/live/live.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { Id, Time } from '../../parts/value/value.tsx';

const COLUMNS: readonly Column<EventRecord>[] = [
  { name: 'Type', width: 'minmax(160px, 1.4fr)', cell: ({ type }) => <span class="strong">{type}</span> },
  { name: 'Source', width: 'minmax(120px, 1fr)', cell: ({ source }) => <span class="quiet">{source}</span> },
  { name: 'Received', width: '140px', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  { name: 'Event', width: '152px', cell: ({ id }) => <Id id={id} of="the event’s id" /> },
];

const SPANS = [
  { value: '', label: 'Any time' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last day' },
  { value: '7d', label: 'Last week' },
];

const PART = 200;

function Filters({ type, text, since }: { readonly type: string; readonly text: string; readonly since: string }) {
  const typed = { type: useSignal(type), text: useSignal(text) };
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    typed.type.value = type;
    typed.text.value = text;
  }, [type, text]);
  useActions(
    () => [{ id: 'search', label: 'Search events by type', keys: '/', run: () => input.current?.focus() }],
    [],
  );
  return (
    <search class="filter-bar" aria-label="Filters">
      <Search
        label="Type"
        placeholder="Type"
        value={typed.type}
        input={input}
        onSearch={(value) => setQuery({ type: value })}
      />
      <Search
        label="Text"
        placeholder="Anything in the event"
        value={typed.text}
        onSearch={(value) => setQuery({ text: value })}
      />
      <Select label="Received" value={since} choices={SPANS} onChange={(value) => setQuery({ since: value })} />
    </search>
  );
}

function NoEvents({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty icon="filter" title="No event matches">
        <p>No event of this namespace has all of these properties.</p>
      </Empty>
    );
  }
  return (
    <Empty icon="events" title="No events yet">
      <p>Cloud events that are sent into the namespace appear here, with what each of them started or woke.</p>
    </Empty>
  );
}

interface EventTableProps {
  readonly namespace: string;
  readonly events: readonly EventRecord[];
  readonly chosen: string | undefined;
  readonly query: Readonly<Record<'type' | 'text' | 'since', string>>;
}

function EventTable({ namespace, events, chosen, query }: EventTableProps) {
  return (
    <Table
      label="Events"
      columns={COLUMNS}
      rows={events}
      keyOf={({ id, receivedAt }) => `${id} ${receivedAt}`}
      hrefOf={({ id }) => addresses.event(namespace, id, query)}
      isChosen={({ id }) => id === chosen}
      narrow={({ type, source, receivedAt }) => (
        <span class="two-lines">
          <span class="strong cut">{type}</span>
          <Time at={receivedAt} />
          <span class="quiet cut">{source}</span>
        </span>
      )}
    />
  );
}

/** The received events of a namespace, the newest first. */
export function History({ namespace, chosen }: { readonly namespace: string; readonly chosen: string | undefined }) {
  const given = place.value.query;
  const query = { type: given.get('type') ?? '', text: given.get('text') ?? '', since: given.get('since') ?? '' };
  const openedAt = useRef(now.peek());
  const limit = useSignal(PART);
  const filters = [
    { field: 'TYPE', type: 'CONTAINS', val: query.type },
    { field: 'TEXT', type: 'CONTAINS', val: query.text },
    { field: 'CREATED', type: 'AFTER', val: startOf(query.since, openedAt.current) },
  ];
  const { value, error, state } = useLive('listEvents', { namespace }, { ...filterQuery(filters), limit: limit.value });
  const list = value.value?.events;
  const events = list?.results ?? [];
  return (
    <>
      <div class="events-tools">
        <Filters {...query} />
        <LiveMark state={state.value} />
      </div>
      {error.value && <ErrorNote title="The events cannot be listed" error={error.value} />}
      {list === undefined && !error.value && <Skeleton lines={6} />}
      {list !== undefined && events.length === 0 && <NoEvents isFiltered={Object.values(query).join('') !== ''} />}
      {events.length > 0 && <EventTable {...{ namespace, events, chosen, query }} />}
      {(list?.pageInfo.total ?? 0) > events.length && (
        <div class="events-more">
          <Button onClick={() => into(limit)(limit.value + PART)}>Show older events</Button>
        </div>
      )}
    </>
  );
}
