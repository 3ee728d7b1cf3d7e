import type { ComponentChildren } from 'preact';
import type { WaitingReply } from '../../../clients/api/operations.ts';
import { may } from '../../data/api/session.ts';
import { count, numeric, times } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { ButtonLink } from '../../parts/button/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Id, Time } from '../../parts/value/value.tsx';
import { NearMisses } from './near-misses.tsx';

/** The wait of a run. */
export type Wait = NonNullable<WaitingReply['waiting']>;
type Events = NonNullable<Wait['for']['events']>;
type Calls = NonNullable<Wait['for']['calls']>;
type Approval = NonNullable<Wait['for']['approval']>;

interface WaitingProps {
  readonly namespace: string;
  readonly instance: string;
  readonly wait: Wait;
  readonly cancelOn?: CancelOn | undefined;
}

/** Whether a run waits for something from outside: an event or a decision. */
export const isForOutside = (wait: Wait | undefined): boolean =>
  wait !== undefined && (wait.for.events !== undefined || wait.for.approval !== undefined);

/** The attributes that an event must have. */
function FilterWords({ context }: { readonly context: Readonly<Record<string, unknown>> }) {
  const pairs = Object.entries(context);
  if (pairs.length === 0) return <> of any attributes</>;
  return (
    <>
      {' with '}
      {pairs.map(([name, value], index) => (
        <span key={name}>
          {index > 0 && ', '}
          <code>
            {name}={typeof value === 'string' ? value : JSON.stringify(value)}
          </code>
        </span>
      ))}
    </>
  );
}

function EventWords({ events: { mode, filters } }: { readonly events: Events }) {
  return (
    <>
      {filters.map(({ type, context, received }, index) => (
        <span key={`${type} ${JSON.stringify(context)}`}>
          {index > 0 && (mode === 'all' ? ' and ' : ' or ')}
          <code class="strong">{type}</code>
          <FilterWords context={context} />
          {received && mode === 'all' && <span class="quiet"> (received)</span>}
        </span>
      ))}
    </>
  );
}

function ApprovalWords({ approval: { subject, assignees, reminders } }: { readonly approval: Approval }) {
  return (
    <>
      a decision: <strong>{subject}</strong>
      {assignees.length > 0 && ` by ${assignees.join(', ')}`}
      {reminders > 0 && `, reminded ${times(reminders)}`}
    </>
  );
}

const callsText = ({ total, returned }: Calls): string =>
  total === 1 ? 'a call' : `${count(total, 'call')}, ${numeric(returned)} of them done`;

type Worker = NonNullable<Calls['open'][number]['worker']>;

function WorkerWords({ namespace, worker }: { readonly namespace: string; readonly worker: Worker }) {
  const { queue, status, worker: holder, leaseUntil, from } = worker;
  return (
    <>
      task for a worker of{' '}
      <a class="link" href={addresses.workers(namespace, { queue })}>
        {queue}
      </a>
      {status === 'ready' && ', which no worker has taken'}
      {status === 'leased' && (
        <>
          , held by <code>{holder || 'a worker without a name'}</code>
          {leaseUntil !== undefined && (
            <>
              {' '}
              until <Time at={leaseUntil} />
            </>
          )}
        </>
      )}
      {status === 'delayed' && from !== undefined && (
        <>
          , offered again <Time at={from} />
        </>
      )}
    </>
  );
}

/** The time of the next attempt, and the error of the failed one. */
function Retry({ retry }: { readonly retry: NonNullable<Calls['open'][number]['retry']> }) {
  const { attempt, of, at, error } = retry;
  return (
    <>
      {', '}
      <strong>
        attempt {attempt + 1}
        {of !== undefined && ` of ${of + 1}`} <Time at={at} />
      </strong>
      {error !== undefined && (
        <>
          {', after '}
          <code class="is-failed">{error.code}</code> {error.message}
        </>
      )}
    </>
  );
}

const MOST_CALLS = 5;

function OpenCall({ namespace, call }: { readonly namespace: string; readonly call: Calls['open'][number] }) {
  const { attempt, instance, status, workflow, worker, retry } = call;
  const name = worker === undefined ? workflow || `call ${call.call + 1}` : undefined;
  if (status === 'not begun') {
    return (
      <>
        {name}
        {retry === undefined && <span class="quiet">, not begun</span>}
      </>
    );
  }
  return (
    <>
      {attempt > 0 && retry === undefined && <span class="quiet">attempt {attempt + 1}: </span>}
      {worker === undefined ? name : <WorkerWords namespace={namespace} worker={worker} />}{' '}
      <Id id={instance} of="the child’s id" href={addresses.run(namespace, instance)} />
    </>
  );
}

/** What a call waits for by the limits of its function. */
function limitText({ concurrency, held }: Calls['open'][number]): string {
  if (concurrency === undefined) return `held back by the rate of functions of ${held?.scope} until ${held?.until}`;
  return `number ${numeric(concurrency.place)} in the queue of functions of ${concurrency.scope}`;
}

function OpenCalls({ namespace, calls: { open } }: { readonly namespace: string; readonly calls: Calls }) {
  return (
    <ul class="near-misses">
      {open.slice(0, MOST_CALLS).map((one) => (
        <li key={`${one.call} ${one.attempt}`}>
          <OpenCall namespace={namespace} call={one} />
          {(one.concurrency ?? one.held) !== undefined && <span class="quiet">, {limitText(one)}</span>}
          {one.retry !== undefined && <Retry retry={one.retry} />}
        </li>
      ))}
      {open.length > MOST_CALLS && <li class="quiet">and {numeric(open.length - MOST_CALLS)} more</li>}
    </ul>
  );
}

function Words({ wait }: Pick<WaitingProps, 'wait'>) {
  const { approval, events, calls } = wait.for;
  if (approval !== undefined) return <ApprovalWords approval={approval} />;
  if (events !== undefined) return <EventWords events={events} />;
  if (calls !== undefined) return <>{callsText(calls)}</>;
  return <>time to pass</>;
}

/** The action that can end the wait. */
function Act({ namespace, instance, wait }: WaitingProps): ComponentChildren {
  const { approval, events } = wait.for;
  if (approval !== undefined && may('getApproval')) {
    return (
      <ButtonLink icon="approvals" href={addresses.approvals(namespace, { run: instance })}>
        Decide
      </ButtonLink>
    );
  }
  const [first] = events?.filters.filter(({ received }) => !received) ?? [];
  if (first === undefined || !may('broadcastEvent')) return null;
  const template = { send: first.type, attributes: JSON.stringify(first.context) };
  return (
    <ButtonLink icon="send" href={addresses.events(namespace, template)}>
      Send it
    </ButtonLink>
  );
}

/** The event that cancels a run in any state. */
export type CancelOn = NonNullable<WaitingReply['cancelOn']>;

/** Which event cancels the run. */
export function CancelWords({ namespace, cancelOn }: { readonly namespace: string; readonly cancelOn: CancelOn }) {
  const { type, context } = cancelOn;
  return (
    <p class="quiet">
      Cancelled by{' '}
      {may('broadcastEvent') ? (
        <a class="link" href={addresses.events(namespace, { send: type, attributes: JSON.stringify(context) })}>
          <code>{type}</code>
        </a>
      ) : (
        <code>{type}</code>
      )}
      <FilterWords context={context} />
    </p>
  );
}

/** The wait of a run: for what, since when and until when, and the actions that can end it. */
export function Waiting(props: WaitingProps) {
  const { namespace, wait, cancelOn } = props;
  return (
    <div class={`reason ${isForOutside(wait) ? 'waiting-reason' : 'resting-reason'}`}>
      <Icon name={wait.for.delay === undefined ? 'wait' : 'clock'} />
      <div class="grows">
        <p>
          Waits for <Words wait={wait} /> since <Time at={wait.since} />
          <span class="quiet">
            , until <Time at={wait.until} />
          </span>
        </p>
        {cancelOn !== undefined && <CancelWords {...{ namespace, cancelOn }} />}
        <NearMisses namespace={namespace} misses={wait.nearMisses} />
        {wait.for.calls !== undefined && <OpenCalls namespace={namespace} calls={wait.for.calls} />}
      </div>
      <Act {...props} />
    </div>
  );
}
