import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { TimelineReply } from '../../../clients/api/operations.ts';
import { useLoad } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { into } from '../../data/api/task.ts';
import { byteSize } from '../../data/format/text.ts';
import { duration } from '../../data/format/time.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { setQuery } from '../../data/navigation/location.ts';
import type { Step } from '../../data/runs/steps.ts';
import { lastVisits, type RecordedStep } from '../../data/runs/timeline.ts';
import { Button } from '../../parts/button/button.tsx';
import { Diff } from '../../parts/diff/diff.tsx';
import { Segments } from '../../parts/filter/filter.tsx';
import { Json } from '../../parts/json/json.tsx';
import { ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { Time } from '../../parts/value/value.tsx';

interface StepTabProps {
  readonly namespace: string;
  readonly id: string;
  readonly isOver: boolean;
  readonly step: Step | undefined;
  readonly timeline: TimelineReply | undefined;
}

/** The recorded visit for a step of the log. */
const recordOf = (timeline: TimelineReply, { number, state }: Step): RecordedStep | undefined =>
  timeline.steps.find(({ n, state: id }) => n === number && id === state);

function Went({ step }: { readonly step: RecordedStep }) {
  const took = step.left === undefined ? undefined : duration(Date.parse(step.left) - Date.parse(step.entered));
  return (
    <p>
      Entered <Time at={step.entered} />
      {took !== undefined && `, took ${took}`}
      {step.to !== undefined && (
        <>
          , went to <code class="strong">{step.to}</code>
        </>
      )}
      {step.because !== undefined && <span class="quiet"> because of {step.because}</span>}
    </p>
  );
}

function StepError({ error }: { readonly error: NonNullable<RecordedStep['error']> }) {
  const { code, message, at, expression, saw, near = [] } = error;
  return (
    <section class="data-part" aria-label="Error">
      <h2 class="minor">Error</h2>
      <p>
        <code class="strong is-failed">{code}</code>
        {at !== undefined && <span class="quiet"> in line {at.line} of the source</span>}
      </p>
      <p class="reason-message">{message}</p>
      {expression !== undefined && <pre class="plain-text">{expression}</pre>}
      {saw !== undefined && (
        <p>
          It saw {saw.type}: <code>{saw.sample}</code>
        </p>
      )}
      {near.length > 0 && <p>Did you mean {near.join(', ')}?</p>}
    </section>
  );
}

const IS_RUN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function Calls({ namespace, step }: { readonly namespace: string; readonly step: RecordedStep }) {
  const calls = step.calls ?? [];
  if (calls.length === 0) return null;
  return (
    <section class="data-part" aria-label="Calls">
      <h2 class="minor">Calls</h2>
      <ul>
        {calls.map(({ call, attempt, instance, kind, to, status, ms, error, retryInMs, queuedMs }) => (
          <li class="child" key={`${call} ${attempt}`}>
            <span class="cut">
              Call {call + 1}, attempt {attempt + 1}
            </span>
            {to !== undefined && (
              <code class="cut">{[to, status, ms === undefined ? '' : `in ${duration(ms)}`].join(' ').trim()}</code>
            )}
            {kind === undefined && IS_RUN.test(instance) && (
              <a class="link" href={addresses.run(namespace, instance)}>
                its run
              </a>
            )}
            <span class={error === undefined ? 'quiet grows cut' : 'is-failed grows cut'}>
              {error === undefined ? '' : `${error.code}: ${error.message}`}
            </span>
            {queuedMs !== undefined && <span class="quiet">queued for {duration(queuedMs)}</span>}
            {retryInMs !== undefined && <span class="quiet">again after {duration(retryInMs)}</span>}
          </li>
        ))}
      </ul>
      {(step.callCount ?? 0) > calls.length && <p class="quiet">{step.callCount} calls in all.</p>}
    </section>
  );
}

function Events({ namespace, step }: { readonly namespace: string; readonly step: RecordedStep }) {
  const events = step.events ?? [];
  if (events.length === 0) return null;
  return (
    <section class="data-part" aria-label="Events taken">
      <h2 class="minor">Events taken</h2>
      <ul>
        {events.map((event) => (
          <li class="child" key={event}>
            <a class="link cut" href={addresses.event(namespace, event)}>
              {event}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const VIEWS = [
  { value: 'changes', label: 'Changes' },
  { value: 'before', label: 'Before' },
  { value: 'after', label: 'After' },
];

const pretty = (data: unknown): string => JSON.stringify(data, null, 2) ?? '';

/** Longer texts are not compared: that would block the page for seconds. */
const MOST_COMPARED = 300_000;

interface SidesProps {
  readonly before: unknown;
  readonly after: unknown;
}

/** The changes of the data by the step. */
function Changes({ before, after }: SidesProps) {
  const [left, right] = useMemo(() => [pretty(before), pretty(after)], [before, after]);
  if (before === undefined || after === undefined) {
    const [kept, lost] = before === undefined ? ['after', 'before'] : ['before', 'after'];
    return (
      <p class="quiet">
        Only the data {kept} the step was recorded: that {lost} it was too large, or there is none yet.
      </p>
    );
  }
  if (left === right) return <p class="quiet">The step did not change the data.</p>;
  if (Math.max(left.length, right.length) > MOST_COMPARED) {
    return (
      <p class="quiet">
        The data is too large to be compared here: {byteSize(left.length)} before, {byteSize(right.length)} after.
      </p>
    );
  }
  return <Diff before={left} after={right} label="Changes of the data" />;
}

function StepData({ namespace, id, step }: { readonly namespace: string; readonly id: string; readonly step: number }) {
  const view = useSignal('changes');
  const { value, error } = useLoad('getInstanceStep', { namespace, instance: id, step: String(step) });
  if (error.value !== undefined) return <ErrorNote title="The data of the step cannot be shown" error={error.value} />;
  const reply = value.value;
  if (reply === undefined) return <Skeleton lines={5} />;
  const { in: before, out: after } = reply;
  if (before === undefined && after === undefined)
    return <p class="quiet">The data was not recorded: it was too large, or it is in the middle of a loop.</p>;
  const chosen = view.value === 'before' ? before : after;
  return (
    <section class="data-part" aria-label="Data">
      <div class="line">
        <h2 class="minor grows">Data</h2>
        <Segments label="Data of the step" value={view.value} choices={VIEWS} onChange={into(view)} />
      </div>
      {view.value === 'changes' && <Changes before={before} after={after} />}
      {view.value !== 'changes' && chosen === undefined && <p class="quiet">Not recorded.</p>}
      {view.value !== 'changes' && chosen !== undefined && <Json value={chosen} label="Data of the step" />}
    </section>
  );
}

/** One step: the reason of its transition, its error, its calls with all attempts, and the data before and after it. */
export function StepTab({ namespace, id, isOver, step, timeline }: StepTabProps) {
  if (step === undefined)
    return (
      <div class="tab-body">
        <p class="quiet">Choose a step in the timeline, or a state in the diagram.</p>
      </div>
    );
  if (timeline === undefined) return <Skeleton lines={5} />;
  const record = recordOf(timeline, step);
  if (record === undefined)
    return (
      <div class="tab-body">
        <p class="quiet">
          {timeline.record === 'none'
            ? 'The namespace records nothing of its runs.'
            : 'This visit was not recorded: it is in the middle of a loop, or still in progress.'}
        </p>
      </div>
    );
  const isLast = lastVisits(timeline).some(({ n }) => n === record.n);
  return (
    <div class="tab-body">
      <div class="line wraps">
        <h2 class="grows cut">
          Step {record.n}, <code>{record.state}</code>
        </h2>
        {isOver && isLast && may('rerunInstance') && (
          <Button icon="branch" onClick={() => setQuery({ repeat: String(record.n) })}>
            Run from here
          </Button>
        )}
      </div>
      <Went step={record} />
      {record.error !== undefined && <StepError error={record.error} />}
      <Calls namespace={namespace} step={record} />
      <Events namespace={namespace} step={record} />
      <StepData key={record.n} namespace={namespace} id={id} step={record.n} />
    </div>
  );
}
