import { useMemo } from 'preact/hooks';
import type { ExplanationReply } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { useLoad } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { useTask } from '../../data/api/task.ts';
import { eventIn, waitingRun } from '../../data/events/events.ts';
import { textOfBase64 } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { Button, ButtonLink } from '../../parts/button/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Json } from '../../parts/json/json.tsx';
import { ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { say } from '../../parts/toast/toast.tsx';
import { RunLink, WorkflowLink } from '../../parts/value/links.tsx';
import { CopyButton, Id, Time } from '../../parts/value/value.tsx';

type Listening = ExplanationReply['listeners'][number];

const shown = (value: unknown): string =>
  value === undefined || value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);

/** Which attribute differed. */
function Difference({ failed }: { readonly failed: Listening['failed'] | undefined }) {
  if (failed === undefined) return null;
  return (
    <p class="difference">
      <code>{failed.attribute}</code> should be <code>{shown(failed.expected)}</code> and was{' '}
      <code>{shown(failed.found)}</code>
    </p>
  );
}

function Listener({ namespace, listening }: { readonly namespace: string; readonly listening: Listening }) {
  const { listener, workflow, matches, did, started } = listening;
  const run = waitingRun(listener);
  return (
    <li class={`listening${matches ? ' took' : ''}`}>
      <Icon name={matches ? 'check' : 'close'} />
      <div class="grows">
        <p>
          <WorkflowLink {...{ namespace, workflow }} />{' '}
          {run !== undefined && <RunLink namespace={namespace} id={run} />}
        </p>
        <p class="quiet">{listening.failed === undefined ? did : 'not delivered: an attribute differs'}</p>
        <Difference failed={listening.failed} />
        {started !== undefined && (
          <p>
            Started <RunLink namespace={namespace} id={started} />
          </p>
        )}
      </div>
    </li>
  );
}

function Explanation({ namespace, explained }: { readonly namespace: string; readonly explained: ExplanationReply }) {
  const { listeners, routed } = explained;
  const ordered = listeners.toSorted((a, b) => Number(b.matches) - Number(a.matches));
  return (
    <section class="data-part" aria-label="What it did">
      <h2 class="minor">What it did</h2>
      {!routed && <p class="quiet">Its delivery is still in progress.</p>}
      {routed && listeners.length === 0 && <p class="quiet">Nothing listened to events of this type when it came.</p>}
      <ul class="listenings">
        {ordered.map((listening) => (
          <Listener key={`${listening.listener} ${listening.did}`} {...{ namespace, listening }} />
        ))}
      </ul>
    </section>
  );
}

function Actions({
  namespace,
  id,
  onReplay,
}: {
  readonly namespace: string;
  readonly id: string;
  readonly onReplay: () => void;
}) {
  const task = useTask();
  const replay = async () => {
    if (!(await task.run(() => call('replayEvent', { namespace, event: id })))) return;
    say('Sent again');
    onReplay();
  };
  if (!may('replayEvent')) return null;
  return (
    <>
      <div class="line wraps">
        <Button icon="retry" isBusy={task.isBusy.value} onClick={replay}>
          Replay
        </Button>
        <ButtonLink icon="send" href={addresses.event(namespace, id, { send: ' ' })}>
          Send one like it
        </ButtonLink>
      </div>
      {task.error.value && <ErrorNote title="It was not sent again" error={task.error.value} />}
    </>
  );
}

/** One event: its content, its listeners, the runs that it started or resumed, and which attribute differed. */
export function EventDetail({ namespace, id }: { readonly namespace: string; readonly id: string }) {
  const { value, error, reload } = useLoad('explainEvent', { namespace, event: id });
  const explained = value.value;
  const event = useMemo(() => explained && eventIn(explained.event), [explained]);
  if (error.value !== undefined)
    return <ErrorNote title="The event cannot be shown" error={error.value} onRetry={reload} />;
  if (explained === undefined) return <Skeleton lines={6} />;
  const { type, source, receivedAt, cloudevent } = explained.event;
  const text = textOfBase64(cloudevent);
  return (
    <div class="stack">
      <div>
        <p class="event-type">{type}</p>
        <p class="quiet">
          from {source}, <Time at={receivedAt} />
        </p>
        <Id id={id} of="the event’s id" />
      </div>
      <Actions namespace={namespace} id={id} onReplay={reload} />
      <Explanation namespace={namespace} explained={explained} />
      <section class="data-part" aria-label="Event">
        <div class="line">
          <h2 class="minor grows">Event</h2>
          <CopyButton text={text} label="Copy the event" />
        </div>
        {event === undefined ? <pre class="plain-text">{text}</pre> : <Json value={event} label="Event" />}
      </section>
    </div>
  );
}
