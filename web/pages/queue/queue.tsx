import { call } from '../../data/api/client.ts';
import { useRead, useReloads } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { count, numeric } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { ButtonLink } from '../../parts/button/button.tsx';
import { Confirm } from '../../parts/confirm/confirm.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Empty, ErrorNote, Remark, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { say } from '../../parts/toast/toast.tsx';
import { RunLink } from '../../parts/value/links.tsx';
import { Time } from '../../parts/value/value.tsx';
import { type QueuedRun, readQueue } from './places.ts';

/** Each reading is a request for each row. */
const AGAIN_MS = 5000;

/** What a run waits for: the place of another run, or a time. */
function Reason({ namespace, row: { queue, held } }: { readonly namespace: string; readonly row: QueuedRun }) {
  if (held !== undefined) {
    return (
      <span>
        <code>{held.by}</code>, begins <Time at={held.until} />
        {held.starts > 1 && `, ${count(held.starts, 'start')}`}
      </span>
    );
  }
  const [first, ...more] = queue?.heldBy ?? [];
  if (first === undefined) return <span class="quiet">a place that is given now</span>;
  return (
    <span class="line">
      <RunLink namespace={namespace} id={first} />
      {more.length > 0 && <span class="quiet">and {numeric(more.length)} more</span>}
    </span>
  );
}

const Place = ({ queue, held }: QueuedRun) => <>{held === undefined ? numeric(queue?.place ?? 0) : 'held'}</>;

const Key = ({ name }: { readonly name: string }) =>
  name === '' ? <span class="quiet">none</span> : <code title={name}>{name}</code>;

const columnsFor = (namespace: string): readonly Column<QueuedRun>[] => [
  { name: 'Workflow', width: 'minmax(140px, 1fr)', cell: ({ workflow }) => <span class="strong">{workflow}</span> },
  { name: 'Key', width: 'minmax(80px, 2fr)', cell: ({ key }) => <Key name={key} /> },
  { name: 'Place', width: '64px', isRight: true, cell: Place },
  { name: 'Waits for', width: 'minmax(200px, 1fr)', cell: (row) => <Reason {...{ namespace, row }} /> },
  { name: 'Since', width: '112px', cell: ({ run }) => <Time at={run.createdAt} /> },
  { name: 'Run', width: '152px', cell: ({ run }) => <RunLink namespace={namespace} id={run.id} /> },
];

interface RowsProps {
  readonly namespace: string;
  readonly rows: readonly QueuedRun[];
  readonly onDone: () => void;
}

function Rows({ namespace, rows, onDone }: RowsProps) {
  const cancel = async (instance: string) => {
    await call('cancelInstance', { namespace, instance });
    say('The run was cancelled');
    onDone();
  };
  const actions = {
    name: 'What to do',
    width: '104px',
    of: ({ run: { id } }: QueuedRun) => (
      <span class="row-actions">
        <Confirm label="Cancel" act="Cancel the run" onConfirm={() => cancel(id)}>
          Ends this run before it has begun. The runs behind it move up.
        </Confirm>
      </span>
    ),
  };
  return (
    <Table
      label="Queued runs"
      columns={columnsFor(namespace)}
      rows={rows}
      keyOf={({ run }) => run.id}
      hrefOf={({ run }) => addresses.run(namespace, run.id)}
      actions={may('cancelInstance') ? actions : undefined}
      narrow={(row) => (
        <>
          <span class="cut is-line">
            <span class="strong">{row.workflow}</span> {row.key !== '' && <code class="quiet">{row.key}</code>}
          </span>
          <span class="quiet cut is-line">
            {row.held === undefined ? `Number ${numeric(row.queue?.place ?? 0)}, queued ` : `${row.held.by}, begins `}
            <Time at={row.held?.until ?? row.run.createdAt} />
          </span>
        </>
      )}
    />
  );
}

/** The runs that wait to begin: their places, and what they wait for. */
export function QueuePage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const loaded = useRead(['queue', namespace], (signal) => readQueue(namespace, signal));
  useReloads(loaded, AGAIN_MS);
  const sample = loaded.value.value;
  const error = loaded.error.value;
  const all = addresses.runs(namespace, { status: 'queued' });
  return (
    <div class="page">
      <Head
        title="Queue"
        name={`Queue of ${namespace}`}
        detail={sample !== undefined && <span>{count(sample.total, 'queued run')}</span>}
        actions={sample !== undefined && sample.total > 0 && <ButtonLink href={all}>In the list of runs</ButtonLink>}
      />
      {error && <ErrorNote title="The queue cannot be shown" error={error} onRetry={loaded.reload} />}
      {sample === undefined && !error && <Skeleton lines={4} />}
      {sample !== undefined && sample.total > sample.rows.length && sample.rows.length > 0 && (
        <Remark>The {numeric(sample.rows.length)} runs that wait longest are shown.</Remark>
      )}
      {sample?.rows.length === 0 && (
        <Empty icon="check" title="No run waits to begin">
          <p>
            A workflow with <code>{'concurrency: {limit: 3}'}</code>, <code>rate</code> or <code>debounce</code> begins
            its runs when there is a place, or at a time. Until then they are listed here.
          </p>
        </Empty>
      )}
      {sample !== undefined && sample.rows.length > 0 && (
        <Rows namespace={namespace} rows={sample.rows} onDone={loaded.reload} />
      )}
    </div>
  );
}
