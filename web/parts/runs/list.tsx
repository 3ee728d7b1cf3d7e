import { useMemo } from 'preact/hooks';
import { type Filter, filterQuery } from '../../data/api/client.ts';
import { useLive } from '../../data/api/live.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { useListeningRuns } from '../../data/runs/waiting.ts';
import { ErrorNote, Skeleton } from '../note/note.tsx';
import { Table } from '../table/table.tsx';
import { NarrowRun, runColumns } from './columns.tsx';

interface RunListProps {
  readonly namespace: string;
  readonly label: string;
  readonly filters: readonly Filter[];
  readonly limit: number;
  /** Shown if there are no runs. */
  readonly none: string;
}

/** The newest runs that match filters. */
export function RunList({ namespace, label, filters, limit, none }: RunListProps) {
  const { value, error } = useLive('listInstances', { namespace }, { ...filterQuery(filters), limit });
  const waiting = useListeningRuns(namespace);
  const columns = useMemo(() => runColumns(waiting), [waiting]);
  const runs = value.value?.instances.results;
  if (error.value !== undefined) return <ErrorNote title="The runs cannot be listed" error={error.value} />;
  if (runs === undefined) return <Skeleton lines={4} />;
  if (runs.length === 0) return <p class="none">{none}</p>;
  return (
    <Table
      label={label}
      isWhole
      columns={columns}
      rows={runs}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => addresses.run(namespace, id)}
      narrow={(row) => <NarrowRun row={row} waiting={waiting} />}
    />
  );
}
