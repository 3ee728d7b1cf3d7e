import type { SchedulesReply } from '../../../clients/api/operations.ts';
import { usePolled } from '../../data/api/live.ts';
import { count } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { ButtonLink } from '../../parts/button/button.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/value/value.tsx';

type Schedule = SchedulesReply['schedules'][number];

function Next({ schedule: { next } }: { readonly schedule: Schedule }) {
  const [first] = next;
  if (first !== undefined) return <Time at={first} />;
  return <span class="is-retrying">never: the pattern names no time</span>;
}

const columnsFor = (namespace: string): readonly Column<Schedule>[] => [
  { name: 'Workflow', width: 'minmax(160px, 1fr)', cell: ({ workflow }) => <span class="strong">{workflow}</span> },
  { name: 'Pattern', width: 'minmax(140px, 1fr)', cell: ({ cron }) => <code>{cron}</code> },
  { name: 'Next start', width: 'minmax(140px, 1fr)', cell: (schedule) => <Next schedule={schedule} /> },
  {
    name: 'Runs',
    width: '120px',
    cell: ({ workflow }) => (
      <a class="link" href={addresses.runs(namespace, { workflow, trigger: 'cron' })}>
        Runs<span class="unseen"> of {workflow}</span>
      </a>
    ),
  },
];

/** The workflows that the clock starts, with their next starts. */
export function SchedulesPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const { value, error } = usePolled('listSchedules', { namespace });
  const schedules = value.value?.schedules;
  return (
    <div class="page">
      <Head
        title="Schedules"
        name={`Schedules of ${namespace}`}
        detail={schedules !== undefined && <span>{count(schedules.length, 'schedule')}</span>}
      />
      {error.value && <ErrorNote title="The schedules cannot be listed" error={error.value} />}
      {schedules === undefined && !error.value && <Skeleton lines={4} />}
      {schedules?.length === 0 && (
        <Empty
          icon="clock"
          title="No workflow is started by the clock"
          action={<ButtonLink href={addresses.tree(namespace)}>Open a workflow</ButtonLink>}
        >
          <p>
            A workflow with <code>{"start: {type: scheduled, cron: '0 8 * * *'}"}</code> is listed here.
          </p>
        </Empty>
      )}
      {schedules !== undefined && schedules.length > 0 && (
        <Table
          label="Schedules"
          columns={columnsFor(namespace)}
          rows={schedules}
          keyOf={({ workflow }) => workflow}
          hrefOf={({ workflow }) => addresses.tree(namespace, workflow)}
          narrow={(schedule) => (
            <span class="two-lines">
              <span class="strong cut">{schedule.workflow}</span>
              <Next schedule={schedule} />
              <code class="quiet cut">{schedule.cron}</code>
              <span />
            </span>
          )}
        />
      )}
    </div>
  );
}
