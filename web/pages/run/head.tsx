import { call } from '../../data/api/client.ts';
import type { InstanceReply } from '../../data/api/operations.ts';
import { may } from '../../data/api/session.ts';
import type { StreamState } from '../../data/api/streams.ts';
import { textOfBase64 } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { go } from '../../data/navigation/location.ts';
import { isOver, type Status, triggerOf } from '../../data/runs/status.ts';
import { Confirm } from '../../parts/confirm/confirm.tsx';
import { Head } from '../../parts/head/head.tsx';
import { LiveMark } from '../../parts/live/live.tsx';
import { StatusWord } from '../../parts/status/status.tsx';
import { say } from '../../parts/toast/toast.tsx';
import { Duration, Id, Time } from '../../parts/value/value.tsx';

interface RunHeadProps {
  readonly namespace: string;
  readonly reply: InstanceReply;
  readonly status: Status;
  readonly state: StreamState;
}

async function runAgain(namespace: string, { instance, workflow }: InstanceReply): Promise<void> {
  const { data } = await call('getInstanceInput', { namespace, instance: instance.id });
  const started = await call('executeWorkflow', { namespace, node: workflow.path }, { body: textOfBase64(data) });
  go(addresses.run(namespace, started.instance));
}

function Actions({ namespace, reply }: RunHeadProps) {
  const { instance, workflow } = reply;
  const cancel = async () => {
    await call('cancelInstance', { namespace, instance: instance.id });
    say('The run was cancelled');
  };
  return (
    <>
      {isOver(instance) && may('executeWorkflow') && (
        <Confirm label="Run again" icon="retry" kind="plain" act="Start" onConfirm={() => runAgain(namespace, reply)}>
          Starts a new run of the latest revision of <code>{workflow.path}</code> with the same input. What the first
          run did outside may happen again.
        </Confirm>
      )}
      {!isOver(instance) && may('cancelInstance') && (
        <Confirm label="Cancel" icon="stop" act="Cancel the run" onConfirm={cancel}>
          Ends this run and the child runs that it waits for. What they have done stays done.
        </Confirm>
      )}
    </>
  );
}

function Trigger({ namespace, reply }: Pick<RunHeadProps, 'namespace' | 'reply'>) {
  const { word, kind, id } = triggerOf(reply.instance.invoker);
  if (kind === 'instance') {
    return (
      <span>
        Started by{' '}
        <a class="link" href={addresses.run(namespace, id)}>
          a parent run
        </a>
      </span>
    );
  }
  return <span>Started by {word === 'API' ? 'the API' : word.toLowerCase()}</span>;
}

/** What run this is, how it stands, and what can be done with it. */
export function RunHead(props: RunHeadProps) {
  const { namespace, reply, status, state } = props;
  const { instance, workflow } = reply;
  const end = isOver(instance) ? instance.updatedAt : undefined;
  return (
    <Head
      name={`${instance.as} ${status}`}
      title={
        <>
          <StatusWord status={status} />
          <a href={addresses.tree(namespace, workflow.path)}>{instance.as}</a>
        </>
      }
      detail={
        <>
          <Id id={instance.id} of="the run’s id" />
          <span>
            {end === undefined && 'Started '}
            <Time at={instance.createdAt} />
          </span>
          {end !== undefined && (
            <span>
              took <Duration from={instance.createdAt} to={end} />
            </span>
          )}
          <Trigger namespace={namespace} reply={reply} />
          <span class="line">
            Revision <Id id={workflow.revision} of="the revision" />
          </span>
          {end === undefined && <LiveMark state={state} />}
        </>
      }
      actions={<Actions {...props} />}
    />
  );
}
