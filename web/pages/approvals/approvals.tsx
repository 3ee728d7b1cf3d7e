import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApprovalsReply } from '../../../clients/api/operations.ts';
import { useLoad, usePolled } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { count } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { place, setQuery } from '../../data/navigation/location.ts';
import { ButtonLink } from '../../parts/button/button.tsx';
import { Search } from '../../parts/filter/filter.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Inspector } from '../../parts/inspector/inspector.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { RunLink, WorkflowLink } from '../../parts/value/links.tsx';
import { Time } from '../../parts/value/value.tsx';
import { ChoiceButtons, Decision } from './decision.tsx';

type Approval = ApprovalsReply['approvals'][number];

interface Filters {
  readonly assignee: string;
  readonly workflow: string;
}

const columnsFor = (namespace: string): readonly Column<Approval>[] => [
  { name: 'Decision', width: 'minmax(180px, 2fr)', cell: ({ subject }) => <span class="strong">{subject}</span> },
  {
    name: 'Workflow',
    width: 'minmax(120px, 1fr)',
    cell: ({ workflow }) => <WorkflowLink {...{ namespace, workflow }} />,
  },
  {
    name: 'Who decides',
    width: 'minmax(100px, 1fr)',
    cell: ({ assignees }) => <span class="quiet">{assignees.join(', ') || 'anyone'}</span>,
  },
  { name: 'Since', width: '120px', cell: ({ since }) => <Time at={since} /> },
  { name: 'Ends', width: '120px', cell: ({ until }) => <Time at={until} /> },
  {
    name: 'Run',
    width: '152px',
    cell: ({ instance }) => <RunLink namespace={namespace} id={instance} />,
  },
];

function FilterBar({ filters }: { readonly filters: Filters }) {
  const [assignee, workflow] = [useSignal(filters.assignee), useSignal(filters.workflow)];
  useEffect(() => {
    assignee.value = filters.assignee;
    workflow.value = filters.workflow;
  }, [filters.assignee, filters.workflow]);
  return (
    <search class="filter-bar" aria-label="Filters">
      <Search
        label="Who decides"
        placeholder="Part of a name"
        value={assignee}
        onSearch={(value) => setQuery({ assignee: value })}
      />
      <Search
        label="Workflow"
        placeholder="/path of a workflow"
        value={workflow}
        onSearch={(value) => setQuery({ workflow: value })}
      />
    </search>
  );
}

function NoApprovals({ namespace, isFiltered }: { readonly namespace: string; readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty
        icon="filter"
        title="No approval matches"
        action={<ButtonLink href={addresses.approvals(namespace)}>Show all approvals</ButtonLink>}
      >
        <p>No run waits for a decision of this person and workflow.</p>
      </Empty>
    );
  }
  return (
    <Empty icon="approvals" title="Nothing waits for a decision">
      <p>
        A state of the type <code>approval</code> asks a person and waits. Its open decisions are listed here, and each
        has links that need no key.
      </p>
    </Empty>
  );
}

/** The most choices that a row has buttons for. */
const MOST_IN_ROW = 2;

interface RowChoicesProps {
  readonly namespace: string;
  readonly approval: Approval;
  readonly href: string;
  readonly onDone: () => void;
}

/** Buttons that decide in the row. An approval with a form, or with many choices, is decided beside the list. */
function RowChoices({ namespace, approval: { instance }, href, onDone }: RowChoicesProps) {
  const loaded = useLoad('getApproval', { namespace, instance });
  const approval = loaded.value.value?.approval;
  if (approval === undefined) return <span class="row-actions" />;
  const isSimple = approval.form === undefined && approval.choices.length <= MOST_IN_ROW;
  return (
    <span class="row-actions">
      {isSimple ? <ChoiceButtons {...{ namespace, approval, onDone }} /> : <ButtonLink href={href}>Decide…</ButtonLink>}
    </span>
  );
}

interface ListProps {
  readonly namespace: string;
  readonly filters: Filters;
  readonly approvals: readonly Approval[];
  readonly onDone: () => void;
}

function List({ namespace, filters, approvals, onDone }: ListProps) {
  const hrefOf = ({ instance }: Approval) => addresses.approvals(namespace, { ...filters, run: instance });
  const actions = {
    name: 'Your decision',
    width: '168px',
    of: (approval: Approval) => <RowChoices {...{ namespace, approval, onDone }} href={hrefOf(approval)} />,
  };
  return (
    <Table
      label="Open approvals"
      columns={columnsFor(namespace)}
      rows={approvals}
      keyOf={({ instance }) => instance}
      hrefOf={hrefOf}
      actions={may('decideApproval') ? actions : undefined}
      isChosen={({ instance }) => instance === place.value.query.get('run')}
      narrow={({ subject, assignees, until }) => (
        <>
          <span class="strong cut is-line">{subject}</span>
          <span class="quiet cut is-line">
            {assignees.join(', ') || 'anyone'}, ends <Time at={until} />
          </span>
        </>
      )}
    />
  );
}

/** The open approvals; the chosen one can be decided beside the list. */
export function ApprovalsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const { query } = place.value;
  const filters = { assignee: query.get('assignee') ?? '', workflow: query.get('workflow') ?? '' };
  const loaded = usePolled('listApprovals', { namespace }, filters);
  const approvals = loaded.value.value?.approvals;
  const error = loaded.error.value;
  const run = query.get('run');
  const chosen = approvals?.find(({ instance }) => instance === run);
  const title = chosen?.subject ?? 'Approval';
  const close = () => setQuery({ run: undefined });
  const isFiltered = filters.assignee !== '' || filters.workflow !== '';
  const done = () => {
    close();
    loaded.reload();
  };
  return (
    <div class="page">
      <Head
        title="Approvals"
        name={`Approvals of ${namespace}`}
        detail={approvals !== undefined && <span>{count(approvals.length, 'open decision')}</span>}
      />
      <FilterBar filters={filters} />
      {error !== undefined && <ErrorNote title="The approvals cannot be listed" error={error} />}
      {approvals === undefined && error === undefined && <Skeleton lines={4} />}
      {approvals?.length === 0 && <NoApprovals namespace={namespace} isFiltered={isFiltered} />}
      {approvals !== undefined && approvals.length > 0 && <List {...{ namespace, filters, approvals }} onDone={done} />}
      {run !== null && (
        <Inspector key={run} title={title} label="Approval" onClose={close}>
          <Decision namespace={namespace} instance={run} onDone={done} />
        </Inspector>
      )}
    </div>
  );
}
