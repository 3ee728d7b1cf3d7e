import { useEffect, useMemo, useRef } from 'preact/hooks';
import { may } from '../../data/api/session.ts';
import type { BulkKind } from '../../data/bulk/actions.ts';
import { count } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { place, setQuery } from '../../data/navigation/location.ts';
import { filtersIn, isSearch, type RunFilters } from '../../data/runs/filters.ts';
import { FoundRows } from '../../data/runs/found-rows.ts';
import { RunRows } from '../../data/runs/rows.ts';
import { useListeningRuns } from '../../data/runs/waiting.ts';
import { Button, ButtonLink } from '../../parts/button/button.tsx';
import { Head } from '../../parts/head/head.tsx';
import { LiveMark } from '../../parts/live/live.tsx';
import { Empty, ErrorNote } from '../../parts/note/note.tsx';
import { NarrowRun, type RowLabels, runColumns } from '../../parts/runs/columns.tsx';
import { Table } from '../../parts/table/table.tsx';
import { BulkPanel } from './bulk-panel.tsx';
import { FilterBar } from './filters.tsx';

const mayDo = (kind: BulkKind): boolean => may(kind === 'cancel' ? 'cancelInstance' : 'rerunInstances');

/** The button for an action on all runs of the list, if the status permits one. */
function BulkButton({ status, total }: { readonly status: string; readonly total: number }) {
  const kind = status === 'pending' ? 'cancel' : 'rerun';
  if (total === 0 || status === '' || !mayDo(kind)) return null;
  return (
    <Button icon={kind === 'cancel' ? 'stop' : 'retry'} onClick={() => setQuery({ bulk: kind })}>
      {kind === 'cancel' ? 'Cancel all…' : 'Run all again…'}
    </Button>
  );
}

function NoRuns({ namespace, isFiltered }: { readonly namespace: string; readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty
        icon="filter"
        title="No run matches"
        action={<ButtonLink href={addresses.runs(namespace)}>Show all runs</ButtonLink>}
      >
        <p>No run of this namespace has all of these properties.</p>
      </Empty>
    );
  }
  return (
    <Empty
      icon="runs"
      title="No runs yet"
      action={
        <ButtonLink kind="primary" href={addresses.tree(namespace)}>
          Open a workflow
        </ButtonLink>
      }
    >
      <p>Each execution of a workflow is a run: started here, by a request, by an event or by the clock.</p>
      <p>
        <code>weft exec PATH</code> starts one from a terminal.
      </p>
    </Empty>
  );
}

/** The number of new runs that the list does not show. */
function Fresh({ count: fresh, onShow }: { readonly count: number; readonly onShow: () => void }) {
  if (fresh === 0) return null;
  return (
    <div class="fresh">
      <Button icon="up" onClick={onShow}>
        {fresh} new
      </Button>
    </div>
  );
}

/** The number of runs, without the placeholder at the end of a search. */
const totalText = (total: number, isWhole: boolean): string =>
  isWhole ? count(total, 'run') : `${count(total - 1, 'run')} so far`;

const isBulk = (kind: string | null): kind is BulkKind => kind === 'cancel' || kind === 'rerun';

const rowsOf = (namespace: string, filters: RunFilters): RunRows | FoundRows =>
  isSearch(filters) ? new FoundRows(namespace, filters) : new RunRows(namespace, filters);

/** The labels of the rows; each is a link to the runs that have it. */
function useLabels(namespace: string, rows: RunRows | FoundRows): RowLabels {
  const known = rows.labels.value;
  return useMemo(
    () => ({ of: known, hrefOf: (label: string) => addresses.runs(namespace, { label }) }),
    [known, namespace],
  );
}

/** The runs of a namespace, the newest first. */
export function RunsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const namespace = params['namespace'] ?? '';
  const filters = filtersIn(place.value.query);
  const name = JSON.stringify([namespace, filters]);
  const rows = useMemo(() => rowsOf(namespace, filters), [name]);
  useEffect(() => rows.open(), [rows]);
  const waiting = useListeningRuns(namespace);
  const labels = useLabels(namespace, rows);
  const columns = useMemo(() => runColumns(waiting, labels), [waiting, labels]);
  const holder = useRef<HTMLDivElement>(null);
  const toTop = () => holder.current?.querySelector('.table-body')?.scrollTo({ top: 0 });
  const total = rows.total.value;
  const error = rows.error.value;
  const bulk = place.value.query.get('bulk');
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <div class="page" ref={holder}>
      <Head
        title="Runs"
        name={`Runs of ${namespace}`}
        detail={
          <>
            {total !== undefined && <span>{totalText(total, rows.isWhole.value)}</span>}
            <LiveMark state={rows.state.value} />
          </>
        }
        actions={<BulkButton status={filters.status} total={total ?? 0} />}
      />
      <FilterBar filters={filters} />
      {isBulk(bulk) && mayDo(bulk) && filters.status !== '' && (
        <BulkPanel key={name} {...{ namespace, filters }} kind={bulk} onClose={() => setQuery({ bulk: undefined })} />
      )}
      <Fresh count={rows.fresh.value} onShow={toTop} />
      {error !== undefined && <ErrorNote title="The runs cannot be listed" error={error} />}
      {total === 0 && <NoRuns namespace={namespace} isFiltered={isFiltered} />}
      {total !== 0 && (total !== undefined || error === undefined) && (
        <Table
          label="Runs"
          columns={columns}
          rows={{ length: total ?? 12, at: (index) => rows.rows.value.get(index) }}
          keyOf={(row) => row.id}
          hrefOf={(row) => addresses.run(namespace, row.id)}
          narrow={(row) => <NarrowRun {...{ row, waiting, labels }} />}
          onRange={rows.show}
        />
      )}
    </div>
  );
}
