import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useActions } from '../../data/navigation/actions.ts';
import { setQuery } from '../../data/navigation/location.ts';
import type { RunFilters } from '../../data/runs/filters.ts';
import { Button } from '../../parts/button/button.tsx';
import { Search, Segments, Select } from '../../parts/filter/filter.tsx';

const STATUSES = [
  { value: '', label: 'All' },
  { value: 'pending', label: 'In progress' },
  { value: 'queued', label: 'Queued' },
  { value: 'complete', label: 'Complete' },
  { value: 'failed', label: 'Failed' },
  { value: 'crashed', label: 'Crashed' },
  { value: 'cancelled', label: 'Cancelled' },
];

const TRIGGERS = [
  { value: '', label: 'Any trigger' },
  { value: 'top', label: 'Top level only' },
  { value: 'api', label: 'API' },
  { value: 'cron', label: 'Schedule' },
  { value: 'alert', label: 'Alert' },
  { value: 'cloudevent', label: 'Event' },
  { value: 'instance', label: 'Parent run' },
  { value: 'webhook', label: 'Webhook' },
  { value: 'rerun', label: 'Repetition' },
];

const TIMES = [
  { value: '', label: 'Any time' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last day' },
  { value: '7d', label: 'Last week' },
];

/** The choices of spans, with the one of the address. */
const timesWith = (since: string) =>
  TIMES.some(({ value }) => value === since) ? TIMES : [...TIMES, { value: since, label: `Since ${since}` }];

const NONE = {
  status: undefined,
  workflow: undefined,
  trigger: undefined,
  since: undefined,
  until: undefined,
  bulk: undefined,
  label: undefined,
  error: undefined,
};

/** The text of a search field, which follows the address. */
function useTyped(text: string): Signal<string> {
  const typed = useSignal(text);
  useEffect(() => {
    typed.value = text;
  }, [text, typed]);
  return typed;
}

interface MarksProps {
  readonly filters: RunFilters;
  readonly input: RefObject<HTMLInputElement | null>;
}

/** The filters by a label of a run and by the code of its error. */
function Marks({ filters: { label, error }, input }: MarksProps) {
  const [typedLabel, typedError] = [useTyped(label), useTyped(error)];
  return (
    <>
      <Search
        label="Label"
        placeholder="label=value"
        value={typedLabel}
        input={input}
        onSearch={(value) => setQuery({ label: value })}
      />
      <Search
        label="Error code"
        placeholder="Error code"
        value={typedError}
        onSearch={(value) => setQuery({ error: value })}
      />
    </>
  );
}

/** The filters of the list, which are part of the address. */
export function FilterBar({ filters }: { readonly filters: RunFilters }) {
  const { status, workflow, trigger, since, until, label, error } = filters;
  const search = useRef<HTMLInputElement>(null);
  const typed = useTyped(workflow);
  const labels = useRef<HTMLInputElement>(null);
  useActions(
    () => [
      { id: 'search', label: 'Search runs by workflow', keys: '/', run: () => search.current?.focus() },
      { id: 'search labels', label: 'Search runs by label', run: () => labels.current?.focus() },
      { id: 'failed', label: 'Show failed runs', run: () => setQuery({ status: 'failed' }) },
      { id: 'running', label: 'Show runs in progress', run: () => setQuery({ status: 'pending' }) },
    ],
    [],
  );
  const isFiltered = [status, workflow, trigger, since, until, label, error].some((value) => value !== '');
  return (
    <search class="filter-bar" aria-label="Filters">
      <Search
        label="Workflow"
        placeholder="Workflow, /path"
        value={typed}
        input={search}
        onSearch={(value) => setQuery({ workflow: value })}
      />
      <Segments
        label="Status"
        value={status}
        choices={STATUSES}
        onChange={(value) => setQuery({ status: value, bulk: undefined }, { replace: false })}
      />
      <Select label="Trigger" value={trigger} choices={TRIGGERS} onChange={(value) => setQuery({ trigger: value })} />
      <Select
        label="Started"
        value={since}
        choices={timesWith(since)}
        onChange={(value) => setQuery({ since: value })}
      />
      <Marks filters={filters} input={labels} />
      {isFiltered && (
        <Button kind="bare" icon="close" onClick={() => setQuery(NONE)}>
          Clear
        </Button>
      )}
    </search>
  );
}
