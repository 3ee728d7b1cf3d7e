import type { QueueReply, QueuesReply } from '../../../clients/api/operations.ts';
import { usePolled } from '../../data/api/live.ts';
import { count, numeric, times } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { place, setQuery } from '../../data/navigation/location.ts';
import { Head } from '../../parts/head/head.tsx';
import { Inspector } from '../../parts/inspector/inspector.tsx';
import { Empty, ErrorNote, Remark, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { RunLink, WorkflowLink } from '../../parts/value/links.tsx';
import { CopyButton, Time } from '../../parts/value/value.tsx';

type Queue = QueuesReply['queues'][number];
type Task = QueueReply['tasks'][number];

/** The number of ready tasks, marked if no worker holds a task of the queue. */
const readyText = ({ ready, held }: Queue) => (
  <span class={ready > 0 && held === 0 ? 'is-waiting strong' : ''}>{numeric(ready)}</span>
);

const COLUMNS: readonly Column<Queue>[] = [
  { name: 'Queue', width: 'minmax(160px, 2fr)', cell: ({ queue }) => <code class="strong">{queue}</code> },
  { name: 'Ready', width: '96px', isRight: true, cell: readyText },
  { name: 'Held by workers', width: '128px', isRight: true, cell: ({ held }) => numeric(held) },
];

function Holder({ task }: { readonly task: Task }) {
  const { status, worker, leaseUntil, from } = task;
  if (status === 'leased') {
    return (
      <>
        held by <code>{worker === undefined || worker === '' ? 'a worker without a name' : worker}</code>
        {leaseUntil !== undefined && (
          <>
            , lease ends <Time at={leaseUntil} />
          </>
        )}
      </>
    );
  }
  if (status === 'delayed' && from !== undefined) {
    return (
      <>
        offered again <Time at={from} />
      </>
    );
  }
  return <>ready</>;
}

function TaskRow({ namespace, task }: { readonly namespace: string; readonly task: Task }) {
  const { instance, workflow, state, priority, taken, createdAt, until } = task;
  return (
    <li class="task">
      <p class="line">
        <span class={`strong is-${task.status === 'leased' ? 'running' : 'waiting'}`}>
          <Holder task={task} />
        </span>
      </p>
      <p class="cut">
        <WorkflowLink {...{ namespace, workflow }} />, state <code>{state}</code>
      </p>
      <p class="quiet">
        asked <Time at={createdAt} />, ends <Time at={until} />
        {priority !== 0 && `, priority ${priority}`}
        {taken > 0 && `, taken ${times(taken)}`}
      </p>
      <p class="line">
        Run <RunLink namespace={namespace} id={instance} />
      </p>
    </li>
  );
}

/** The open tasks of a queue with their workers, leases and runs. */
function Tasks({ namespace, queue }: { readonly namespace: string; readonly queue: string }) {
  const { value, error } = usePolled('listTasks', { namespace, queue });
  const reply = value.value;
  if (reply === undefined) {
    return error.value ? <ErrorNote title="The tasks cannot be listed" error={error.value} /> : <Skeleton lines={5} />;
  }
  const { ready, held, tasks } = reply;
  return (
    <div class="stack">
      {error.value && <ErrorNote title="The tasks cannot be listed again" error={error.value} />}
      <p role="status">
        {numeric(ready)} ready, {numeric(held)} held
      </p>
      {ready > 0 && held === 0 && (
        <Remark icon="wait">
          No worker holds a task of this queue. A worker fetches them by a key with the permission <code>worker</code>.
        </Remark>
      )}
      <ul class="stack" aria-label="Tasks">
        {tasks.map((task) => (
          <TaskRow key={task.task} namespace={namespace} task={task} />
        ))}
      </ul>
      {ready + held > tasks.length && <p class="quiet">The first {tasks.length} are listed.</p>}
    </div>
  );
}

const START = `startWorker({ url, key, namespace, queue: 'labelling' }, async ({ input }) => ({ label: 'cat' }));`;

function NoQueues() {
  return (
    <Empty icon="workers" title="No task is open">
      <p>
        A function of the type <code>worker</code> puts a task into a queue, which a program of yours fetches over HTTP,
        from any machine. Queues with open tasks are listed here.
      </p>
      <p class="line">
        <code class="cut">{START}</code>
        <CopyButton text={`import { startWorker } from 'weft-workflows/worker';\n\n${START}\n`} label="Copy a worker" />
      </p>
    </Empty>
  );
}

/** The queues with open tasks; the tasks of the chosen one beside them. */
export function WorkersPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const { value, error } = usePolled('listQueues', { namespace });
  const queues = value.value?.queues;
  const chosen = place.value.query.get('queue');
  const total = queues?.reduce((sum, { ready, held }) => sum + ready + held, 0);
  return (
    <div class="page">
      <Head
        title="Workers"
        name={`Workers of ${namespace}`}
        detail={total !== undefined && <span>{count(total, 'open task')}</span>}
      />
      {error.value && <ErrorNote title="The queues cannot be listed" error={error.value} />}
      {queues === undefined && !error.value && <Skeleton lines={4} />}
      {queues?.length === 0 && <NoQueues />}
      {queues !== undefined && queues.length > 0 && (
        <Table
          label="Queues"
          columns={COLUMNS}
          rows={queues}
          keyOf={({ queue }) => queue}
          hrefOf={({ queue }) => addresses.workers(namespace, { queue })}
          isChosen={({ queue }) => queue === chosen}
          narrow={({ queue, ready, held }) => (
            <span class="two-lines">
              <code class="strong cut">{queue}</code>
              <span>{numeric(ready)} ready</span>
              <span class="quiet">{numeric(held)} held by workers</span>
            </span>
          )}
        />
      )}
      {chosen !== null && (
        <Inspector key={chosen} title={chosen} label="Queue" onClose={() => setQuery({ queue: undefined })}>
          <Tasks namespace={namespace} queue={chosen} />
        </Inspector>
      )}
    </div>
  );
}
