import type { InstanceRecord, Listener } from '../../../clients/api/operations.ts';
import { waitWords } from '../../data/events/events.ts';
import type { Labels } from '../../data/runs/labels.ts';
import { isOver, STATUS_WORDS, statusOf, triggerOf } from '../../data/runs/status.ts';
import { StatusMark } from '../status/status.tsx';
import type { Column } from '../table/table.tsx';
import { Duration, Id, Time } from '../value/value.tsx';

type Waiting = ReadonlyMap<string, Listener>;

/** The labels of the runs, and the address of the runs that have a label. */
export interface RowLabels {
  readonly of: ReadonlyMap<string, Labels>;
  readonly hrefOf: (label: string) => string;
}

interface RowLabelsProps {
  readonly row: InstanceRecord;
  readonly labels: RowLabels | undefined;
}

/** The labels of a run as links; the row itself is a link to the run. */
function RowLabelLinks({ row, labels }: RowLabelsProps) {
  if (labels === undefined) return null;
  return (
    <>
      {Object.entries(labels.of.get(row.id) ?? {}).map(([name, value]) => (
        <a key={name} class="row-label" href={labels.hrefOf(`${name}=${value}`)} title={`Runs with ${name}=${value}`}>
          {name}={value}
        </a>
      ))}
    </>
  );
}

function RowLabelWords({ row, labels }: RowLabelsProps) {
  const texts = Object.entries(labels?.of.get(row.id) ?? {}).map(([name, value]) => `${name}=${value}`);
  return texts.length === 0 ? null : <span class="row-label">{texts.join(' ')}</span>;
}

const statusIn = (row: InstanceRecord, waiting: Waiting) => statusOf(row, waiting.has(row.id));

function Reason({ row, waiting }: { readonly row: InstanceRecord; readonly waiting: Waiting }) {
  const listener = waiting.get(row.id);
  if (listener !== undefined && !isOver(row)) return <span class="quiet">for {waitWords(listener)}</span>;
  if (row.errorCode === '') return null;
  return (
    <span title={`${row.errorCode}: ${row.errorMessage}`}>
      <code>{row.errorCode}</code> <span class="quiet">{row.errorMessage}</span>
    </span>
  );
}

const endOf = (row: InstanceRecord): string | undefined => (isOver(row) ? row.updatedAt : undefined);

/** The columns of the list of runs. */
export function runColumns(waiting: Waiting, labels?: RowLabels): readonly Column<InstanceRecord>[] {
  return [
    {
      name: 'Workflow',
      width: 'minmax(160px, 1.3fr)',
      cell: (row) => (
        <span class="run-name">
          <StatusMark status={statusIn(row, waiting)} />
          <span class="cut">{row.as}</span>
        </span>
      ),
    },
    {
      name: 'Status',
      width: '84px',
      cell: (row) => {
        const status = statusIn(row, waiting);
        return <span class={`run-status is-${status}`}>{STATUS_WORDS[status]}</span>;
      },
    },
    {
      name: labels === undefined ? 'Reason' : 'Reason, labels',
      width: 'minmax(120px, 1.6fr)',
      cell: (row) => (
        <>
          <Reason row={row} waiting={waiting} /> <RowLabelLinks row={row} labels={labels} />
        </>
      ),
    },
    { name: 'Trigger', width: '84px', cell: (row) => <span class="quiet">{triggerOf(row.invoker).word}</span> },
    { name: 'Started', width: '128px', cell: (row) => <Time at={row.createdAt} /> },
    {
      name: 'Duration',
      width: '84px',
      isRight: true,
      cell: (row) => <Duration from={row.createdAt} to={endOf(row)} />,
    },
    { name: 'Run', width: '152px', cell: (row) => <Id id={row.id} of="the run’s id" /> },
  ];
}

interface NarrowRunProps {
  readonly row: InstanceRecord;
  readonly waiting: Waiting;
  readonly labels?: RowLabels;
}

/** A run in two lines. */
export function NarrowRun({ row, waiting, labels }: NarrowRunProps) {
  const hasReason = row.errorCode !== '' || (waiting.has(row.id) && !isOver(row));
  return (
    <span class="two-lines">
      <span class="run-name">
        <StatusMark status={statusIn(row, waiting)} />
        <span class="cut">{row.as}</span>
      </span>
      <Time at={row.createdAt} />
      <span class="cut">
        {hasReason ? <Reason row={row} waiting={waiting} /> : <span class="quiet">{triggerOf(row.invoker).word}</span>}{' '}
        <RowLabelWords row={row} labels={labels} />
      </span>
      <Duration from={row.createdAt} to={endOf(row)} />
    </span>
  );
}
