import type { Plan, StatePlan } from '../../compiler/plan/plan.ts';
import type { CloudEvent } from '../../events/cloud-event.ts';
import { toValue } from '../../language/byte-values.ts';
import { isObject } from '../../language/json.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import { ownMember } from '../../language/own-members.ts';
import type { Ports } from '../../ports/ports.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { ServiceError } from '../errors.ts';
import * as events from '../events/events.ts';
import { isCrashedCall, resultOf } from '../runs/call-results.ts';
import type { RecordedCall, RecordedStep } from '../runs/records.ts';
import * as runs from '../runs/runs.ts';
import { needOfRun } from '../tree/kept-sources.ts';
import * as revisions from '../tree/revisions.ts';
import { recordedVariables } from './bundled-variables.ts';
import { inputOf, outputOf } from './instances.ts';
import { type StepData, stepsWithData } from './timeline.ts';

type Needs = Pick<Ports, 'table' | 'blobs'>;

/** The version of the form of a bundle. */
const VERSION = 1;

/** A call of a function that returned. Times are milliseconds: after the start of the run, and of the call. */
interface BundledCall {
  readonly function: string;
  readonly state: string;
  readonly after: number;
  readonly took: number;
  readonly return?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A decision of an approval, `after` the start of the run, milliseconds. */
interface BundledDecision {
  readonly after: number;
  readonly state: string;
  readonly choice: string;
  readonly form?: unknown;
  readonly by?: unknown;
  readonly from?: unknown;
}

/** The inputs of a run from outside: calls, events and decisions. */
interface Collected {
  readonly calls: readonly BundledCall[];
  readonly events: readonly { readonly after: number; readonly event: CloudEvent }[];
  readonly decisions: readonly BundledDecision[];
  /** The parts that the bundle lacks, for the user. */
  readonly notes: readonly string[];
}

const shown = (value: unknown): unknown => {
  if (!isObject(value)) return value;
  const { private: _, ...rest } = value;
  return rest;
};

function functionOf(state: StatePlan | undefined, { i }: RecordedCall): string | undefined {
  const work = state?.work;
  if (work?.do === 'call' || work?.do === 'each') return work.action.function;
  return work?.do === 'all' ? work.actions[i]?.function : undefined;
}

function toCall(run: runs.Run, child: runs.Run, state: string, name: string): BundledCall {
  const { status, code, message, created, updated } = child;
  const hasFailed = status !== 'complete' || isCrashedCall(child);
  return {
    function: name,
    state,
    after: created - run.created,
    took: updated - created,
    ...(hasFailed ? { error: { code, message } } : { return: shown(resultOf(child)) }),
  };
}

/** The result of a call in the data of a state without a transform; undefined if it is not there. */
function resultIn({ step, after }: StepData, state: StatePlan | undefined, { i }: RecordedCall): unknown {
  if (state === undefined || state.exit.transform !== undefined || step.error !== undefined) return undefined;
  const value = after?.['return'];
  return state.work.do === 'call' ? value : Array.isArray(value) ? (value as readonly unknown[])[i] : undefined;
}

/** A call whose child is not stored: that of an HTTP API which returned within the step. The record has its error. */
function toUnstoredCall(run: runs.Run, made: MadeCall, name: string, plan: Plan): BundledCall {
  const { at, call } = made;
  const { state, entered } = at.step;
  const base = { function: name, state, after: entered - run.created, took: 0 };
  if (call.code !== undefined) return { ...base, error: { code: call.code, message: call.message ?? '' } };
  const result = resultIn(at, ownMember(plan.states, state), call);
  return result === undefined ? base : { ...base, return: shown(result) };
}

/** A call of the record, and the visit of the state that made it. */
interface MadeCall {
  readonly at: StepData;
  readonly call: RecordedCall;
}

async function callsOf(ports: Needs, run: runs.Run, steps: readonly StepData[], plan: Plan) {
  const made = steps.flatMap((at): MadeCall[] => (at.step.calls ?? []).map((call) => ({ at, call })));
  const ids = made.map(({ call }) => call.id);
  const children = await runs.findMany(ports, ids);
  const calls = made.flatMap((one, index) => {
    const { state } = one.at.step;
    const name = functionOf(ownMember(plan.states, state), one.call);
    const child = children[index];
    if (name === undefined) return [];
    return [child === undefined ? toUnstoredCall(run, one, name, plan) : toCall(run, child, state, name)];
  });
  const sorted = calls.toSorted((a, b) => a.after - b.after);
  const notes = sorted.flatMap((call, index) => {
    if ('return' in call || 'error' in call) return [];
    return [
      `the result of a call of '${call.function}' is not stored; write it into the bundle, as calls[${index}].return`,
    ];
  });
  return { calls: sorted, notes };
}

async function eventsOf(ports: Needs, run: runs.Run, steps: readonly RecordedStep[]) {
  const ids = steps.flatMap((step) => step.events ?? []);
  const notes: string[] = [];
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        return await events.need(ports, run.namespaceId, id);
      } catch (error) {
        if (!(error instanceof ServiceError && error.code === 'not-found')) throw error;
        notes.push(`the event ${id} is not stored any more`);
        return undefined;
      }
    }),
  );
  const taken = found.flatMap((one) =>
    one === undefined ? [] : [{ after: Math.max(one.due - run.created, 0), event: one.event }],
  );
  return { events: taken.toSorted((a, b) => a.after - b.after), notes };
}

/** The decision of a visit; without its form and decider where the record lacks them, undefined for a visit without one. */
function decisionOf(run: runs.Run, { step, after }: StepData): BundledDecision | undefined {
  const [, choice] = (step.type === 'approval' && /^choice (.*)$/.exec(step.because ?? '')) || [];
  if (choice === undefined) return undefined;
  const { state, results, entered, left = entered } = step;
  const found = results?.['decision'] ?? after?.['return'];
  const isKept = isObject(found) && found['choice'] === choice && typeof found['at'] === 'string';
  if (!isKept) return { after: left - run.created, state, choice };
  const { form, by, from, at } = found;
  return { after: Date.parse(at as string) - run.created, state, choice, form: shown(form), by, from };
}

function decisionsOf(run: runs.Run, visits: readonly StepData[]) {
  const decisions = visits.flatMap((visit) => decisionOf(run, visit) ?? []);
  const notes = decisions.flatMap(({ form, state }, index) =>
    form === undefined
      ? [`the form of the decision of '${state}' is not stored; write it into the bundle, as decisions[${index}].form`]
      : [],
  );
  return { decisions, notes };
}

function gapsOf({ record, code }: runs.Run, steps: readonly RecordedStep[]): string[] {
  const notes: string[] = [];
  const { elided } = record;
  if (elided !== undefined) {
    notes.push(`the record lacks the states ${elided.from} to ${elided.to}, with their calls and events`);
  }
  for (const { state, calls = [], callCount = calls.length } of steps) {
    if (callCount > calls.length) notes.push(`the record lacks ${callCount - calls.length} calls of '${state}'`);
  }
  if (/\.cancels\./.test(code)) notes.push('the run was cancelled or timed out, which a replay may not repeat');
  return notes;
}

async function collect(ports: Needs, run: runs.Run, visits: readonly StepData[], plan: Plan): Promise<Collected> {
  const steps = visits.map(({ step }) => step);
  const [{ calls, notes: ofCalls }, { events: taken, notes: ofEvents }] = await Promise.all([
    callsOf(ports, run, visits, plan),
    eventsOf(ports, run, steps),
  ]);
  const { decisions, notes: ofDecisions } = decisionsOf(run, visits);
  const notes = [...gapsOf(run, steps), ...ofCalls, ...ofEvents, ...ofDecisions];
  return { calls, events: taken, decisions, notes };
}

function secretsOf({ states }: Plan): string[] {
  const actions = Object.values(states).flatMap(({ work }) => {
    if (work.do === 'call' || work.do === 'each') return [work.action];
    return work.do === 'all' ? work.actions : [];
  });
  return [...new Set(actions.flatMap(({ secrets }) => secrets))];
}

/** The input as JSON; an input that is no JSON is its bytes as base64, as workflows see it. */
function inputValueOf(run: runs.Run): unknown {
  return run.input.length === 0 ? {} : toValue(inputOf(run));
}

/**
 * All that a run saw: its workflow, input, events, decisions, results of calls, variables and times, and how it ended. It contains no
 * secrets, but their names; members named `private` are left out. Throws `invalid` for a run that has not ended or has no
 * record, and `not-found` if its revision was deleted.
 */
export async function toBundle(ports: Needs, run: runs.Run) {
  if (run.status === 'pending')
    throw new ServiceError('invalid', 'the run has not ended; wait for its end or cancel it');
  const visits = await stepsWithData(ports, run);
  const steps = visits.map(({ step }) => step);
  if (steps.length === 0) throw new ServiceError('invalid', 'the run has no record; its namespace keeps none');
  const revision = await needOfRun(ports, run);
  const plan = revisions.planOf(revision);
  const { calls, events: taken, decisions, notes } = await collect(ports, run, visits, plan);
  const { variables, notes: ofVariables } = await recordedVariables(ports, run, steps, plan);
  const { status, code, message, flow, created, updated } = run;
  return {
    weftBundle: VERSION,
    instance: { id: run.id, namespace: run.namespace, revision: run.revision, startedAt: toTimestamp(created) },
    workflow: { path: run.path.replace(/^\//, ''), source: revision.source },
    input: inputValueOf(run),
    calls,
    events: taken,
    decisions,
    variables,
    secrets: secretsOf(plan),
    outcome: omitUndefined({
      status,
      error: code === '' ? undefined : { code, message },
      output: outputOf(run),
      states: flow,
      took: updated - created,
    }),
    notes: [...notes, ...ofVariables],
  };
}
