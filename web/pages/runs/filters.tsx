import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useActions } from '../../data/navigation/actions.ts';
import { setQuery } from '../../data/navigation/location.ts';
import type { RunFilters } from '../../data/runs/filters.ts';
import { Button } from '../../parts/button/button.tsx';
import { Search, Segments, Select } from '../../parts/filter/filter.tsx';

const STATUSES = [
  { value: '', label: 'All' },
  { value: 'pending', label: 'In progress' },
  { value: 'complete', label: 'Complete' },
  { value: 'failed', label: 'Failed' },
  { value: 'crashed', label: 'Crashed' },
  { value: 'cancelled', label: 'Cancelled' },
];

const TRIGGERS = [
  { value: '', label: 'Any trigger' },
  { value: 'api', label: 'API' },
  { value: 'cron', label: 'Schedule' },
  { value: 'cloudevent', label: 'Event' },
  { value: 'instance', label: 'Parent run' },
];

const TIMES = [
  { value: '', label: 'Any time' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last day' },
  { value: '7d', label: 'Last week' },
];

/** A span that is chosen, or one that a link brought. */
const timesWith = (since: string) =>
  TIMES.some(({ value }) => value === since) ? TIMES : [...TIMES, { value: since, label: `Since ${since}` }];

const NONE = {
  status: undefined,
  workflow: undefined,
  trigger: undefined,
  since: undefined,
  until: undefined,
  bulk: undefined,
};

/** The filters of the list. They stand in the address, so that a link shows the same to a colleague. */
export function FilterBar({ filters }: { readonly filters: RunFilters }) {
  const { status, workflow, trigger, since, until } = filters;
  const search = useRef<HTMLInputElement>(null);
  const typed = useSignal(workflow);
  useEffect(() => {
    typed.value = workflow;
  }, [workflow, typed]);
  useActions(
    () => [
      { id: 'search', label: 'Search runs by workflow', keys: '/', run: () => search.current?.focus() },
      { id: 'failed', label: 'Show failed runs', run: () => setQuery({ status: 'failed' }) },
      { id: 'running', label: 'Show runs in progress', run: () => setQuery({ status: 'pending' }) },
    ],
    [],
  );
  const isFiltered = [status, workflow, trigger, since, until].some((value) => value !== '');
  return (
    <search class="filter-bar" aria-label="Filters">
      <Search
        label="Workflow"
        placeholder="Workflow, or /path for one alone"
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
      {isFiltered && (
        <Button kind="bare" icon="close" onClick={() => setQuery(NONE)}>
          Clear
        </Button>
      )}
    </search>
  );
}
