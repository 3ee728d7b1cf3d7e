import type { StatePlan } from '../../../compiler/plan/plan.ts';
import type { WaitingKind } from '../../../compiler/plan/traits.ts';
import { internalFailure } from '../../evaluation/failures.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import { all, resumeAll } from './all.ts';
import { approve, resumeApprove } from './approve.ts';
import { call, resumeCall } from './call.ts';
import { choose } from './choose.ts';
import { each, resumeEach } from './each.ts';
import { emit } from './emit.ts';
import { listen, listenAny, resumeListen, resumeListenAny } from './listen.ts';
import { nothing } from './nothing.ts';
import { raise } from './raise.ts';
import { read } from './read.ts';
import { resumeSleep, sleep } from './sleep.ts';
import { validate } from './validate.ts';
import type { EndedWait, Kind, Perform, Result, Resume, WorkOf } from './work.ts';
import { write } from './write.ts';

const PERFORM: { readonly [K in Kind]: Perform<K> } = {
  nothing,
  choose,
  validate,
  raise,
  read,
  write,
  sleep,
  call,
  each,
  all,
  emit,
  approve,
  listen,
  'listen-any': listenAny,
};

const RESUME: { readonly [K in WaitingKind]: Resume<K> } = {
  sleep: resumeSleep,
  call: resumeCall,
  each: resumeEach,
  all: resumeAll,
  approve: resumeApprove,
  listen: resumeListen,
  'listen-any': resumeListenAny,
};

const isWaitingKind = (kind: Kind): kind is WaitingKind => Object.hasOwn(RESUME, kind);

/** Does a state's work, up to its end or its wait. Throws StateError. */
export async function perform(unit: StepUnit, { work }: StatePlan): Promise<Result> {
  return (PERFORM[work.do] as Perform<Kind>)(unit, work);
}

/** Goes on with a state's work after a wait or a checkpoint. Throws StateError. */
export async function resume(unit: StepUnit, { work }: StatePlan, ended: EndedWait): Promise<Result> {
  if (!isWaitingKind(work.do)) throw internalFailure(`the work '${work.do}' does not wait`);
  return (RESUME[work.do] as Resume<WaitingKind>)(unit, work as WorkOf<WaitingKind>, ended);
}
