import type { FailedDeliveriesReply, FailedDelivery } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { type Loaded, useLoad } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { useTask } from '../../data/api/task.ts';
import { count } from '../../data/format/text.ts';
import { Button } from '../../parts/button/button.tsx';
import { Confirm } from '../../parts/confirm/confirm.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { say } from '../../parts/toast/toast.tsx';
import { Time } from '../../parts/value/value.tsx';

const KINDS: Readonly<Record<FailedDelivery['kind'], string>> = {
  event: 'Event',
  tick: 'Schedule',
  inbound: 'From AWS',
};

interface RowActionsProps {
  readonly namespace: string;
  readonly delivery: FailedDelivery;
  readonly onChange: () => void;
}

function RowActions({ namespace, delivery, onChange }: RowActionsProps) {
  const task = useTask();
  const path = { namespace, delivery: delivery.id };
  const again = async () => {
    const isDone = await task.run(() => call('redeliverOne', path));
    if (isDone) say('Delivered');
    else say(`Not delivered: ${task.error.value?.message}`, { isWrong: true });
    onChange();
  };
  const forget = async () => {
    await call('deleteFailedDelivery', path);
    onChange();
  };
  return (
    <span class="line">
      {may('redeliverOne') && (
        <Button kind="bare" icon="retry" label="Deliver again" isBusy={task.isBusy.value} onClick={again} />
      )}
      {may('deleteFailedDelivery') && (
        <Confirm label="Forget" icon="trash" kind="bare" isLone act="Forget it" onConfirm={forget}>
          Removes it from this list. It is not delivered.
        </Confirm>
      )}
    </span>
  );
}

const nameOf = ({ type, workflow, kind }: FailedDelivery): string => type || workflow || KINDS[kind];

function columnsFor(namespace: string, onChange: () => void): readonly Column<FailedDelivery>[] {
  return [
    { name: 'What', width: 'minmax(140px, 1fr)', cell: (one) => <span class="strong">{nameOf(one)}</span> },
    { name: 'Kind', width: '88px', cell: ({ kind }) => KINDS[kind] },
    { name: 'Error', width: 'minmax(200px, 2fr)', cell: ({ error }) => <span title={error}>{error}</span> },
    { name: 'Tries', width: '56px', isRight: true, cell: ({ tries }) => tries },
    { name: 'Failed', width: '130px', cell: ({ failedAt }) => <Time at={failedAt} /> },
    {
      name: 'Actions',
      width: '80px',
      isRight: true,
      cell: (delivery) => <RowActions {...{ namespace, delivery, onChange }} />,
    },
  ];
}

function RedeliverAll({
  namespace,
  list,
}: {
  readonly namespace: string;
  readonly list: Loaded<FailedDeliveriesReply>;
}) {
  const total = list.value.value?.pageInfo.total ?? 0;
  const deliver = async () => {
    const { redelivered, failed } = await call('redeliverAll', { namespace });
    say(`Delivered ${redelivered}${failed > 0 ? `, ${failed} failed again` : ''}`);
    list.reload();
  };
  return (
    <div class="events-tools">
      <p class="grows quiet">Tried again several times, and given up.</p>
      {may('redeliverAll') && (
        <Confirm label="Deliver all" icon="retry" act="Deliver" onConfirm={deliver}>
          Delivers {count(total, 'delivery', 'deliveries')} again, at most a thousand. What was taken before is not
          taken twice.
        </Confirm>
      )}
    </div>
  );
}

/** Events and ticks of schedules that could not be delivered, with their errors. */
export function FailedDeliveries({ namespace }: { readonly namespace: string }) {
  const loaded = useLoad('listFailedDeliveries', { namespace });
  const { value, error, reload } = loaded;
  const list = value.value?.results;
  if (error.value !== undefined)
    return <ErrorNote title="They cannot be listed" error={error.value} onRetry={reload} />;
  if (list === undefined) return <Skeleton lines={5} />;
  if (list.length === 0) {
    return (
      <Empty icon="check" title="Everything was delivered">
        <p>An event or a tick of the clock that could not be delivered stands here with its error, to be sent again.</p>
      </Empty>
    );
  }
  return (
    <>
      <RedeliverAll namespace={namespace} list={loaded} />
      <Table
        label="Failed deliveries"
        columns={columnsFor(namespace, reload)}
        rows={list}
        keyOf={({ id }) => id}
        narrow={(one) => (
          <span class="two-lines">
            <span class="strong cut">{nameOf(one)}</span>
            <Time at={one.failedAt} />
            <span class="cut">{one.error}</span>
          </span>
        )}
      />
    </>
  );
}
