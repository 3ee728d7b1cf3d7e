import type { InstanceReply, TimelineReply } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { may } from '../../data/api/session.ts';
import type { StreamState } from '../../data/api/streams.ts';
import { useTask } from '../../data/api/task.ts';
import { saveAs } from '../../data/api/transfer.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { setQuery } from '../../data/navigation/location.ts';
import { isOver, type Status, triggerOf } from '../../data/runs/status.ts';
import { Button } from '../../parts/button/button.tsx';
import { Confirm } from '../../parts/confirm/confirm.tsx';
import { Head } from '../../parts/head/head.tsx';
import { LiveMark } from '../../parts/live/live.tsx';
import { StatusWord } from '../../parts/status/status.tsx';
import { say } from '../../parts/toast/toast.tsx';
import { Duration, Id, Time } from '../../parts/value/value.tsx';
import { FROM_INPUT } from './repeat-panel.tsx';

interface RunHeadProps {
  readonly namespace: string;
  readonly reply: InstanceReply;
  readonly status: Status;
  readonly state: StreamState;
  readonly timeline: TimelineReply | undefined;
}

async function saveBundle(namespace: string, id: string): Promise<void> {
  const bundle = await call('getInstanceBundle', { namespace, instance: id });
  saveAs(`${id}.bundle.json`, new Blob([JSON.stringify(bundle, null, 2)], { type: 'application/json' }));
}

/** Saves the bundle of a run, which `weft replay` runs again without the service. */
function BundleButton({ namespace, id }: { readonly namespace: string; readonly id: string }) {
  const task = useTask();
  const save = async () => {
    if (!(await task.run(() => saveBundle(namespace, id))))
      say(`The bundle was not saved: ${task.error.value?.message}`, { isWrong: true });
  };
  return (
    <Button icon="download" label="Download the bundle for weft replay" isBusy={task.isBusy.value} onClick={save} />
  );
}

function Actions({ namespace, reply }: RunHeadProps) {
  const { instance } = reply;
  const cancel = async () => {
    await call('cancelInstance', { namespace, instance: instance.id });
    say('The run was cancelled');
  };
  return (
    <>
      {isOver(instance) && may('getInstanceBundle') && <BundleButton namespace={namespace} id={instance.id} />}
      {isOver(instance) && may('rerunInstance') && (
        <Button icon="retry" onClick={() => setQuery({ repeat: FROM_INPUT })}>
          Run again
        </Button>
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

/** The labels of the run; each is a link to the runs that have it. */
function Labels({ namespace, labels = {} }: { readonly namespace: string; readonly labels: InstanceReply['labels'] }) {
  return (
    <>
      {Object.entries(labels).map(([name, value]) => (
        <a
          key={name}
          class="label-chip"
          href={addresses.runs(namespace, { label: `${name}=${value}` })}
          title="Runs with this label"
        >
          <span class="quiet">{name}</span> <span class="cut">{value}</span>
        </a>
      ))}
    </>
  );
}

/** Links to the repeated run, and to the newest repetition of this one. */
function Repetitions({ namespace, timeline }: Pick<RunHeadProps, 'namespace' | 'timeline'>) {
  const { rerunOf, reruns = [] } = timeline ?? {};
  const newest = reruns.at(-1);
  return (
    <>
      {rerunOf !== undefined && (
        <a class="link" href={addresses.run(namespace, rerunOf)}>
          Repeats a run
        </a>
      )}
      {newest !== undefined && (
        <a class="link" href={addresses.run(namespace, newest)}>
          {reruns.length === 1 ? 'Repeated by a run' : `Repeated ${reruns.length} times`}
        </a>
      )}
    </>
  );
}

/** The head of the page of a run: its name, its status, and the actions on it. */
export function RunHead(props: RunHeadProps) {
  const { namespace, reply, status, state, timeline } = props;
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
          <Labels namespace={namespace} labels={reply.labels} />
          <Repetitions namespace={namespace} timeline={timeline} />
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
