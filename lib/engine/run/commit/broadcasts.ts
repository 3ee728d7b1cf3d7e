import { isCancelledCode, type Run } from '../../../domain/runs/runs.ts';
import { type AlertKind, alertEvent } from '../../../events/alerts.ts';
import { broadcastEvent, instanceLogEvent } from '../../../events/broadcasts.ts';
import type { CloudEvent } from '../../../events/cloud-event.ts';
import { addDuration, parseDuration } from '../../../time/durations.ts';
import type { EnginePorts } from '../../ports.ts';

type Naming = Pick<EnginePorts, 'clock' | 'settings'>;

const factsOf = ({ id, path }: Run) => ({ workflowPath: path, instanceId: id });

/** The event of a run's start; undefined if its namespace does not ask for it. */
export function startEvent({ clock, settings }: Naming, run: Run): CloudEvent | undefined {
  if (!run.settings.broadcasts.includes('instance.started')) return undefined;
  const facts = { ...factsOf(run), caller: run.invoker };
  return broadcastEvent('instance.started', facts, { id: clock.uuid(), source: settings.brand });
}

/**
 * The event of a run's end; undefined if its namespace does not ask for it. A run that ended with the error of an error
 * state counts as a success (rest-api reference, 4.7).
 */
export function endEvent({ clock, settings }: Naming, run: Run): CloudEvent | undefined {
  const isSuccess = run.status === 'complete' || (run.status === 'failed' && run.raised?.code === run.code);
  const kind = isSuccess ? 'instance.success' : 'instance.failed';
  if (run.status === 'pending' || !run.settings.broadcasts.includes(kind)) return undefined;
  return broadcastEvent(kind, factsOf(run), { id: clock.uuid(), source: settings.brand });
}

/** The event of a line that a state logs; undefined if the workflow has no logger. */
export function logEvent({ clock, settings }: Naming, run: Run, text: string): CloudEvent | undefined {
  const { logger } = run.settings;
  if (logger === '') return undefined;
  return instanceLogEvent({ id: clock.uuid(), workflowId: run.workflowId, text, logger, brand: settings.brand });
}

/**
 * The event by which a run that has failed makes an alert; undefined for any other run. The end of a run that another one
 * waits for is the matter of that run, and a cancelled run did what was asked.
 */
export function failureAlert({ clock, settings }: Naming, run: Run): CloudEvent | undefined {
  const hasFailed = run.status === 'failed' || run.status === 'crashed';
  if (run.settings.alerts !== true || !hasFailed || run.parent !== undefined || isCancelledCode(run.code)) {
    return undefined;
  }
  return aboutRun({ clock, settings }, 'failed', run);
}

function aboutRun({ clock, settings }: Naming, kind: AlertKind, { id: instance, path: workflow }: Run): CloudEvent {
  return alertEvent({ kind, instance, workflow }, { id: clock.uuid(), brand: settings.brand });
}

/**
 * The event by which a run that goes on is late, and when that is due, milliseconds since 1970; undefined for any other run.
 * The commit with the first state sends it, so each run sends it once; a run that ends with that commit sends none.
 */
export function lateAlert(
  naming: Naming,
  before: Run,
  after: Run,
): { readonly event: CloudEvent; readonly at: number } | undefined {
  const { expected = '' } = after.settings;
  const within = parseDuration(expected);
  const isFirst = before.step === 0 && after.step > 0 && after.status === 'pending';
  if (within === undefined || !isFirst) return undefined;
  return { event: aboutRun(naming, 'late', after), at: addDuration(after.began ?? after.created, within) };
}
