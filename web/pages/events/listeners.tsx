import { useSignal } from '@preact/signals';
import type { Listener } from '../../../clients/api/operations.ts';
import { useLive } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { isForDecision } from '../../data/events/events.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { ButtonLink } from '../../parts/button/button.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { Pages } from '../../parts/pages/pages.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { Id, Time } from '../../parts/value/value.tsx';

const JOINS: Readonly<Record<Listener['mode'], string>> = { simple: '', and: ' and ', or: ' or ' };

function Awaited({ listener }: { readonly listener: Listener }) {
  return (
    <>
      {listener.events.map(({ type, filters }, index) => (
        <span key={`${type} ${JSON.stringify(filters)}`}>
          {index > 0 && JOINS[listener.mode]}
          <code>{type}</code>
          {Object.entries(filters).map(([name, value]) => (
            <code key={name} class="quiet">
              {' '}
              {name}={String(value)}
            </code>
          ))}
        </span>
      ))}
    </>
  );
}

function sendHref(namespace: string, { events }: Listener): string {
  const [first] = events;
  const query = first === undefined ? {} : { send: first.type, attributes: JSON.stringify(first.filters) };
  return addresses.events(namespace, { view: 'waiting', ...query });
}

function columnsFor(namespace: string): readonly Column<Listener>[] {
  return [
    {
      name: 'Workflow',
      width: 'minmax(140px, 1fr)',
      cell: ({ workflow }) => <span class="strong">{workflow}</span>,
    },
    { name: 'Waits for', width: 'minmax(200px, 2fr)', cell: (listener) => <Awaited listener={listener} /> },
    {
      name: 'Effect',
      width: '192px',
      cell: ({ instance, cancels }) =>
        instance === '' ? (
          'starts a run'
        ) : (
          <>
            {cancels === true && <span class="is-cancelled">cancels </span>}
            <Id id={instance} of="the run’s id" />
          </>
        ),
    },
    { name: 'Since', width: '120px', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: 'Action',
      width: '96px',
      isRight: true,
      cell: (listener) =>
        may('broadcastEvent') && (
          <ButtonLink kind="bare" icon="send" href={sendHref(namespace, listener)}>
            Send
          </ButtonLink>
        ),
    },
  ];
}

const leadsTo = (namespace: string, { instance, workflow }: Listener): string =>
  instance === '' ? addresses.tree(namespace, workflow) : addresses.run(namespace, instance);

/** Workflows that start by events, and runs that wait for events. */
export function Listeners({ namespace }: { readonly namespace: string }) {
  const from = useSignal(0);
  const { value, error } = useLive('listEventListeners', { namespace }, { offset: from.value });
  // Decisions have their own page.
  const list = value.value?.results.filter((one) => !isForDecision(one));
  if (error.value !== undefined) return <ErrorNote title="The listeners cannot be listed" error={error.value} />;
  if (list === undefined) return <Skeleton lines={5} />;
  if (list.length === 0 && value.value?.pageInfo.hasNextPage !== true) {
    return (
      <Empty icon="wait" title="Nothing waits for an event">
        <p>Workflows whose start is an event stand here, and runs in a state that waits for one.</p>
      </Empty>
    );
  }
  return (
    <>
      <Table
        label="Listeners"
        columns={columnsFor(namespace)}
        rows={list}
        keyOf={({ workflow, instance, createdAt, cancels }) => `${workflow} ${instance} ${createdAt} ${cancels}`}
        hrefOf={(listener) => leadsTo(namespace, listener)}
        narrow={(listener) => (
          <span class="two-lines">
            <span class="strong cut">{listener.workflow}</span>
            <Time at={listener.createdAt} />
            <span class="cut">
              <Awaited listener={listener} />
            </span>
          </span>
        )}
      />
      <Pages info={value.value?.pageInfo} count={value.value?.results.length ?? 0} from={from} />
    </>
  );
}
