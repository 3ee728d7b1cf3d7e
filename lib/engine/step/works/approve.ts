import type { ApproveWork, ReminderPlan } from '../../../compiler/plan/plan.ts';
import { isFulfilled, type Listening, type OpenApproval } from '../../../domain/runs/waits.ts';
import { isObject } from '../../../language/json.ts';
import { addDuration, parseDuration } from '../../../time/durations.ts';
import { APPROVAL_EVENT, type Decision, decisionOf } from '../../approvals/decisions.ts';
import { linksOf, newKey } from '../../approvals/links.ts';
import { startAsync } from '../../calls/async.ts';
import { evaluate, evaluateText } from '../../evaluation/evaluation.ts';
import { failure, internalFailure } from '../../evaluation/failures.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import { Suspend } from '../../run/suspension.ts';
import { endOfWait } from '../../run/timeouts.ts';
import { eventOf } from './emit.ts';
import type { Perform, Resume } from './work.ts';

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one) =>
    one === undefined || one === null ? [] : [typeof one === 'string' ? one : JSON.stringify(one)],
  );

async function begin(unit: StepUnit, { subject, text, assignees }: ApproveWork): Promise<OpenApproval> {
  const shown = text === undefined ? [] : textsOf(await evaluate(text, unit.data));
  return {
    key: newKey(unit.ports),
    subject: await evaluateText(subject, unit.data),
    ...(shown[0] === undefined ? {} : { text: shown[0] }),
    assignees: assignees === undefined ? [] : textsOf(await evaluate(assignees, unit.data)),
    reminded: 0,
  };
}

const timeOf = (unit: StepUnit, { after }: ReminderPlan): number => {
  const duration = parseDuration(after);
  return duration === undefined ? unit.entered : addDuration(unit.entered, duration);
};

/** Waits for the decision, until the next reminder at the latest. */
function waitFor(unit: StepUnit, work: ApproveWork, approval: OpenApproval): Suspend {
  const next = work.reminders[approval.reminded];
  const end = endOfWait(unit.entered, work.timeout);
  const until = next === undefined ? end : Math.min(end, timeOf(unit, next));
  const filters = [{ type: APPROVAL_EVENT, context: {} }];
  const listening: Listening = { mode: 'one', filters, received: [null], since: unit.since, token: '' };
  return new Suspend({ isWaiting: true, until, listening, approval });
}

/** The data that the calls of an approval see. */
const dataWithLinks = ({ ports, run, data }: StepUnit, { choices }: ApproveWork, approval: OpenApproval) => ({
  ...data,
  subject: approval.subject,
  links: linksOf(ports, { run: run.id, key: approval.key }, choices),
});

/** Makes the reminders that are due. */
async function remind(unit: StepUnit, work: ApproveWork, approval: OpenApproval, now: number): Promise<OpenApproval> {
  let { reminded } = approval;
  for (const reminder of work.reminders.slice(reminded)) {
    if (timeOf(unit, reminder) > now) break;
    reminded += 1;
    const data = dataWithLinks(unit, work, approval);
    if (reminder.action !== undefined) await startAsync(unit, reminder.action, { i: reminded, data });
    if (reminder.event !== undefined) unit.send(await eventOf(unit, reminder.event));
  }
  return { ...approval, reminded };
}

/** Leaves the state by the exit of the choice. */
function leaveBy(unit: StepUnit, work: ApproveWork, { choice, form, by, at, from }: Decision) {
  unit.data = { ...unit.data, return: { choice, form, by, at, from } };
  unit.log(`Approval decided: '${choice}' by '${by}' from ${from === '' ? 'an unknown address' : from}.`);
  unit.recorder.note({ because: `choice ${choice}` });
  const exit = work.choices.find(({ name }) => name === choice);
  if (exit === undefined) throw internalFailure(`the state has no choice '${choice}'`);
  if (exit.transform !== undefined) unit.recorder.noteDecision({ choice, form, by, at, from });
  return exit;
}

/**
 * Asks for a decision. The key of the links is committed before they are sent, so that a repeated step sends the same
 * links.
 */
export const approve: Perform<'approve'> = async (unit, work) => {
  const approval = await begin(unit, work);
  unit.log(`Approval requested: ${approval.subject}`);
  const hasLinks = work.notify !== undefined || work.reminders.some(({ action }) => action !== undefined);
  return hasLinks ? new Suspend({ isWaiting: false, until: unit.entered, approval }) : waitFor(unit, work, approval);
};

/** Goes on after the decision, makes the reminders that are due, or throws the catchable `approval.timeout`. */
export const resumeApprove: Resume<'approve'> = async (unit, work, { wait, signal }) => {
  const { approval, listening } = wait;
  if (approval === undefined) throw internalFailure('the wait has no approval');
  if (!wait.isWaiting) {
    const data = dataWithLinks(unit, work, approval);
    if (work.notify !== undefined) await startAsync(unit, work.notify, { i: 0, data });
    return waitFor(unit, work, approval);
  }
  const decision = listening !== undefined && isFulfilled(listening) ? decisionOf(listening) : undefined;
  if (decision !== undefined && isObject(decision)) return leaveBy(unit, work, decision);
  if (signal.kind === 'machineFailed') throw internalFailure(`the wait failed: ${signal.error}: ${signal.cause}`);
  const now = Math.max(unit.ports.clock.now(), wait.wake);
  if (now >= endOfWait(unit.entered, work.timeout))
    throw failure('approval.timeout', 'the approval was not decided in time');
  return waitFor(unit, work, await remind(unit, work, approval, now));
};
